"""Search: a corpus and a model become one folder that answers questions (extra `search`, LanceDB).

`Index` (`index`) is what users meet, and answers with what `results` holds. Below it:

- `filters`: the columns of an index, and a small language of our own for conditions on them
- `database`: documents in LanceDB, which no other package talks to
- `encoding`: texts as vectors and codes
- `folder`: what else lies on disk, one writer at a time, indices on object storage
- `filling`: from a corpus to a full index, and documents that come later
- `ranking`: questions, ways to rank documents for them, answers with reasons

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = space + food
>>> model = undertow.TopicModel(16, max_epochs=20, random_state=0).fit(texts * 20)
>>> index = undertow.Index.create("library", model, texts)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.search.index import Index
    from undertow.search.results import (
        Added,
        CheckedFiles,
        Deleted,
        Document,
        Hit,
        Results,
        TopicPart,
        Why,
        WordPart,
    )

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.search.index": ("Index",),
        "undertow.search.results": (
            "Added",
            "CheckedFiles",
            "Deleted",
            "Document",
            "Hit",
            "Results",
            "TopicPart",
            "Why",
            "WordPart",
        ),
    },
)

__all__ = [
    "Added",
    "CheckedFiles",
    "Deleted",
    "Document",
    "Hit",
    "Index",
    "Results",
    "TopicPart",
    "Why",
    "WordPart",
]
