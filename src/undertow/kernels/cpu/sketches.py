"""Sketches of documents: 32 small numbers each, of which two documents share about as many as they
share of their text.

The text of a document is the set of its shingles, runs of four words. Every shingle gets a random
number, and falls into one of 32 bins; the lowest number of each bin is kept (one-permutation
minhash: Li, Owen, Zhang, 2012). The lowest number of a bin in either of two documents is that of
both with the probability that a shingle of either is one of both, their Jaccard overlap. A bin that
no shingle fell into takes the number of another (Shrivastava, 2017), and all 32 numbers are made
anew from number and bin: so a sketch of few shingles tells as much as one of many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.randomness import philox

BINS = 32
TOGETHER = 4  # words of a shingle

_NONE = np.uint64(2**64 - 1)
_BIN_SHIFT = np.uint64(59)  # the upper 5 bits of a number are its bin
_BY_WORD = np.uint64(0xD6E8FEB86659FD93)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)

# The order in which an empty bin (a row) asks the others for a number: random, and the same for all
# documents.
ASKED = np.argsort(philox(0, 0, 0, 0, np.arange(BINS)[:, None], np.arange(BINS))[..., 0], axis=1)


@piece
def _mixed(number: Any) -> Any:
    """Every bit of a number of 64 spread over all (the last step of SplitMix64)."""
    number = (number ^ (number >> _SHIFT_1)) * _MIX_1
    number = (number ^ (number >> _SHIFT_2)) * _MIX_2
    return number ^ (number >> _SHIFT_3)


@kernel
def sketch(first: int, last: int, words: Any, starts: Any, sketches: Any) -> None:
    """Fills the rows `first` to before `last` of `sketches`, uint16; document d has words[starts[d]
    : starts[d + 1]].

    All words of a document of fewer than four are one shingle; a document without words gets zeros.
    """
    lowest = np.empty(BINS, dtype=np.uint64)
    for document in range(first, last):
        begin, end = starts[document], starts[document + 1]
        if begin == end:
            sketches[document, :] = np.uint16(0)
            continue
        together = min(TOGETHER, end - begin)
        lowest[:] = _NONE
        for place in range(begin, end - together + 1):
            number = np.uint64(together)
            for word in range(place, place + together):
                number = number * _BY_WORD + np.uint64(words[word])
            number = _mixed(number)
            fallen = np.int64(number >> _BIN_SHIFT)
            lowest[fallen] = min(lowest[fallen], number)
        for spot in range(BINS):
            source, asked = spot, 0
            while lowest[source] == _NONE:
                source = ASKED[spot, asked]
                asked += 1
            sketches[document, spot] = np.uint16(
                _mixed(lowest[source] + np.uint64(spot)) & np.uint64(0xFFFF)
            )
