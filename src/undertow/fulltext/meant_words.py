"""The word that a mistyped word was probably meant to be: one of the index that few edits lead to.

An edit puts in, leaves out or replaces a letter, or swaps two neighbours. Distances are those of
optimal string alignment: no letter is edited twice. Most words of an index are ruled out by their
lengths and outer letters, as they lie in their file; the others are compared all at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.fulltext.full_text import FullText
from undertow.fulltext.segment import Segment

# letters: of shorter words everything is near, longer ones may have two edits
SHORTEST, LONG = 5, 8
FEW = 1000  # documents: in more of them, a word that one document holds may be a mistake itself
WIDEST = 4  # bytes of a character

Words = NDArray[np.int64]


def similar(full: FullText, word: str) -> str | None:
    """The nearest other word with the first or the last letter of `word`, as `full.rule` gives
    words, or None.

    The fewest edits win, then the most documents that hold it, then the alphabet.
    """
    if len(word) < SHORTEST or any(letter.isnumeric() for letter in word):
        return None
    edits = 2 if len(word) >= LONG else 1
    found: dict[str, tuple[int, int]] = {}  # edits, and documents that hold it
    for segment in full.segments:
        for number, distance in _near(segment, word, edits):
            begin, end = segment.span(number)
            other = segment.word(number)
            found[other] = distance, end - begin + found.get(other, (0, 0))[1]
    enough = 2 if full.documents >= FEW else 1
    order = [
        (distance, -held, other)
        for other, (distance, held) in found.items()
        if distance and held >= enough
    ]
    return min(order)[2] if order else None


def _near(segment: Segment, word: str, edits: int) -> list[tuple[int, int]]:
    """Numbers of a segment's words so near, and how near."""
    numbers = _of_such_bytes(segment, word.encode(errors="replace"), edits)
    try:
        numbers, letters, lengths = _letters(segment, numbers, len(word), edits)
    except UnicodeDecodeError:
        return []  # a damaged file
    wanted = _code_points(word)
    last = np.take_along_axis(letters, lengths[None] - 1, axis=0)[0]
    outer = (letters[0] == wanted[0]) | (last == wanted[-1])
    numbers, lengths = numbers[outer], lengths[outer]
    distances = _distances(wanted, letters[:, outer], lengths, edits)
    near = distances <= edits
    return list(zip(numbers[near].tolist(), distances[near].tolist(), strict=True))


def _of_such_bytes(segment: Segment, word: bytes, edits: int) -> Words:
    """Numbers of the words that, by their number of bytes and the outer ones, can be near."""
    sizes = np.diff(segment.word_ends)
    widest = WIDEST if max(word) > 127 else 1  # what an edit can take away
    fitting = np.flatnonzero(
        (sizes >= max(len(word) - edits * widest, 1)) & (sizes <= len(word) + edits * WIDEST)
    )
    begins, ends = segment.word_ends[fitting], segment.word_ends[fitting + 1]
    # all, but for damaged files
    sound = (begins >= 0) & (begins < ends) & (ends <= len(segment.letters))
    if not sound.all():
        fitting, begins, ends = fitting[sound], begins[sound], ends[sound]
    outer = (segment.letters[begins] == word[0]) | (segment.letters[ends - 1] == word[-1])
    found: Words = fitting[outer]
    return found


def _letters(
    segment: Segment, numbers: Words, letters: int, edits: int
) -> tuple[Words, NDArray[np.uint32], Words]:
    """Those of the words whose number of letters is near: numbers, letters (a column each), and how
    many each has.
    """
    begins = segment.word_ends[numbers]
    sizes = segment.word_ends[numbers + 1] - begins
    offsets = np.cumsum(sizes) - sizes
    content = segment.letters[np.repeat(begins - offsets, sizes) + np.arange(int(sizes.sum()))]
    points = _code_points(content.tobytes().decode())
    characters = (content & 0xC0) != 0x80  # bytes that begin one
    firsts = (np.cumsum(characters) - characters)[offsets]
    lengths = np.diff(firsts, append=len(points))
    fitting = np.abs(lengths - letters) <= edits
    firsts, lengths = firsts[fitting], lengths[fitting]
    table = np.zeros((letters + edits, len(firsts)), dtype=np.uint32)
    for place in range(letters + edits):
        there = place < lengths
        table[place, there] = points[firsts[there] + place]
    return numbers[fitting], table, lengths


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)


def _distances(
    word: NDArray[np.uint32], others: NDArray[np.uint32], lengths: Words, edits: int
) -> NDArray[np.uint8]:
    """How many edits lead from the word to each other one, a column of letters; more than `edits`
    for too many.

    Row i of the table holds the distances of the word's first i letters from the first 0, 1, ...
    letters of the others. Cells further than `edits` from the diagonal are too many edits anyway.
    """
    too_many = np.full(others.shape[1], edits + 1, dtype=np.uint8)
    row: list[Any] = [
        np.full_like(too_many, place) if place <= edits else too_many
        for place in range(len(others) + 1)
    ]
    before = row
    for i, letter in enumerate(word.tolist(), 1):
        above, before_above = row, before
        row = [too_many] * (len(others) + 1)
        if i <= edits:
            row[0] = np.full_like(too_many, i)
        for j in range(max(1, i - edits), min(len(others), i + edits) + 1):
            cell = above[j - 1] + (others[j - 1] != letter)
            np.minimum(cell, above[j] + 1, out=cell)
            np.minimum(cell, row[j - 1] + 1, out=cell)
            if i > 1 and j > 1:
                swapped = (others[j - 2] == letter) & (others[j - 1] == word[i - 2])
                np.minimum(cell, before_above[j - 2] + 1, out=cell, where=swapped)
            row[j] = np.minimum(cell, too_many)
        before = above
    found: NDArray[np.uint8] = np.take_along_axis(np.stack(row), lengths[None], axis=0)[0]
    return found
