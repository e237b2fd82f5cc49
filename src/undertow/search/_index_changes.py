"""How an index is changed, by one process at a time: documents that come and go, its model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from undertow._errors import InvalidInput
from undertow.files.disk import reason
from undertow.search import _arguments
from undertow.search._arguments import checked_text
from undertow.search._open_index import OpenIndex
from undertow.search.database.store import Store, named_trouble
from undertow.search.folder import file_list, layout
from undertow.search.folder.derived_files import bring_up_to_date
from undertow.search.folder.lock import alone
from undertow.search.results import Added, Deleted
from undertow.storage.layout import remove_folder

Progress = Callable[[int, int], None]  # told how many documents are done, of how many


_log = logging.getLogger(__name__)


class IndexChanges(OpenIndex):
    """An index, changed. What came of a change is read from then on."""

    def add(
        self,
        corpus: Any,
        *,
        replace: bool = False,
        day_first: bool | None = None,
        progress: Progress | None = None,
        vectors: Any = None,
    ) -> Added:
        """Adds documents: all of them or, after an error or Ctrl-C, none.

        A column that the index keeps and these documents have not is left empty, and one that it
        does not keep is left out. Dates are read as in `create`; those that do not say which number
        is the day, as the index did before.

        Parameters
        ----------
        corpus : texts, table or Corpus
            Documents without ids get new ones, numbers that go on above the highest number that is
            an id already.
        replace : bool
            A document takes the place of the one with its id. These come in commits of some 16,000,
            so after Ctrl-C some are there, and the same call made again finishes.
        day_first : bool or None
            As in `create`.
        progress : callable or None
            Told how many documents are done, of how many.
        vectors : array-like or None
            An index that was made with vectors needs those of these documents.

        Returns
        -------
        Added
            How many, ids that were made, and remarks.

        Raises
        ------
        InvalidInput
            For an id that comes twice, or is there already without `replace`.

        Examples
        --------
        >>> added = index.add(["a comet above the moon", "the comet left"])
        >>> added.added, added.made
        (2, ('6', '7'))
        """
        from undertow.search.filling.building import add

        documents, others = (
            _arguments.as_documents(corpus, self.corpus_columns),
            _arguments.beside(vectors),
        )
        options: dict[str, Any] = {"replace": replace, "day_first": day_first, "progress": progress}
        with self._writing() as store:
            added = add(store, self.model, documents, **options, vectors=others)
            self._bring_up_to_date(store)
            return added

    def delete(self, ids: str | Sequence[str]) -> Deleted:
        """Removes documents by their ids.

        Parameters
        ----------
        ids : str or sequence of str
            Ids; those that are not there are passed over.

        Returns
        -------
        Deleted
            How many are gone, and which ids were not there.

        Raises
        ------
        InvalidInput
            Without any id.

        Examples
        --------
        >>> index.delete(["2", "99"])
        Deleted(documents=1, missing=('99',))
        """
        wanted = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
        if not wanted:
            raise InvalidInput("ids must name a document, got none")
        for name in wanted:
            checked_text("ids", name)
        with self._writing() as store:
            present = store.present(wanted)
            if present:
                store.delete([name for name in wanted if name in present])
        return Deleted(len(present), tuple(name for name in wanted if name not in present))

    def refresh(self) -> None:
        """Sees what others have changed since this was opened; changing it oneself does so, too.

        Raises
        ------
        IndexFileError
            Where another index has taken its place.

        Examples
        --------
        >>> index.refresh()
        """
        self._check_still_there()
        with named_trouble(self.address):
            self._versions.see_latest()

    def optimize(self, *, forget: bool = False) -> None:
        """Brings everything up to date after many changes: quicker searches, less room. It may take
        a minute. What was damaged and can be made again is made again.

        Parameters
        ----------
        forget : bool
            Whether to leave nothing on disk of documents that were deleted or replaced. Otherwise
            they may stay for an hour or longer in files that other documents need, and for those
            who read an old version. With it, a scan that is going on elsewhere is an error; a
            search goes on with the newest version. The index' copy of the model is what was
            learned: it keeps the words and the typical documents of the corpus that it was fitted
            on.

        Examples
        --------
        >>> index.optimize()
        >>> index.optimize(forget=True)
        """
        with self._writing() as store:
            if forget:
                store.forget()
                remove_folder(self._folder / layout.OVERVIEW)
            else:
                store.optimize()
            listed = file_list.read(self._folder, layout.read_facts(self._folder))
            for name in file_list.damaged_derived(self._folder, listed):
                (self._folder / name).unlink(missing_ok=True)
            self._bring_up_to_date(store, whole=forget)

    def save_model(self) -> None:
        """Writes the model again, after its topics were renamed, merged or changed otherwise.

        Documents stay as they are, so a model that was trained meanwhile, which would give other
        vectors, is an error.

        Raises
        ------
        InvalidInput
            For a model with other vectors.

        Examples
        --------
        >>> widest = index.model.topics(2)[0]
        >>> renamed = index.model.rename_topic(widest.id, "Moon")
        >>> index.save_model()
        """
        from undertow.search.folder.model_copy import replace_model

        _arguments.check_topics(self.model, self.vectors_width)
        with self._writing():
            replace_model(self._folder, self.model)

    @contextmanager
    def _writing(self) -> Iterator[Store]:
        """What to change it through. Nobody else changes it meanwhile; what came of it, be it half,
        is seen after.
        """
        if self._remote is not None:
            self._remote.refuse_changes()
        with self._writer, alone(self._folder), named_trouble(self.address):
            self._check_still_there()
            try:
                yield self._versions.to_write()
            finally:
                self._versions.see_latest()
                self._list_files()

    def _list_files(self) -> None:
        """Says in the folder what is in it now. The change is there already, so trouble here is no
        error: whoever changes the index next lists all.
        """
        try:
            file_list.write(self._folder, self._versions.current.store.manifest)
            facts = layout.read_facts(self._folder)
            if not facts.listed:
                layout.write_facts(self._folder, replace(facts, listed=True))
        except OSError as error:
            _log.warning("%s could not list its files: %s", self.address, reason(error))

    def _bring_up_to_date(self, store: Store, *, whole: bool = False) -> None:
        bring_up_to_date(store, self._folder / layout.WORDS, self._rule, whole=whole)
