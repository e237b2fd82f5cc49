"""Vectors of documents that users bring along: checked once, then read some rows at a time.

They may lie in a file that is mapped into memory, so nothing here holds all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput

ROWS = 4096  # looked at at a time


class GivenVectors:
    """A row of finite numbers for each document; `rows` are those of the array that belong to
    documents, in order.
    """

    def __init__(
        self, vectors: Any, *, rows: NDArray[np.int64] | None = None, name: str = "vectors"
    ) -> None:
        self._array, self._rows, self._name = _matrix(name, vectors), rows, name
        if rows is None:
            self._check_finite()

    @property
    def documents(self) -> int:
        """How many there are."""
        return len(self._array) if self._rows is None else len(self._rows)

    @property
    def width(self) -> int:
        """How many numbers each has."""
        return int(self._array.shape[1])

    def take(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """The vectors of these documents."""
        return np.asarray(self._array[rows if self._rows is None else self._rows[rows]])

    def part(self, first: int, last: int) -> NDArray[Any]:
        """The vectors of documents from `first` to before `last`."""
        if last > self.documents:
            self.check_documents(last, more=True)
        return np.asarray(
            self._array[first:last] if self._rows is None else self._array[self._rows[first:last]]
        )

    def of_rows(self, rows: NDArray[np.int64], total: int) -> GivenVectors:
        """Those of documents that stand in these rows of a corpus of `total`; the others are left
        out.
        """
        self.check_documents(total)
        inside = rows if self._rows is None else self._rows[rows]
        return GivenVectors(self._array, rows=inside, name=self._name)

    def check_documents(self, documents: int, *, more: bool = False) -> None:
        """As many rows as there are documents (or `more`)."""
        if self.documents != documents:
            least = "at least " if more else ""
            raise InvalidInput(
                f"{self._name} must have a row for each document, {least}{documents:,}, got "
                f"{self.documents:,} rows"
            )

    def check_width(self, width: int, *, of: str) -> None:
        """As many numbers as those that came before."""
        if self.width != width:
            raise InvalidInput(
                f"{self._name} must have {width:,} numbers a row, as {of} has, got {self.width:,}"
            )

    def digest(self) -> str:
        """Names them by their values."""
        found = hashlib.sha256(repr((self.documents, self.width, self._array.dtype.str)).encode())
        for _, block in self._blocks():
            found.update(np.ascontiguousarray(block).tobytes())
        return found.hexdigest()

    def _blocks(self) -> Iterator[tuple[int, NDArray[Any]]]:
        for first in range(0, self.documents, ROWS):
            yield first, self.part(first, min(first + ROWS, self.documents))

    def _check_finite(self) -> None:
        for first, block in self._blocks():
            odd = np.argwhere(~np.isfinite(block))
            if len(odd):
                row, column = odd[0].tolist()
                raise InvalidInput(
                    f"{self._name} must be finite, got {block[row, column]} in row {first + row:,}"
                )


def given_vectors(vectors: Any, *, name: str = "vectors") -> GivenVectors:
    """Checked: an array, lists, or a table of numbers, documents x dimensions."""
    return vectors if isinstance(vectors, GivenVectors) else GivenVectors(vectors, name=name)


def part_of(vectors: GivenVectors | None, first: int, last: int) -> NDArray[Any] | None:
    """Those of documents from `first` to before `last`, where there are any."""
    return None if vectors is None else vectors.part(first, last)


def given_vector(name: str, vector: Any, width: int) -> NDArray[np.float64]:
    """(1, width) The vector of one text, as such or as the only row of a matrix."""
    array = np.asarray(_plain(vector))
    if array.dtype.kind not in "fiu":
        raise InvalidInput(f"{name} must be numbers, got values of type {array.dtype}")
    return _check.vector(
        name, array[0] if array.ndim == 2 and len(array) == 1 else array, size=width
    )[None]


def stored_width(training: Mapping[str, Any]) -> int:
    """How many numbers the vectors had that a stored model was fitted with; 0 of an earlier
    version.
    """
    return _check.whole_number("vectors_width", training.get("vectors_width", 0), at_least=0)


def _matrix(name: str, vectors: Any) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.asanyarray(_plain(vectors))  # a memory map stays one
    except (ValueError, TypeError):
        raise InvalidInput(
            f"{name} must be a matrix of numbers, got rows of different lengths"
        ) from None
    if array.ndim != 2:
        raise InvalidInput(
            f"{name} must have two dimensions, documents x numbers, got shape {array.shape}"
        )
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise InvalidInput(
            f"{name} must be numbers of at most 64 bits, got values of type {array.dtype}"
        )
    if not array.shape[1]:
        raise InvalidInput(f"{name} must have a number a row at least, got shape {array.shape}")
    return array


def _plain(vectors: Any) -> Any:
    """Tables of pandas and polars as arrays."""
    return vectors.to_numpy() if hasattr(vectors, "to_numpy") else vectors
