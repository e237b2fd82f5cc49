"""What an index is asked: documents for questions, documents by their ids, columns of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import IndexFileError, InvalidInput
from undertow.search import _arguments
from undertow.search._arguments import checked_text
from undertow.search._open_index import OpenIndex
from undertow.search._versions import View
from undertow.search.database.scan import ENCODED, batches
from undertow.search.database.store import named_trouble
from undertow.search.filters.expression import expression, names_of
from undertow.search.folder import file_list, layout
from undertow.search.ranking.answers import AnswerOptions, answer
from undertow.search.ranking.modes import MODES
from undertow.search.ranking.questions import TypedQuestion, asked_in_words, asked_like
from undertow.search.ranking.reasons import SharedTopics
from undertow.search.results import CheckedFiles, Document, Results, document_of
from undertow.storage import load_model

MOST_RESULTS = 1000

Answer = TypeVar("Answer")


class IndexQuestions(OpenIndex):
    """An index, asked. Each answer is of one version."""

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
        text_length: int | None = None,
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
            (`Hit.why`), and what they are about (`Hit.topics`).
        text_length : int or None
            How many characters of each text are given; None for all. Of long documents, no more
            than is needed is read then.

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
        if text_length is not None:
            text_length = _check.whole_number("text_length", text_length, at_least=0)
        for name, text in (("query", query), ("like", like), ("where", where)):
            if text is not None:
                checked_text(name, text)
        folded = not duplicates

        def found(view: View) -> Results:
            condition = None if where is None else expression(where, names_of(view.store.schema))
            asked = self._asked(view, query, like, vector)
            options = AnswerOptions(
                wanted, mode, condition, folded=folded, reasons=reasons, longest=text_length
            )
            return answer(view.ranker, asked, options, self._shared_topics() if reasons else None)

        return self._of_one_version(found)

    def keep_in_memory(self, size: int) -> None:
        """Keeps what answers have read, such as rows of documents, up to so many bytes. A server
        that is asked much answers sooner.

        Parameters
        ----------
        size : int
            Bytes, at most; 0, as it is unless told, for none.

        Examples
        --------
        >>> index.keep_in_memory(64 * 2**20)
        """
        self._versions.allowance.size = _check.whole_number("size", size, at_least=0)

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

    def documents(
        self, ids: Sequence[str], *, text_length: int | None = None
    ) -> list[Document | None]:
        """The documents with these ids.

        Parameters
        ----------
        ids : sequence of str
            Ids of documents.
        text_length : int or None
            How many characters of texts are read; None for all.

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
        if text_length is not None:
            text_length = _check.whole_number("text_length", text_length, at_least=0)
        wanted = list(dict.fromkeys(ids))
        found = self._of_one_version(lambda view: view.ranker.rows.with_ids(wanted, text_length))
        return [
            document_of(found[name].document, text_length) if name in found else None
            for name in ids
        ]

    def text_part(
        self, document_id: str, first: int = 0, letters: int = 100_000
    ) -> tuple[str, int] | None:
        """A part of a document's text. The rest stays in the database.

        Parameters
        ----------
        document_id : str
            Its id.
        first, letters : int
            Where the part begins, and how many characters it has at most.

        Returns
        -------
        tuple of str and int, or None
            The part, and how many characters the whole text has; None where no document has the
            id.

        Examples
        --------
        >>> index.text_part("3", 5, 6)
        ('apples', 21)
        """
        name = checked_text("document_id", document_id)
        first = _check.whole_number("first", first, at_least=0)
        letters = _check.whole_number("letters", letters, at_least=0)

        def part(view: View) -> tuple[str, int] | None:
            length = view.store.lengths_of_texts([name]).get(name)
            if length is None:
                return None
            number = min(letters, length - first)
            return view.store.part_of_text(name, first, number) if number > 0 else "", length

        return self._of_one_version(part)

    def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of documents, as they are compared.

        Parameters
        ----------
        ids : sequence of str
            Ids of documents.

        Returns
        -------
        array (ids, units)
            Of length 1; zeros for a document without one, and for an id that is not there.

        Examples
        --------
        >>> index.vectors(["0", "zebra"]).shape
        (2, 16)
        """
        return self._of_one_version(lambda view: view.store.vectors_with_ids(ids))

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
        return self.vectors(ids)[:, self._versions.current.store.widths[0] :]

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

    def check(self) -> CheckedFiles:
        """Reads every file of the index and compares it with what was written. Opening does so with
        names, sizes and small files alone.

        Returns
        -------
        CheckedFiles
            How many files, and their bytes.

        Raises
        ------
        IndexFileError
            Where a file is missing or is not as it was written.
        InvalidInput
            For an index at an address.

        Examples
        --------
        >>> index.check().unlisted
        0
        """
        if self._remote is not None:
            raise InvalidInput(
                f"{self.address} must be a folder on this machine to be checked, got an address: "
                f"check the index where it was made"
            )
        facts = layout.read_facts(self._folder)
        with named_trouble(self.address):
            load_model(self._folder / layout.MODEL)
            listed = file_list.read(self._folder, facts)
            self._versions.see_latest()
            manifest = self._versions.current.store.manifest
            return CheckedFiles(*file_list.check_whole(self._folder, listed, manifest))

    def _of_one_version(self, work: Callable[[View], Answer]) -> Answer:
        """An answer from one version, from beginning to end: the one that is read now or, where a
        writer elsewhere has removed its files meanwhile, the newest.
        """
        view = self._versions.current
        try:
            with named_trouble(self.address):
                return work(view)
        except IndexFileError:
            self._check_still_there()
            with named_trouble(self.address):
                self._versions.see_latest()
            if self._versions.current is view:
                raise
            with named_trouble(self.address):
                return work(self._versions.current)

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
        return asked_like(str(like), view.store, view.ranker.rows, full, self._encoder)

    def _shared_topics(self) -> SharedTopics | None:
        """What finds the topics that a question and a document share; made anew when topics have
        changed.
        """
        outline = self.outline
        if outline is None:
            return None
        if self._topics is None or self._topics.outline is not outline:
            self._topics = SharedTopics(outline, self._versions.allowance)
        return self._topics
