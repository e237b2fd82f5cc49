"""Documents that come to an index: which of its columns they have, and what is to be said of the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from undertow.search.database.store import Store
from undertow.search.filling.rows import days_first, noted
from undertow.search.filling.survey import Survey, survey
from undertow.search.filters.column_kinds import TOLD, arrow_type
from undertow.search.filters.column_names import OWN, ColumnNames
from undertow.search.filters.expression import names_of

if TYPE_CHECKING:
    import polars as pl

    from undertow.corpus import Corpus

# columns that an index gets with the first documents that have them
LATE = ("title", "time", "url")
SHOWN = 8  # names in a remark


@dataclass(frozen=True)
class Arrivals:
    """Documents with the columns that the index keeps, as far as they have them."""

    documents: Corpus
    found: Survey
    remarks: tuple[str, ...]


def arrivals(
    store: Store,
    corpus: Corpus,
    *,
    day_first: bool | None,
    check: Callable[[pl.Series], None] | None,
) -> Arrivals:
    """Looks at a corpus before it is added; `check` may refuse ids. Nothing is changed yet."""
    names = names_of(store.schema)
    kept = {name: names.corpus.get(name, name) for name in names.kinds if name not in OWN}
    there = {*corpus.names.values(), *corpus.further}
    documents = corpus.keeping({name: column for name, column in kept.items() if column in there})
    known = {TOLD: day_first} if day_first is not None else days_first(store.schema)
    found = survey(documents, _told(names), day_first=known, check=check)
    empty = [column for column in kept.values() if column not in there]
    more = [column for column in corpus.further if column not in kept.values()]
    said = [
        *_listed("left empty, as the corpus has no such column", empty),
        *_listed("not kept by the index", more),
    ]
    return Arrivals(documents, found, (*said, *found.remarks))


def add_columns(store: Store, coming: Arrivals) -> None:
    """The columns that the index gets with these documents."""
    import pyarrow as pa

    for name in LATE:
        if name in coming.found.kinds and name not in store.schema.names:
            column = pa.field(name, arrow_type(coming.found.kinds[name]))
            store.add_column(noted(column, coming.found, coming.documents.names))


def _told(names: ColumnNames) -> Mapping[str, str]:
    return {name: kind for name, kind in names.kinds.items() if name == "time" or name not in OWN}


def _listed(what: str, names: Iterable[str]) -> list[str]:
    given = [f"{name!r:.60}" for name in names]
    return (
        [f"{what}: {', '.join([*given[:SHOWN], *(['...'] if len(given) > SHOWN else [])])}"]
        if given
        else []
    )
