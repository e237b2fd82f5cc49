"""Opening the documents of an index in a folder, with its files looked over first."""

from __future__ import annotations

from pathlib import Path

from undertow._errors import IndexFileError
from undertow.search.database.manifest import newest_of
from undertow.search.database.store import ATTEMPTS, TABLE, Store
from undertow.search.folder import file_list, layout


def open_documents(folder: Path, facts: layout.IndexFacts) -> tuple[Store, frozenset[str]]:
    """The documents, and the names of damaged files among what follows from them. A writer may
    commit and remove old files meanwhile; what was then missed is looked for again.
    """
    place = folder / layout.DATABASE
    for attempt in range(ATTEMPTS):
        listed = file_list.read(folder, facts)
        store = Store.open(place)
        try:
            damaged = file_list.check(folder, listed, store.manifest)
        except IndexFileError:
            changed = newest_of(place / f"{TABLE}.lance").version != store.version
            if not changed or attempt == ATTEMPTS - 1:
                raise
            continue
        return store, frozenset(Path(name).name for name in damaged)
    raise AssertionError("the last attempt returns or raises")
