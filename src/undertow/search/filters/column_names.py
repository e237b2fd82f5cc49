"""What the columns of an index are called: in its database, by the corpus that they came from, and
in filters.

Columns that have a role (label, time ...) are stored and shown under the name of the role; others
are shown as the corpus named them, and stored under a name of plain letters, which is the same
wherever it can be. The names of the corpus stand in the database, with the columns that they belong
to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from undertow._errors import InvalidInput
from undertow.search.filters.grammar import NOT_COLUMNS

ROLES = ("id", "text", "title", "label", "split", "time", "url")
OWN = (*ROLES, "vector", "code")  # the columns that an index has of its own
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class ColumnNames:
    """Columns by the names that they are stored under: the kind of each, and what the corpus calls
    it.
    """

    kinds: Mapping[str, str]
    corpus: Mapping[str, str] = field(default_factory=dict)

    def shown(self, stored: str) -> str:
        """What a column is called in results. A name of the corpus that is that of a role stays the
        role's.
        """
        name = self.corpus.get(stored, stored)
        return stored if stored in OWN or name in ROLES else name

    @property
    def columns(self) -> dict[str, str]:
        """What is shown of each column, and its kind."""
        return {self.shown(stored): kind for stored, kind in self.kinds.items()}

    @property
    def roles(self) -> dict[str, str]:
        """Role -> what the corpus calls the column."""
        return {stored: name for stored, name in self.corpus.items() if stored in ROLES}

    def row(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """What is known of a document, as it is shown."""
        return {self.shown(stored): value for stored, value in document.items()}

    def stored(self, name: str) -> str:
        """The column that somebody means: as the index or the corpus names it, in any case if that
        leaves one.
        """
        exact = self._spellings()
        if name in exact:
            return exact[name]
        alike = {
            spelled: stored
            for spelled, stored in exact.items()
            if spelled.casefold() == name.casefold()
        }
        if len(set(alike.values())) == 1:
            return next(iter(alike.values()))
        if alike:
            raise InvalidInput(
                f"where must name one column, got {name!r}, which could be {' or '.join(alike)}"
            )
        there = ", ".join(written(one) for one in self.columns)
        raise InvalidInput(f"where must name columns of the index ({there}), got {name!r}")

    def _spellings(self) -> dict[str, str]:
        """Every name that a column goes by; that of a role belongs to the role."""
        by_corpus = {name: stored for stored, name in self.corpus.items() if stored in self.kinds}
        return {**by_corpus, **{self.shown(stored): stored for stored in self.kinds}}


def written(name: str) -> str:
    """A name as a filter has to write it."""
    return (
        name
        if PLAIN.fullmatch(name) and name.upper() not in NOT_COLUMNS
        else '"' + name.replace('"', '""') + '"'
    )


def stored_names(columns: Iterable[str]) -> dict[str, str]:
    """Names to store columns under -> the columns. They differ in more than capitals, and can be
    written anywhere.
    """
    found: dict[str, str] = {}
    taken = {name.casefold() for name in (*OWN, *NOT_COLUMNS)}
    given = list(columns)
    for plain in (True, False):  # those that keep their names come first
        for name in given:
            free = bool(PLAIN.fullmatch(name)) and name.casefold() not in taken
            if name in found.values() or free != plain:
                continue
            stored = name if free else _another(name, taken)
            found[stored] = name
            taken.add(stored.casefold())
    return {stored: name for name in given for stored, of in found.items() if of == name}


def _another(name: str, taken: set[str]) -> str:
    letters = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or "column"
    stored = letters if letters[0].isalpha() else f"c_{letters}"
    while stored.casefold() in taken:
        stored += "_"
    return stored
