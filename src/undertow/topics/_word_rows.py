"""Pairs of words that go on where another ends, as longer rows of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LONGEST = 8  # words: what is longer is a text that was sent many times


@dataclass(frozen=True)
class WordRow:
    """Words that stand in a row."""

    words: tuple[int, ...]
    first: int  # the place of its first pair among those given


def rows_of(pairs: Sequence[tuple[int, int]]) -> list[WordRow]:
    """The rows that these pairs make, each pair in one of them; the first pairs have the first
    choice.
    """
    left = dict.fromkeys(pairs)
    found = []
    for place, pair in enumerate(pairs):
        if pair not in left:
            continue
        del left[pair]
        words = list(pair)
        while len(words) < LONGEST and (after := _with(left, 0, words[-1])) is not None:
            del left[after]
            words.append(after[1])
        while len(words) < LONGEST and (before := _with(left, 1, words[0])) is not None:
            del left[before]
            words.insert(0, before[0])
        found.append(WordRow(tuple(words), place))
    return found


def _with(pairs: Iterable[tuple[int, int]], side: int, word: int) -> tuple[int, int] | None:
    """The first pair that has this word on this side."""
    return next((pair for pair in pairs if pair[side] == word), None)
