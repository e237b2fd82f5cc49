"""Counts on disk: documents are appended in their order, and read back in blocks.

A spool is a folder of plain arrays:

    words.bin     int32, the words of all documents, one document after the other
    counts.bin    uint8 (int32 once a count is above 255), as long
    lengths.bin   int32, how many words each document has
    blocks.npy    int64 (2, blocks + 1): the first document and entry of each block, and the ends
    totals.npy    int64 (2, K): documents that hold each word, and how often it occurs
    spool.json    sizes and types; written last, so that a spool without it is not finished

A block is a run of documents that are read together, cut while writing so that none is large: what
a reader holds in memory can be told from the number of blocks, however long the documents are.
Reading is by plain reads, not by mapping, so that memory is what is asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts.weighting import WordTotals
from undertow.files.atomic import new_file

BLOCK_DOCUMENTS = 1024
BLOCK_ENTRIES = 2**17  # a block ends with the document that reaches as many
WIDTHS = ("uint8", "int32")  # of counts: the narrow one does for damped counts, always
PIECE = 2**20  # counts that are widened at a time
FORMAT = 1


@dataclass(frozen=True)
class StoredDocuments:
    """Documents as they lie in a spool, one after the other."""

    ids: NDArray[np.int64]  # their places in the spool
    starts: NDArray[np.int64]  # one more: document d has the entries from starts[d] to starts[d+1]
    words: NDArray[np.int32]
    counts: NDArray[Any]  # uint8 or int32


class SpoolWriter:
    """Appends chunks of counts to a new spool; `close` finishes it.

    Parameters
    ----------
    folder : path
        A folder that is not there yet.
    words : int
        How many words the vocabulary has.
    block_documents, block_entries : int
        A block ends with the document with which it has so many documents, or so many entries.

    Raises
    ------
    FileExistsError
        Where the folder is there already.

    Examples
    --------
    >>> from undertow.spool import SpoolWriter
    >>> writer = SpoolWriter("another", words=4)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        words: int,
        *,
        block_documents: int = BLOCK_DOCUMENTS,
        block_entries: int = BLOCK_ENTRIES,
    ) -> None:
        self._folder, self._words = Path(folder), _check.whole_number("words", words, at_least=1)
        self._most = (
            _check.whole_number("block_documents", block_documents, at_least=1),
            _check.whole_number("block_entries", block_entries, at_least=1),
        )
        self._folder.mkdir(parents=True)
        self._width = WIDTHS[0]
        self._totals = WordTotals(
            0, np.zeros(words, dtype=np.int64), np.zeros(words, dtype=np.int64)
        )
        self._entries = self._longest = 0
        self._blocks = [(0, 0)]

    def add(self, counts: sparse.csr_array) -> None:
        """Appends the rows of a matrix.

        Parameters
        ----------
        counts : sparse array, (documents, words)
            Whole counts, as `checked_counts` and `log_counts` give them.

        Raises
        ------
        InvalidInput
            Where it has another number of words.

        Examples
        --------
        >>> writer.add(checked_counts([[1, 0, 0, 300]]))
        """
        if counts.shape[1] != self._words:
            raise InvalidInput(f"counts must have {self._words} words, got {counts.shape[1]}")
        if self._width != WIDTHS[-1] and counts.data.max(initial=0) > np.iinfo(self._width).max:
            self._widen()
        starts = counts.indptr.astype(np.int64)
        self._append("words", counts.indices.astype(np.int32, copy=False))
        self._append("counts", counts.data.astype(self._width))
        self._append("lengths", np.diff(starts).astype(np.int32))
        self._cut(starts)
        self._longest = max(self._longest, int(counts.sum(axis=1, dtype=np.int64).max(initial=0)))
        self._totals += WordTotals.of(counts)
        self._entries += counts.nnz

    def close(self) -> CountSpool:
        """Writes the tables, the header last, and opens the spool for reading.

        Returns
        -------
        CountSpool
            What was written.

        Examples
        --------
        >>> SpoolWriter("empty", words=4).close().documents
        0
        """
        if self._blocks[-1][0] < self._totals.documents:
            self._blocks.append((self._totals.documents, self._entries))
        np.save(self._folder / "blocks.npy", np.array(self._blocks, dtype=np.int64).T)
        np.save(
            self._folder / "totals.npy",
            np.stack([self._totals.document_frequencies, self._totals.tokens]),
        )
        header = {
            "format": FORMAT,
            "documents": self._totals.documents,
            "longest": self._longest,
            "width": self._width,
        }
        with new_file(self._folder / "spool.json", durable=False) as unfinished:
            unfinished.write_text(json.dumps(header))
        return CountSpool(self._folder)

    def _append(self, name: str, values: NDArray[Any]) -> None:
        with (self._folder / f"{name}.bin").open("ab") as file:
            file.write(np.ascontiguousarray(values).data)

    def _cut(self, starts: NDArray[np.int64]) -> None:
        """Ends blocks at those documents of a chunk that fill them."""
        first, entries = self._totals.documents, self._entries
        while True:
            rows, reached = self._blocks[-1]
            # documents until entries suffice
            full = int(np.searchsorted(starts, reached + self._most[1] - entries))
            end = min(rows + self._most[0], first + full)
            if end > first + len(starts) - 1:
                return
            self._blocks.append((end, entries + int(starts[end - first])))

    def _widen(self) -> None:
        """Writes the counts so far again as int32, a piece at a time; this happens at most once."""
        narrow, self._width = self._folder / "counts.bin", WIDTHS[-1]
        if not narrow.exists():
            return
        with (
            new_file(narrow, durable=False) as wide,
            narrow.open("rb") as old,
            wide.open("wb") as new,
        ):
            while len(piece := np.frombuffer(old.read(PIECE), dtype=WIDTHS[0])):
                new.write(piece.astype(self._width).data)


