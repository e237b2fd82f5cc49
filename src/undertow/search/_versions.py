"""Which version of the documents is read: whoever reads takes one and keeps it, whoever writes puts
a newer one there.

A table of the database sees its own commits at once, so one that is written through cannot be read
from by others meanwhile: numbers of rows are good for one version. Here every view has a table of
its own that nobody writes through. Readers wait for no writer, and a view goes when its last reader
does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from undertow.search.database.lately import Allowance
from undertow.search.database.store import Store
from undertow.search.folder.derived_files import DerivedFiles
from undertow.search.ranking.modes import Ranker


class View:
    """The documents as of one version, and what ranks them. It never changes."""

    def __init__(self, store: Store, derived: DerivedFiles, allowance: Allowance) -> None:
        self.store = store
        self.ranker = Ranker(store, derived, allowance)
        self.version = self.ranker.version


class Versions:
    """The view that is read now, for all threads."""

    def __init__(self, store: Store, derive: Callable[[Store], DerivedFiles]) -> None:
        self._derive = derive
        self.allowance = Allowance()  # for what a view keeps in memory of what it has read
        self._current = View(store, derive(store), self.allowance)
        self._changing = threading.Lock()

    @property
    def current(self) -> View:
        """What a question is answered from; take it once, and answer all of the question from
        it.
        """
        return self._current

    def to_write(self) -> Store:
        """A table of its own to write through, at the latest commit."""
        return self._current.store.latest()

    def see_latest(self) -> None:
        """From now on, what was committed is read. The view stays where nothing was, with all that
        it holds.
        """
        store = self._current.store.latest()
        # of two threads that look at once, the one that saw less must not be the last
        with self._changing:
            if store.version > self._current.version:
                self._current = View(store, self._derive(store), self.allowance)
