"""What an index answers with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from undertow._html import block, bold, chip, line, quiet, why_word
from undertow.search.record import Record

SHOWN = 400  # letters of a text in a notebook


@dataclass(frozen=True)
class WordPart:
    """A word of the question, as it was asked for, and its part in how well a document's words fit:
    together 1.

    Examples
    --------
    >>> why = index.search("moon rocket", 1)[0].why
    >>> sorted(part.word for part in why.words)
    ['moon', 'rocket']
    """

    word: str
    part: float


@dataclass(frozen=True)
class TopicPart:
    """A topic of the model's own cut, and how much of the question and of the document are about
    it: the smaller. In `Hit.topics`, how much of the document is.

    Examples
    --------
    >>> why = index.search("moon rocket", 1)[0].why
    >>> all(0 < part.part <= 1 for part in why.topics)
    True
    """

    topic: int
    name: str
    part: float


@dataclass(frozen=True)
class Why:
    """Why a document was found: the words that it shares with the question, the most telling first;
    those of the question that it lacks; and the topics that both are about.

    Examples
    --------
    >>> why = index.search("rocket apples", 1, mode="text")[0].why
    >>> len(why.words), len(why.missing)
    (1, 1)
    """

    words: tuple[WordPart, ...] = ()
    missing: tuple[str, ...] = ()
    topics: tuple[TopicPart, ...] = ()


NO_REASONS = Why()


@dataclass(frozen=True)
class Hit(Record):
    """A document found. `score` is a share of the best possible, from 0 to 1; `fields` holds what
    else is known of the document: title, label, split, time, url, and what was kept. `alike` are
    the ids of documents that are nearly the same, and would have come next. `topics` are those that
    the document is most about, with their shares of it.

    Examples
    --------
    >>> hit = index.search("moon rocket", 1)[0]
    >>> hit.text, 0 < hit.score <= 1
    ('a rocket flew to the moon', True)
    """

    id: str
    score: float
    text: str
    fields: dict[str, Any]
    why: Why = NO_REASONS
    alike: tuple[str, ...] = ()
    topics: tuple[TopicPart, ...] = ()

    def _repr_html_(self) -> str:
        words = "".join(why_word(one.word, one.part) for one in self.why.words)
        missing = quiet(f"without: {', '.join(self.why.missing)}") if self.why.missing else ""
        topics = "".join(chip(one.name, 0.06, f"{one.part:.0%} of it") for one in self.topics)
        alike = f", and {len(self.alike):,} nearly the same" if self.alike else ""
        head = line(f"{self.score:.2f}", _titled(self), quiet(f"{self.id}{alike}"))
        return block(head, _beginning(self), line(words, missing, topics))


class Results(list[Hit]):
    """Hits, the best first, and what there is to say about them.

    `corrected` are words that no document holds, with those that were searched for instead. `hint`
    is a sentence for people where nothing fits well, or None.

    Examples
    --------
    >>> index.search("rockit", 1).corrected
    {'rockit': 'rocket'}
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        corrected: Mapping[str, str] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(hits)
        self.corrected, self.hint = dict(corrected or {}), hint

    def _repr_html_(self) -> str:
        said = [f"{old}: searched for {new}" for old, new in self.corrected.items()]
        said += [self.hint] if self.hint else []
        said += [] if len(self) else ["No document was found."]
        remarks = "".join(line(quiet(one)) for one in said)
        return block(remarks, "<hr>".join(hit._repr_html_() for hit in self))


@dataclass(frozen=True)
class Document(Record):
    """A document of an index. `fields` is as in `Hit`.

    Examples
    --------
    >>> index.document("0").text
    'a rocket flew to the moon'
    """

    id: str
    text: str
    fields: dict[str, Any]

    def _repr_html_(self) -> str:
        return block(line(_titled(self), quiet(self.id)), _beginning(self))


@dataclass(frozen=True)
class Added:
    """What `Index.add` did: documents that are new, and those that took another's place.

    `made` are the first and the last of the ids that documents without any were given, which are
    numbers in a row. `remarks` tells of columns that were left empty or out, and how dates were
    read.

    Examples
    --------
    >>> from undertow.search import Added
    >>> Added(added=2, made=("120", "121")).replaced
    0
    """

    added: int
    replaced: int = 0
    made: tuple[str, str] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deleted:
    """What `Index.delete` did: how many documents are gone, and which ids were not there.

    Examples
    --------
    >>> from undertow.search import Deleted
    >>> Deleted(documents=1, missing=("zebra",)).missing
    ('zebra',)
    """

    documents: int
    missing: tuple[str, ...]


@dataclass(frozen=True)
class CheckedFiles:
    """What `Index.check` read: files, their bytes, and how many of them no list has, because their
    writer died before it wrote it. The next change of the index lists them.

    Examples
    --------
    >>> from undertow.search import CheckedFiles
    >>> CheckedFiles(files=9, bytes=1000, unlisted=0).files
    9
    """

    files: int
    bytes: int
    unlisted: int


def hit_of(
    document: dict[str, Any], score: float, alike: Sequence[str] = (), longest: int | None = None
) -> Hit:
    """A row of the store as a hit, with so many characters of its text."""
    text = document["text"] if longest is None else document["text"][:longest]
    return Hit(document["id"], score, text, _fields(document), alike=tuple(alike))


def document_of(document: dict[str, Any], longest: int | None = None) -> Document:
    """A row of the store as a document, with so many characters of its text."""
    text = document["text"] if longest is None else document["text"][:longest]
    return Document(document["id"], text, _fields(document))


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in ("id", "text")}


def _titled(record: Record) -> str:
    """The title of a record as HTML; empty where it has none."""
    return bold(record.title) if record.title else ""


def _beginning(record: Record) -> str:
    """The beginning of its text as HTML."""
    text = " ".join(record.body.split())
    return line(f"<span dir='auto'>{escape(text[:SHOWN])}{'…' if len(text) > SHOWN else ''}</span>")
