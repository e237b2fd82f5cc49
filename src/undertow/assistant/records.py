"""What the tools answer with: small records, bounded in size. The server makes JSON schemas of
them.
"""

from __future__ import annotations

from dataclasses import dataclass

Value = str | int | float | bool | None  # of a field


@dataclass(frozen=True)
class SharedTopic:
    """A topic that question and document are both about."""

    id: int
    name: str


@dataclass(frozen=True)
class Why:
    """Words of the question that a document holds, the most telling first, those that it lacks, and
    topics of both.
    """

    words: list[str]
    missing: list[str]
    topics: list[SharedTopic]


@dataclass(frozen=True)
class Found:
    """A document that answers a question. `score` is a share of the best possible, `snippet` the
    beginning of the text, `why` what it shares with the question, and `alike` are the ids of others
    that are nearly the same.
    """

    id: str
    title: str | None
    url: str | None
    score: float
    snippet: str
    fields: dict[str, Value]
    why: Why
    alike: list[str]


@dataclass(frozen=True)
class Results:
    """The best documents, the best first. `hint` says what to try when none fits well; `corrected`
    are words that no document holds, with those that were searched for instead.
    """

    results: list[Found]
    hint: str | None
    corrected: dict[str, str]


@dataclass(frozen=True)
class Passage:
    """A document, or a part of its text: `next_offset` is where the text goes on, None at its
    end.
    """

    id: str
    title: str | None
    url: str | None
    fields: dict[str, Value]
    text: str
    offset: int
    characters: int
    next_offset: int | None


@dataclass(frozen=True)
class TopicLine:
    """A topic in a list. `share` is that of the documents the model was trained on, from 0 to 1."""

    id: int
    name: str
    words: list[str]
    documents: int
    share: float


@dataclass(frozen=True)
class TopicList:
    """Topics, the widest first; `left_out` more are too many to list."""

    topics: list[TopicLine]
    left_out: int


@dataclass(frozen=True)
class Example:
    """A typical document of a topic; where `readable`, the index has it and its text can be read by
    its id.
    """

    id: str
    title: str
    sentence: str
    readable: bool


@dataclass(frozen=True)
class TopicPage:
    """All about a topic. `parent` and `children` are ids of coarser and finer topics."""

    id: int
    name: str
    words: list[str]
    phrases: list[str]
    documents: int
    share: float
    examples: list[Example]
    parent: int | None
    children: list[int]


@dataclass(frozen=True)
class About:
    """What an index holds. `columns` are what filters may name, with the kind of each."""

    name: str
    documents: int
    columns: dict[str, str]
    topics: int | None
    smallest_topics: int | None
    words_known: int
