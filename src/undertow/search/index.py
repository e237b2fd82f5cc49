"""An index: a folder that answers questions about a corpus."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import IndexFileError, InvalidInput
from undertow.search import _arguments
from undertow.search._arguments import checked_text
from undertow.search._versions import Versions, View
from undertow.search.database.scan import ENCODED, batches
from undertow.search.database.store import Store, check_extra, named_trouble
from undertow.search.encoding.encoder import Encoder
from undertow.search.filters.expression import expression, names_of
from undertow.search.folder import layout, replacing
from undertow.search.folder.derived_files import DerivedFiles, bring_up_to_date, word_rule
from undertow.search.folder.lock import alone
from undertow.search.folder.remote import Remote, is_remote
from undertow.search.ranking.answers import AnswerOptions, answer
from undertow.search.ranking.modes import MODES
from undertow.search.ranking.questions import TypedQuestion, asked_in_words, asked_like
from undertow.search.ranking.reasons import SharedTopics
from undertow.search.results import Added, Deleted, Document, Results, document_of

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.topics.outline import Outline

MOST_RESULTS = 1000

Progress = Callable[[int, int], None]  # told how many documents are done, of how many


class Index:
    """A folder of documents that can be searched by words and by meaning; made by `create`, read by
    `open`.

    Ids are texts. Vectors are the model's strengths, which retrieve best, in half precision; codes
    are its posteriors above 1/2. A document without a word that the model knows has neither, and is
    found by its text alone.

    Vectors of another encoder may be joined with the model's: the cosine of two documents is then
    the mean of two, by undertow and by that encoder. A document without one of the two has a cosine
    of 0 there.

    Threads may share one: an answer is of one version from beginning to end, whatever is added or
    deleted meanwhile. It needs the extra: pip install 'undertow[search]'.

    Examples
    --------
    >>> import undertow
    >>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
    >>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
    >>> texts = space + food
    >>> model = undertow.TopicModel(16, max_epochs=20, random_state=0).fit(texts * 20)
    >>> index = undertow.Index.create("docs", model, texts, overwrite=True)
    >>> len(index)
    6
    >>> [hit.text for hit in index.search("rocket", 1)]
    ['a rocket flew to the moon']
    """

    def __init__(
        self, folder: Path, store: Store, token: str, remote: Remote | None = None
    ) -> None:
        self._folder, self._token, self._remote = folder, token, remote
        self._writer = threading.Lock()
        self._encoder = Encoder.load(folder / layout.MODEL, lambda: self.model)
        _arguments.check_widths(folder, store, self._encoder)
        self._rule = word_rule(self._encoder.stored.training["vectorizer"])
        self._versions = Versions(
            store, lambda seen: DerivedFiles(seen, folder / layout.WORDS, self._rule)
        )
        self._model: TopicModel | None = None
        self._loading = threading.Lock()
        self._topics: SharedTopics | None = None
        self.remarks: tuple[
            str, ...
        ] = ()  # of `create`: columns that could not be kept, and how dates were read

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        model: TopicModel | str | os.PathLike[str],
        corpus: Any = None,
        *,
        keep: str | Sequence[str] | Mapping[str, str | None] | None = None,
        day_first: bool | None = None,
        overwrite: bool = False,
        progress: Progress | None = None,
        vectors: Any = None,
    ) -> Index:
        """Makes an index with the documents of a corpus.

        Interrupted, the same call goes on where it stopped. A finished index is replaced only with
        `overwrite`, and stays whole until the new one is finished.

        Columns of a table are those that the model was fitted with, where they are there, or else
        found by name. All columns are kept, so that filters may name them and hits show them, under
        the names that they have there; `remarks` of the index tells which could not be.

        Parameters
        ----------
        path : path
            The folder to make.
        model : TopicModel or path
            A fitted one, or its folder. It is copied into the index.
        corpus : texts, table, Corpus or None
            Anything that `TopicModel.fit` takes; None for no documents yet.
        keep : str, sequence of str, mapping or None
            Columns to keep, instead of all: as "rating", or with a kind ("flag", "whole", "number",
            "day", "moment" or "text") as "rating:number" or {"rating": "number"}; () for none.
            Without a kind, a column is what its type is, or in CSV and JSON lines the first of
            these that all of its values can be.
        day_first : bool or None
            Which number of 12/05/1997 is the day; None: the column tells.
        overwrite : bool
            Whether a finished index may be replaced.
        progress : callable or None
            Told how many documents are done, of how many.
        vectors : array-like or None
            Those of another encoder, a row a document, to be joined with the model's, which needs
            them if fitted so.

        Returns
        -------
        Index
            The new one, open.

        Raises
        ------
        InvalidInput
            Where an index is there already, ids are not different, or a column cannot be kept.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"text": texts, "label": ["space"] * 3 + ["food"] * 3})
        >>> labelled = undertow.Index.create("labelled", model, table, overwrite=True)
        >>> {hit.fields["label"] for hit in labelled.search("moon apples", where="label = 'food'")}
        {'food'}
        """
        from undertow.search.filling.building import build

        folder, trained = _arguments.local_folder(path), _arguments.topic_model(model)
        documents = None if corpus is None else _arguments.as_documents(corpus, trained.columns_)
        options: dict[str, Any] = {
            "keep": keep,
            "day_first": day_first,
            "overwrite": overwrite,
            "progress": progress,
        }
        remarks = build(folder, trained, documents, **options, vectors=_arguments.beside(vectors))
        index = cls.open(folder)
        index.remarks = remarks
        return index

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
    ) -> Index:
        """Opens the index in a folder, or at an address, which is only read. Its model is checked.

        Parameters
        ----------
        path : path or str
            A folder, or s3://bucket/prefix.
        storage_options : mapping of str or None
            How to reach the storage: "access_key_id", "secret_access_key", "session_token",
            "region", "endpoint" and what else LanceDB knows. What they do not say is taken from the
            usual AWS_... variables.

        Returns
        -------
        Index
            The index.

        Raises
        ------
        IndexFileError
            Where there is none, or an unfinished or unsound one.

        Examples
        --------
        >>> undertow.Index.open("docs").document("3").text
        'ripe apples and pears'
        """
        check_extra()
        if is_remote(path):
            remote = Remote.fetch(path, storage_options)
            with remote.named():
                return cls._opened(remote.folder, remote)
        if storage_options:
            raise InvalidInput(
                "storage_options must be left out for a folder on this machine, got some"
            )
        return cls._opened(replacing.current(Path(path)))

    @classmethod
    def _opened(cls, folder: Path, remote: Remote | None = None) -> Index:
        facts = layout.read_facts(folder)
        if not facts.finished:
            raise IndexFileError(
                f"{folder} must be finished, got an index half made: run what made it again"
            )
        if layout.model_digest(folder) not in facts.model.split():
            raise IndexFileError(f"{folder} must hold the model that it was made with, got another")
        if remote is None:
            store = Store.open(folder / layout.DATABASE)
        else:
            store = Store.open(remote.database, remote.options)
        return cls(folder, store, facts.token, remote)

    def __len__(self) -> int:
        return self._versions.current.store.count()

    @property
    def path(self) -> Path:
        """Where it is; of one that was opened at an address, a private folder that holds what was
        copied of it.
        """
        return self._folder

    @property
    def address(self) -> str:
        """Where it is, as people write it: a folder, or s3://bucket/prefix."""
        return str(self._folder) if self._remote is None else self._remote.address

    def fetch_overview(self) -> None:
        """Of an index at an address, copies the overview that `undertow.insight` keeps with it,
        where there is one.

        Examples
        --------
        >>> index.fetch_overview()  # nothing to do for a folder on this machine
        """
        if self._remote is not None:
            self._remote.fetch_overview()

    @property
    def is_remote(self) -> bool:
        """Whether it was opened at an address, and so can be read but not changed."""
        return self._remote is not None

    @property
    def model(self) -> TopicModel:
        """The model that encodes documents; loaded when it is first asked for, since questions need
        less.
        """
        with self._loading:
            if self._model is None:
                from undertow.estimators import TopicModel

                self._model = TopicModel.from_stored(
                    self._encoder.stored, self._folder / layout.MODEL
                )
            return self._model

    @property
    def outline(self) -> Outline | None:
        """The tree of topics, with their names, as it is now; None for a model of an earlier
        version.
        """
        return (
            self._encoder.outline if self._model is None else getattr(self._model, "atlas_", None)
        )

    @property
    def vectors_width(self) -> int:
        """How many numbers of another encoder each document's vector has beside the model's; 0
        without.
        """
        own, width = self._versions.current.store.widths
        return width - own

    def others(self, ids: Sequence[str]) -> NDArray[np.float32] | None:
        """The directions of what was joined with the model's vectors of these documents.

        Parameters
        ----------
        ids : sequence of str
            Ids of documents.

        Returns
        -------
        array (ids, dimensions) or None
            Zeros for an id that is not there. None where the model's topics go by its own vectors
            alone.

        Examples
        --------
        >>> index.others(["0"]) is None
        True
        """
        if not self.model.vectors_width_:
            return None
        store = self._versions.current.store
        with named_trouble(self.address):
            return store.vectors_with_ids(ids)[:, store.widths[0] :]

    @property
    def version(self) -> int:
        """The number of the last commit."""
        return self._versions.current.version

    @property
    def state(self) -> str:
        """Names the index and its version: what was computed from one state holds for no other."""
        return f"{self._token}-{self.version}"

    @property
    def columns(self) -> dict[str, str]:
        """What filters may name, with the kind of each column."""
        return names_of(self._versions.current.store.schema).columns

    @property
    def corpus_columns(self) -> dict[str, str]:
        """What the corpus called the columns that have a role here, such as {"label": "category"};
        filters know both.

        It is what `open_corpus` takes as `remembered`.
        """
        return self.model.columns_ | names_of(self._versions.current.store.schema).roles

    # Changing it

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

    def optimize(self) -> None:
        """Brings everything up to date after many changes: quicker searches, less room. It may take
        a minute.

        Examples
        --------
        >>> index.optimize()
        """
        with self._writing() as store:
            store.optimize()
            self._bring_up_to_date(store)

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

    def _bring_up_to_date(self, store: Store) -> None:
        bring_up_to_date(store, self._folder / layout.WORDS, self._rule)

    def _check_still_there(self) -> None:
        facts = layout.read_facts(self._folder) if self._remote is None else self._remote.facts()
        if facts.token != self._token:
            raise IndexFileError(
                f"{self.address} must be the index that was opened, got another in its place: open "
                f"it"
            )

    # Asking it

    def search(
        self,
        query: str | None = None,
        n: int = 10,
        *,
        like: str | None = None,
        vector: Any = None,
        where: str | None = None,
        mode: str = "hybrid",
        duplicates: bool = False,
        reasons: bool = True,
    ) -> Results:
        """The best documents for words or a whole text, or those most like a document.

        Parameters
        ----------
        query, like : str
            A text, or the id of a document; one of them.
        n : int
            How many, 1,000 at most.
        vector : array-like or None
            Of an index with vectors of another encoder, the one that it gives to the query. Without
            it, documents are compared by undertow's side alone; a document (`like`) has both.
        where : str or None
            A filter such as "label = 'sci.space' AND time >= DATE '2026-01-01'".
        mode : {"hybrid", "semantic", "text", "code"}
            Words and meaning together, for short and long questions alike; cosine of strengths;
            BM25; or share of equal bits.
        duplicates : bool
            Whether documents that are nearly the same are shown one by one. Otherwise the best of
            them stands for all, and names the others (`Hit.alike`).
        reasons : bool
            Whether hits tell the words and the topics that they share with the question
            (`Hit.why`).

        Returns
        -------
        Results
            Hits, the best first. Scores are shares of the best possible, from 0 to 1.

        Raises
        ------
        InvalidInput
            Without a question or with two, for an unknown mode, or a filter that cannot be read.

        Examples
        --------
        >>> [hit.text for hit in index.search("pears", 2, mode="text")]
        ['ripe apples and pears', 'a cake of sweet pears']
        >>> index.search(like="3", n=1)[0].id in ("4", "5")
        True
        """
        _check.one_of("mode", mode, MODES)
        wanted = _check.whole_number("n", n, at_least=1)
        if wanted > MOST_RESULTS:
            raise InvalidInput(f"n must be at most {MOST_RESULTS:,}, got {n:,}")
        for name, text in (("query", query), ("like", like), ("where", where)):
            if text is not None:
                checked_text(name, text)
        view = self._versions.current
        condition = None if where is None else expression(where, names_of(view.store.schema))
        with named_trouble(self.address):
            asked = self._asked(view, query, like, vector)
            options = AnswerOptions(wanted, mode, condition, folded=not duplicates, reasons=reasons)
            return answer(view.ranker, asked, options, self._shared_topics() if reasons else None)

    def knows(self, query: str) -> bool:
        """Whether the model knows a word of a text; without one, it is searched for by its words
        alone.

        Parameters
        ----------
        query : str
            A text.

        Returns
        -------
        bool
            True for one word or more.

        Examples
        --------
        >>> index.knows("a rocket"), index.knows("zebras")
        (True, False)
        """
        return bool(self._encoder.encode([query]).known[0])

    def document(self, document_id: str) -> Document | None:
        """The document with an id.

        Parameters
        ----------
        document_id : str
            Its id.

        Returns
        -------
        Document or None
            None where it is not there.

        Examples
        --------
        >>> index.document("3").text, index.document("zebra")
        ('ripe apples and pears', None)
        """
        return self.documents([document_id])[0]

    def documents(self, ids: Sequence[str]) -> list[Document | None]:
        """The documents with these ids.

        Parameters
        ----------
        ids : sequence of str
            Ids of documents.

        Returns
        -------
        list of Document or None
            In the order of the ids; None for one that is not there.

        Examples
        --------
        >>> [document.text for document in index.documents(["4", "3"])]
        ['a cake of sweet pears', 'ripe apples and pears']
        """
        for name in ids:
            checked_text("ids", name)
        with named_trouble(self.address):
            found = self._versions.current.store.with_ids(list(dict.fromkeys(ids)))
        return [document_of(found[name]) if name in found else None for name in ids]

    def scan(
        self, columns: Sequence[str], *, batch: int = 8192, places: NDArray[np.int64] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Columns of all documents, in an order that is fixed until the index is changed. What is
        changed meanwhile is not seen.

        Parameters
        ----------
        columns : sequence of str
            "vector", "code" and any column of the index ("id", "text", "label", ...).
        batch : int
            Documents at a time.
        places : array of int or None
            Numbers of documents in this order, rising: those alone are read.

        Yields
        ------
        dict of str to array or polars.Series
            "vector" as float32 (rows, units), with nan where a document has none; "code" as uint8,
            with zeros there; every other column as a Series.

        Examples
        --------
        >>> part = next(index.scan(["id", "vector"]))
        >>> part["vector"].shape[1]
        16
        """
        rows, store = _check.whole_number("batch", batch, at_least=1), self._versions.current.store
        for name in columns:
            _check.one_of("columns", name, (*names_of(store.schema).columns, *ENCODED))
        with named_trouble(self.address):
            yield from batches(store, columns, rows, places)

    def info(self) -> dict[str, Any]:
        """What the index holds.

        Returns
        -------
        dict
            Documents, version, bytes on disk, columns, units, and more.

        Examples
        --------
        >>> index.info()["units"]
        16
        """
        view = self._versions.current
        return {
            "index": self.address,
            "documents": view.store.count(),
            "version": view.version,
            "bytes": layout.size_on_disk(self._folder)
            if self._remote is None
            else self._remote.size(),
            "columns": names_of(view.store.schema).columns,
            "units": self._encoder.parameters.units,
            "joined": self.vectors_width,
            "near_copies": layout.read_facts(self._folder).near_copies,
        }

    def _asked(self, view: View, query: str | None, like: str | None, vector: Any) -> TypedQuestion:
        if (query is None) == (like is None):
            raise InvalidInput(
                f"query or like must be given, one of them, got {'both' if query else 'neither'}"
            )
        full = view.ranker.derived.text
        if query is not None:
            return asked_in_words(
                query, full, self._encoder, _arguments.of_question(vector, self.vectors_width)
            )
        if vector is not None:
            raise InvalidInput("vector must be used with a query, got one with like")
        return asked_like(str(like), view.store, full, self._encoder)

    def _shared_topics(self) -> SharedTopics | None:
        """What finds the topics that a question and a document share; made anew when topics have
        changed.
        """
        outline = self.outline
        if outline is None:
            return None
        if self._topics is None or self._topics.outline is not outline:
            self._topics = SharedTopics(outline)
        return self._topics
