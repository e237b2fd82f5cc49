"""Making a segment: texts come in pieces, words are numbered as they come, and lists are put in
order at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.corpus.token_matches import starts_of
from undertow.fulltext.segment import Segment
from undertow.fulltext.sketches import Sketches, word_hashes
from undertow.fulltext.word_rule import WordRule

if TYPE_CHECKING:
    import polars as pl

# entries of lists that one segment holds: they are held in memory until it is full
MOST = 32_000_000
MOST_COUNT = 255


@dataclass(frozen=True)
class WordCounts:
    """Which words some documents hold: entry i says that document `documents[i]` holds word
    `words[i]` so often.
    """

    words: NDArray[np.int32]
    documents: NDArray[np.uint32]
    counts: NDArray[np.uint8]


@dataclass
class SegmentMaker:
    """Gathers documents, whose rows have to come in order."""

    rule: WordRule
    sketches: Sketches | None = None  # told of all documents, to count near-copies
    _numbers: dict[str, int] = field(default_factory=dict)
    _pieces: list[WordCounts] = field(default_factory=list)
    _rows: list[NDArray[np.uint64]] = field(default_factory=list)
    _lengths: list[NDArray[np.uint32]] = field(default_factory=list)
    documents: int = 0
    entries: int = 0

    @property
    def full(self) -> bool:
        """Whether the next texts should go to a new segment."""
        return self.entries >= MOST

    def add(self, rows: NDArray[np.uint64], texts: pl.Series) -> None:
        """Takes in texts with the numbers of their rows."""
        words, starts, codes = self.rule.of_texts(texts)
        numbers = np.array(
            [self._numbers.setdefault(word, len(self._numbers)) for word in words], dtype=np.int32
        )
        documents = np.repeat(np.arange(len(starts) - 1, dtype=np.int64), np.diff(starts))
        documents, codes = documents[codes >= 0], codes[codes >= 0]
        lengths = np.bincount(documents, minlength=len(starts) - 1)
        self._lengths.append(lengths.astype(np.uint32))
        if self.sketches is not None:
            self.sketches.add(word_hashes(words)[codes], starts_of(lengths))
        # Of equal (word, document) one entry remains, with how many there were.
        keys, counts = np.unique(
            numbers[codes].astype(np.int64) << 32 | documents, return_counts=True
        )
        piece = WordCounts(
            (keys >> 32).astype(np.int32),
            ((keys & 0xFFFFFFFF) + self.documents).astype(np.uint32),
            np.minimum(counts, MOST_COUNT).astype(np.uint8),
        )
        self._pieces.append(piece)
        self._rows.append(rows)
        self.documents += len(rows)
        self.entries += len(keys)

    def segment(self) -> Segment:
        """All of it, as a segment."""
        order, letters, ends = _in_order(list(self._numbers))
        place = np.empty(len(order), dtype=np.int64)  # of a word, by its number here
        place[order] = np.arange(len(order))
        starts = np.zeros(len(order) + 1, dtype=np.int64)
        for piece in self._pieces:
            starts[1:] += np.bincount(place[piece.words], minlength=len(order))
        np.cumsum(starts, out=starts)
        documents, counts = (
            np.empty(starts[-1], dtype=np.uint32),
            np.empty(starts[-1], dtype=np.uint8),
        )
        following = starts[:-1].copy()  # where the next entry of each word goes
        for piece in self._pieces:
            where = _places(place[piece.words], following)
            documents[where], counts[where] = piece.documents, piece.counts
        known = _joined(self._rows, np.uint64), _joined(self._lengths, np.uint32)
        return Segment(*known, letters, ends, starts, documents, counts)


def _places(words: NDArray[np.int64], following: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where entries go, whose equal words stand together; moves `following` on."""
    if not len(words):
        return words
    begins = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
    lengths = np.diff(np.r_[begins, len(words)])
    within = np.arange(len(words)) - np.repeat(begins, lengths)
    where: NDArray[np.int64] = following[words] + within
    following[words[begins]] += lengths
    return where


def _in_order(words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """The numbers of the words in the order of their bytes; the bytes, and where each word ends,
    after a 0.
    """
    encoded = [word.encode() for word in words]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    ends = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum([len(encoded[number]) for number in order], out=ends[1:])
    letters = np.frombuffer(b"".join(encoded[number] for number in order), dtype=np.uint8)
    return np.array(order, dtype=np.int64), letters, ends


def _joined(parts: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