class CountSpool:
    """A finished spool.

    It keeps no file open, and in memory no more than 16 bytes a block and a word.

    Parameters
    ----------
    folder : path
        The folder that a `SpoolWriter` closed.

    Raises
    ------
    InvalidInput
        Where there is no finished spool, or one of another format.

    Examples
    --------
    >>> import numpy as np
    >>> from undertow.spool import CountSpool
    >>> spool = CountSpool("spool")
    >>> spool.documents, spool.vocabulary_size, spool.longest, spool.blocks
    (3, 4, 9, 1)
    >>> spool.totals.tokens.tolist()
    [2, 8, 2, 0]
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        if not (self._folder / "spool.json").is_file():
            raise InvalidInput(
                f"folder must hold a finished spool of counts, got {self._folder}, which does not"
            )
        header = json.loads((self._folder / "spool.json").read_text())
        if header.get("format") != FORMAT:
            raise InvalidInput(
                f"{self._folder} must be a spool of format {FORMAT}, got {header.get('format')!r}"
            )
        self._width = _check.one_of("width", header["width"], WIDTHS)
        self.longest: int = header["longest"]
        self._rows, self._entries = np.load(self._folder / "blocks.npy", allow_pickle=False)
        frequencies, tokens = np.load(self._folder / "totals.npy", allow_pickle=False)
        self.totals = WordTotals(header["documents"], frequencies, tokens)

    @property
    def documents(self) -> int:
        """How many there are, empty ones counted."""
        return self.totals.documents

    @property
    def vocabulary_size(self) -> int:
        """Number of words K."""
        return len(self.totals.tokens)

    @property
    def blocks(self) -> int:
        """How many blocks the documents are cut into."""
        return len(self._rows) - 1

    @property
    def entries(self) -> int:
        """Words of documents, each once a document."""
        return int(self._entries[-1])

    @property
    def bytes_on_disk(self) -> int:
        """What the files take."""
        return sum(file.stat().st_size for file in self._folder.iterdir())

    def digest(self) -> str:
        """The same for the same counts in the same order: SHA-256 of what the files hold.

        Returns
        -------
        str
            In hexadecimal.

        Examples
        --------
        >>> len(spool.digest())
        64
        """
        hashed = hashlib.sha256(self._width.encode())
        for name in ("words", "counts", "lengths"):
            file = self._folder / f"{name}.bin"
            if file.exists():  # without a document there is none
                with file.open("rb") as handle:
                    hashed.update(hashlib.file_digest(handle, "sha256").digest())
        return hashed.hexdigest()

    def read(self, blocks: NDArray[np.int64]) -> StoredDocuments:
        """The documents of some blocks.

        Parameters
        ----------
        blocks : array of int64
            The numbers of blocks, from 0 on.

        Returns
        -------
        StoredDocuments
            Their `ids`, `starts`, `words` and `counts`, the blocks in the order given.

        Raises
        ------
        OSError
            Where files are shorter than they should be.

        Examples
        --------
        >>> spool.read(np.array([0])).words.tolist()
        [0, 2, 1, 2]
        """
        spans = (self._entries[blocks], self._entries[blocks + 1])
        starts = np.zeros(
            1 + int((self._rows[blocks + 1] - self._rows[blocks]).sum()), dtype=np.int64
        )
        np.cumsum(self.lengths(blocks), out=starts[1:])
        words, counts = (
            self._read("words", np.int32, *spans),
            self._read("counts", self._width, *spans),
        )
        return StoredDocuments(self.ids(blocks), starts, words, counts)

    def ids(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the documents of some blocks.

        Parameters
        ----------
        blocks : array of int64
            The numbers of blocks, from 0 on.

        Returns
        -------
        array of int64
            Their places in the spool, from 0 on.

        Examples
        --------
        >>> spool.ids(np.array([0])).tolist()
        [0, 1, 2]
        """
        empty = np.zeros(0, dtype=np.int64)
        return np.concatenate(
            [empty, *(np.arange(self._rows[block], self._rows[block + 1]) for block in blocks)]
        )

    def lengths(self, blocks: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many different words the documents of some blocks have.

        Parameters
        ----------
        blocks : array of int64
            The numbers of blocks, from 0 on.

        Returns
        -------
        array of int32
            A number for each document.

        Examples
        --------
        >>> spool.lengths(np.array([0])).tolist()
        [2, 2, 0]
        """
        return self._read("lengths", np.int32, self._rows[blocks], self._rows[blocks + 1])

    def block_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The block that each document is in.

        Parameters
        ----------
        rows : array of int64
            Numbers of documents.

        Returns
        -------
        array of int64
            The number of a block for each.

        Examples
        --------
        >>> spool.block_of(np.array([0, 2])).tolist()
        [0, 0]
        """
        return np.searchsorted(self._rows, rows, side="right").astype(np.int64) - 1

    def _read(
        self, name: str, dtype: Any, begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[Any]:
        out = np.empty(int((ends - begins).sum()), dtype=dtype)
        file, place = self._folder / f"{name}.bin", 0
        with file.open("rb", buffering=0) as handle:
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                wanted = out[place : place + end - begin]
                handle.seek(begin * out.itemsize)
                if handle.readinto(wanted.data) != wanted.nbytes:
                    raise OSError(f"{file} must hold {end:,} numbers or more, but it ends before")
                place += end - begin
        return out
