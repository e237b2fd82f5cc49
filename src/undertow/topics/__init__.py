"""Topics that people read: regions of document vectors, nested in a tree, described, cut anywhere,
and curated.

`grow` makes an `Atlas` of documents; `TopicTree` is its tree; `records` are what users get.

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = (space + food) * 20
>>> model = undertow.TopicModel(16, stop_words="english", max_epochs=5, random_state=0).fit(texts)
>>> topic = model.topics(2)[0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.topics._choose import TopicChoice
    from undertow.topics.atlas import Atlas
    from undertow.topics.records import (
        Branch,
        Change,
        DocumentTopics,
        Drift,
        Topic,
        TopicShare,
        TopicWord,
        TypicalDocument,
        UnitOfTopic,
    )
    from undertow.topics.tree import TopicTree

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.topics._choose": ("TopicChoice",),
        "undertow.topics.atlas": ("Atlas",),
        "undertow.topics.records": (
            "Branch",
            "Change",
            "DocumentTopics",
            "Drift",
            "Topic",
            "TopicShare",
            "TopicWord",
            "TypicalDocument",
            "UnitOfTopic",
        ),
        "undertow.topics.tree": ("TopicTree",),
    },
)

__all__ = [
    "Atlas",
    "Branch",
    "Change",
    "DocumentTopics",
    "Drift",
    "Topic",
    "TopicChoice",
    "TopicShare",
    "TopicTree",
    "TopicWord",
    "TypicalDocument",
    "UnitOfTopic",
]
