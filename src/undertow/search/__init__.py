"""Search: a corpus and a model become one folder that answers questions (extra `search`, LanceDB).

`Index` is what users meet. Filters are a small language of our own (`_grammar`), turned into the
database's by `_where`; `_store` is the only module that talks to the database, which is loaded when
an index is made or opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.search._reasons import TopicPart, Why, WordPart
    from undertow.search._results import Added, Deleted, Document, Hit, Results
    from undertow.search.index import Index

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.search._reasons": ("TopicPart", "Why", "WordPart"),
        "undertow.search._results": ("Added", "Deleted", "Document", "Hit", "Results"),
        "undertow.search.index": ("Index",),
    },
)

__all__ = [
    "Added",
    "Deleted",
    "Document",
    "Hit",
    "Index",
    "Results",
    "TopicPart",
    "Why",
    "WordPart",
]
