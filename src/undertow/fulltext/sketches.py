"""How many documents of a collection are near-copies of earlier ones, found out while it is read.

Of each document 64 bytes are kept, a sketch (`kernels/cpu/sketches`): the share of the numbers that
two sketches have in common estimates the share of text that the documents have in common. To find
such pairs without comparing all, documents that agree in one of eight bands of a sketch meet in a
bucket (locality-sensitive hashing), and each is compared with the first there and the one before
it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cores import thread_count
from undertow.kernels.cpu import pool
from undertow.kernels.cpu.sketches import BINS, sketch
from undertow.kernels.cpu.splitting import split

SAME = 26  # of 32 numbers: a Jaccard overlap of 0.8
AT_ONCE = 65_536  # pairs that are compared at a time
LEAST = 1024  # documents of a thread's task
BY_BAND = np.uint64(0x9E3779B97F4A7C15)

Keys = NDArray[np.uint64]


def word_hashes(words: Sequence[str]) -> NDArray[np.uint32]:
    """A number for each word, which is the same in every run."""
    return np.fromiter(
        (zlib.crc32(word.encode(errors="replace")) for word in words), np.uint32, len(words)
    )


@dataclass
class Sketches:
    """Gathers the sketches of documents; their words are forgotten."""

    _parts: list[NDArray[np.uint16]] = field(default_factory=list)

    def add(self, word_hashes: NDArray[np.uint32], starts: NDArray[np.int64]) -> None:
        """Takes in documents: the words of number d are
        `word_hashes[starts[d] : starts[d + 1]]`.
        """
        documents, threads = len(starts) - 1, thread_count(None)
        part = np.empty((documents, BINS), dtype=np.uint16)
        pool.run(split(sketch, documents, threads, word_hashes, starts, part, least=LEAST), threads)
        self._parts.append(part)

    def near_duplicates(self) -> int:
        """How many documents share four fifths of their text or more with an earlier one, by
        estimate.

        Those without words are not counted.
        """
        if not self._parts:
            return 0
        sketches = np.concatenate(self._parts)
        sketches = sketches[sketches.any(axis=1)]
        copies = np.zeros(len(sketches), dtype=bool)
        for keys in _bands(sketches.view(np.uint64)):
            for documents, earlier in _meetings(keys):
                _compare(sketches, documents, earlier, copies)
        return int(copies.sum())


def _bands(sketches: Keys) -> Iterator[Keys]:
    """Keys of the buckets in which documents meet: first those of equal sketches, then those of
    equal bands.
    """
    whole = np.zeros(len(sketches), dtype=np.uint64)
    for band in sketches.T:
        whole = (whole ^ (whole >> np.uint64(32)) ^ band) * BY_BAND
    yield whole
    yield from sketches.T


def _meetings(keys: Keys) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Documents that are not the first of their buckets, and for each that one, then the one before
    it.
    """
    order = np.argsort(keys, kind="stable")
    placed = keys[order]
    new = np.r_[True, placed[1:] != placed[:-1]] if len(placed) else np.zeros(0, dtype=bool)
    spots = np.flatnonzero(~new)
    firsts = np.flatnonzero(new)[np.cumsum(new)[spots] - 1]
    yield order[spots], order[firsts]
    yield order[spots], order[spots - 1]


def _compare(
    sketches: NDArray[np.uint16],
    documents: NDArray[np.int64],
    earlier: NDArray[np.int64],
    copies: NDArray[np.bool_],
) -> None:
    """Marks the documents that have as much in common with an earlier one as copies have."""
    unknown = ~copies[documents]
    documents, earlier = documents[unknown], earlier[unknown]
    for first in range(0, len(documents), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        common = (sketches[documents[part]] == sketches[earlier[part]]).sum(axis=1)
        copies[documents[part][common >= SAME]] = True
