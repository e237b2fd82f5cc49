"""Edit distance, slowly: what can be done about the last letters, tried one after the other."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def edits(one: str, other: str) -> int:
    """The fewest letters put in, left out or replaced, or neighbours swapped, none of them edited
    twice.
    """
    if not one or not other:
        return len(one) + len(other)
    ways = [
        edits(one[:-1], other) + 1,
        edits(one, other[:-1]) + 1,
        edits(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    ]
    if len(one) > 1 and len(other) > 1 and one[-2:] == other[-1] + other[-2]:
        ways.append(edits(one[:-2], other[:-2]) + 1)
    return min(ways)
