"""A segment: for each word of some documents, the list of those that hold it, in one file that is
never changed.

The file is a safetensors file, mapped into memory: opening one takes no time, and what no question
asks for is never read. Its words lie in the order of their UTF-8 bytes, one behind the other, to be
found by halving.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from undertow._errors import IndexFileError
from undertow.storage.mapped import map_arrays, write_arrays

FORMAT = "1"
SUFFIX = ".words"
FORMS = {
    "rows": ("U64", 1),
    "lengths": ("U32", 1),
    "letters": ("U8", 1),
    "word_ends": ("I64", 1),
    "starts": ("I64", 1),
    "documents": ("U32", 1),
    "counts": ("U8", 1),
}


@dataclass(frozen=True)
class Segment:
    """Documents 0, 1, ... of a segment have the numbers `rows`, rising. The list of word w is
    `documents[starts[w] : starts[w + 1]]`, rising, with how often each holds it in `counts` (255 at
    most).
    """

    rows: NDArray[np.uint64]
    lengths: NDArray[np.uint32]  # words of each document
    letters: NDArray[np.uint8]  # all words, one behind the other, in UTF-8
    word_ends: NDArray[np.int64]  # where each ends, after a 0
    starts: NDArray[np.int64]
    documents: NDArray[np.uint32]
    counts: NDArray[np.uint8]

    @property
    def words(self) -> int:
        """How many different words there are."""
        return len(self.word_ends) - 1

    def word(self, number: int) -> str:
        """The word with this number."""
        return self._bytes(number).decode(errors="replace")

    def find(self, word: str) -> int | None:
        """The number of a word, or None."""
        wanted, low, high = word.encode(errors="replace"), 0, self.words
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < self.words and self._bytes(low) == wanted else None

    def span(self, number: int) -> tuple[int, int]:
        """Where a word's list begins and ends; nothing where a damaged file says nonsense."""
        begin, end = int(self.starts[number]), int(self.starts[number + 1])
        return (begin, end) if 0 <= begin <= end <= len(self.documents) else (0, 0)

    def _bytes(self, number: int) -> bytes:
        return self.letters[self.word_ends[number] : self.word_ends[number + 1]].tobytes()

    def save(self, folder: Path, rule: str) -> Path:
        """Writes it under a name of its own, whole or not at all; what read its texts is kept with
        it.
        """
        file = folder / f"{secrets.token_hex(8)}{SUFFIX}"
        arrays = {part.name: getattr(self, part.name) for part in fields(self)}
        write_arrays(file, arrays, {"format": FORMAT, "rule": rule})
        return file


def read(file: Path, rule: str) -> Segment | None:
    """The segment in a file, or None where its texts were read by another rule, or in another
    format.
    """
    arrays, notes = map_arrays(file, FORMS)
    if notes != {"format": FORMAT, "rule": rule}:
        return None
    segment = Segment(**arrays)
    sizes = (
        len(segment.rows) == len(segment.lengths),
        len(segment.documents) == len(segment.counts),
        len(segment.starts) == len(segment.word_ends) >= 1,
    )
    if not all(sizes) or not bool((segment.rows[1:] > segment.rows[:-1]).all()):
        raise IndexFileError(
            f"{file} must be a segment of full text, got arrays that do not fit each other"
        )
    return segment  # single numbers are looked at when they are used
