"""What an index answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from undertow.search._reasons import Reason
from undertow.search._record import Record


@dataclass(frozen=True)
class Hit(Record):
    """A document found. `fields` holds what else is known of it: title, label, split, time, url, and what was kept."""

    id: str
    score: float
    text: str
    fields: dict[str, Any]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Document(Record):
    """A document of an index. `fields` is as in `Hit`."""

    id: str
    text: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Added:
    """What `Index.add` did: documents that are new, and those that took another's place.

    `made` are the first and the last of the ids that documents without any were given, which are numbers in a row.
    `remarks` tells of columns that were left empty or out, and how dates were read.
    """

    added: int
    replaced: int = 0
    made: tuple[str, str] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deleted:
    """What `Index.delete` did: how many documents are gone, and which ids were not there."""

    documents: int
    missing: tuple[str, ...]


def hit_of(document: dict[str, Any], score: float) -> Hit:
    """A row of the store as a hit."""
    return Hit(document["id"], score, document["text"], _fields(document))


def document_of(document: dict[str, Any]) -> Document:
    """A row of the store as a document."""
    return Document(document["id"], document["text"], _fields(document))


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in ("id", "text")}
