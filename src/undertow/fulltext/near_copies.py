"""Which of a few texts are nearly the same: they share most of their runs of four words.

This happens while somebody waits for an answer, so texts never become Python's words: a word is a
number made of its letters, a run of words (a shingle) a number made of theirs, and one sort brings
equal ones together. Two different shingles get the same number so rarely (2^-48 or so) that it does
not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 20_000  # characters of a text that are looked at
TOGETHER = 4  # words of a shingle
SAME = (4, 5)  # texts are nearly the same that share 4/5 of all their shingles
BLOCK = 4096  # shingles that are counted at a time: memory stays small whatever is shared
SPACE = " "

# Two odd numbers without a pattern; products are taken modulo 2^64.
BY_LETTER, BY_WORD = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93

# Characters that no word holds. Beyond these, all count as letters, which is right but for rare
# marks.
BETWEEN_WORDS = (
    *(
        (0x00, 0x30),
        (0x3A, 0x41),
        (0x5B, 0x61),
        (0x7B, 0xAA),
        (0xAB, 0xB5),
        (0xB6, 0xBA),
        (0xBB, 0xC0),
    ),  # Latin
    *((0x2000, 0x2070), (0x2190, 0x2460), (0x2500, 0x2C00)),  # quotes, dashes, arrows, boxes
    *(
        (0x3000, 0x3005),
        (0x3008, 0x3021),
        (0xFF00, 0xFF10),
        (0xFF1A, 0xFF21),
        (0xFF3B, 0xFF41),
        (0xFF5B, 0xFF66),
    ),
)
LAST = 0xFFFF

Numbers = NDArray[np.uint64]


def fold(texts: Sequence[str]) -> list[int]:
    """For each text the place of the first one before it that is nearly the same, or its own place.

    A text that was folded into another stands for nobody: each is compared with those that stand
    for themselves.
    """
    return fold_shingles([shingles(text) for text in texts])


def fold_shingles(texts: Sequence[Numbers]) -> list[int]:
    """The same, of texts by their `shingles`."""
    if len(texts) < 2:
        return list(range(len(texts)))
    same = _same(texts)
    leaders: list[int] = []
    folded = []
    for place in range(len(texts)):
        found = next((leader for leader in leaders if same[place, leader]), place)
        if found == place:
            leaders.append(place)
        folded.append(found)
    return folded


def _same(texts: Sequence[Numbers]) -> NDArray[np.bool_]:
    """Whether each two of the texts are nearly the same."""
    bits = len(texts).bit_length()  # of a key, that say which text: the others say which shingle
    parts = [
        text >> np.uint64(bits) << np.uint64(bits) | np.uint64(i) for i, text in enumerate(texts)
    ]
    keys = np.sort(np.concatenate(parts))
    keys = keys[np.r_[True, keys[1:] != keys[:-1]]]  # a text's shingles are a set
    owners = (keys & np.uint64((1 << bits) - 1)).astype(np.int64)
    sizes = np.bincount(owners, minlength=len(texts))
    shared = _overlaps(keys >> np.uint64(bits), owners, len(texts))
    either = sizes[:, None] + sizes[None, :] - shared
    same: NDArray[np.bool_] = shared * SAME[1] >= either * SAME[0]
    return same


def _overlaps(shingles: Numbers, owners: NDArray[np.int64], texts: int) -> NDArray[np.int64]:
    """How many shingles each two texts share; equal shingles stand together."""
    new = np.r_[True, shingles[1:] != shingles[:-1]]
    alone = new & np.r_[new[1:], True]  # most are in one text only, and count for nothing
    numbers, owners = np.cumsum(new[~alone]) - 1, owners[~alone]
    shared = np.zeros((texts, texts), dtype=np.int64)
    for first in range(0, int(numbers[-1]) + 1 if len(numbers) else 0, BLOCK):
        begin, end = np.searchsorted(numbers, (first, first + BLOCK))
        holds = np.zeros((texts, BLOCK), dtype=np.float32)
        holds[owners[begin:end], numbers[begin:end] - first] = 1.0
        shared += (holds @ holds.T).astype(np.int64)
    return shared


def shingles(text: str) -> Numbers:
    """A number for each run of four words; of fewer words, one number for all, and of none, one for
    the text.
    """
    seen = text[:MOST].lower()[:MOST]  # small letters can be more than the large ones were
    words = _words(seen)
    if not len(words):
        words = np.array([hash(seen)], dtype=np.int64).view(np.uint64)
    together = min(TOGETHER, len(words))
    runs = len(words) - together + 1
    found = np.zeros(runs, dtype=np.uint64)
    for place in range(together):
        found = found * np.uint64(BY_WORD) + words[place : place + runs]
    return _stirred(found)


def _words(text: str) -> Numbers:
    """A number for each word of a text, the same for the same letters wherever they stand."""
    letters = np.frombuffer((SPACE + text).encode("utf-32-le", "replace"), dtype=np.uint32)
    inside = _table()[np.minimum(letters, LAST)]
    begins = np.flatnonzero(inside[1:] & ~inside[:-1]) + 1
    if not len(begins):
        return np.zeros(0, dtype=np.uint64)
    powers, inverses = _powers()
    # A polynomial of the letters, in which the whole text runs through the powers: each word is
    # then shifted back.
    sums = np.add.reduceat(letters * inside * powers[: len(letters)], begins)
    return _stirred(sums * inverses[begins])


def _stirred(numbers: Numbers) -> Numbers:
    """Spreads every bit over the upper ones: those of products only reach upwards."""
    numbers = numbers ^ (numbers >> np.uint64(32))
    numbers = numbers * np.uint64(BY_LETTER)
    return numbers ^ (numbers >> np.uint64(29))


@lru_cache(maxsize=1)
def _table() -> NDArray[np.bool_]:
    """Whether a character belongs to a word."""
    inside = np.ones(LAST + 1, dtype=bool)
    for begin, end in BETWEEN_WORDS:
        inside[begin:end] = False
    return inside


@lru_cache(maxsize=1)
def _powers() -> tuple[Numbers, Numbers]:
    """The powers of a number and of its inverse, modulo 2^64."""

    def powers(base: int) -> Any:
        factors = np.full(MOST + len(SPACE), base, dtype=np.uint64)
        factors[0] = 1
        return np.cumprod(factors)

    return powers(BY_LETTER), powers(pow(BY_LETTER, -1, 2**64))
