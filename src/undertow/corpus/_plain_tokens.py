"""Tokens of a few texts by Python's own `re`, where it finds what polars would: a question does not
wait for polars.

Python knows no classes such as `\\p{L}`. The letters of the texts at hand are few, though, so a
class is written out for them by their Unicode categories. What could be seen differently is left to
polars: other patterns than a row of classes, letters that this Python's tables do not have, and the
Greek sigma, whose small form depends on its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

ITEM = re.compile(
    r"\\p\{(?P<categories>[LMNPSZ][a-z]?)\}|(?P<digits>\\d)|\\x\{(?P<number>[0-9A-Fa-f]{1,5})\}"
    r"|(?P<first>[^\W_])-(?P<last>[^\W_])|(?P<letter>[^\\\[\]^-])"
)
CLASS = re.compile(r"\[(?P<items>[^\[\]^]+)\](?P<repeated>[+*?]|\{\d{1,3}(?:,\d{0,3})?\}|)")
COMBINED = ("&&", "~~")  # what Rust's regex takes for an operation on classes
SIGMA = "Σ"
ASCII = tuple(map(chr, range(128)))


@dataclass(frozen=True)
class Part:
    """A class of characters, and how often one may stand in a row."""

    categories: tuple[str, ...]  # beginnings of Unicode categories
    ranges: tuple[tuple[str, str], ...]  # characters from the first to the last
    repeated: str

    def has(self, letter: str) -> bool:
        """Whether a character is in the class."""
        return unicodedata.category(letter).startswith(self.categories) or any(
            first <= letter <= last for first, last in self.ranges
        )

    @property
    def needed(self) -> bool:
        """Whether a match holds at least one of them."""
        return not self.repeated.startswith(("*", "?", "{0"))


def tokens(texts: Sequence[str], pattern: str, *, lowercase: bool) -> list[list[str]] | None:
    """The matches in each text, as polars finds them; None where that is not certain."""
    parts = parts_of(pattern)
    if parts is None or (lowercase and any(SIGMA in text for text in texts)):
        return None
    if lowercase:
        texts = [text.lower() for text in texts]
    others = frozenset(
        letter for text in texts if not text.isascii() for letter in text if letter > "\x7f"
    )
    # unknown here; polars may be newer
    if any(unicodedata.category(letter) == "Cn" for letter in others):
        return None
    written = _written(parts, others)
    return [written.findall(text) for text in texts]


@lru_cache
def parts_of(pattern: str) -> tuple[Part, ...] | None:
    """The classes of a pattern that is a row of them, or None; a pattern that matches nothing at
    all is none.
    """
    found, place = [], 0
    while place < len(pattern):
        matched = CLASS.match(pattern, place)
        part = None if matched is None else _part(matched["items"], matched["repeated"])
        if matched is None or part is None:
            return None
        found.append(part)
        place = matched.end()
    return tuple(found) if _is_quick(found) else None


def _is_quick(parts: Sequence[Part]) -> bool:
    """Whether something has to match, and Python's `re` never goes back to try again: whatever
    repeats is the last that has to match, or comes after it. Polars takes the same time for any
    pattern.
    """
    needed = [place for place, part in enumerate(parts) if part.needed]
    return bool(needed) and not any(part.repeated for part in parts[: needed[-1]])


def _part(items: str, repeated: str) -> Part | None:
    """A class by what is written in it; None where something else is."""
    found = list(ITEM.finditer(items))
    if "".join(item.group() for item in found) != items or any(sign in items for sign in COMBINED):
        return None
    categories: list[str] = []
    ranges: list[tuple[str, str]] = []
    for item in found:
        if item["categories"] or item["digits"]:
            categories.append(item["categories"] or "Nd")
        elif item["number"]:
            letter = chr(int(item["number"], 16))
            ranges.append((letter, letter))
        else:
            ranges.append((item["first"] or item["letter"], item["last"] or item["letter"]))
    return Part(tuple(categories), tuple(ranges), repeated)


@lru_cache
def _written(parts: tuple[Part, ...], others: frozenset[str]) -> re.Pattern[str]:
    """The pattern for Python, for texts of ASCII and these characters."""
    return re.compile(
        "".join(_class(part, (*ASCII, *sorted(others))) + part.repeated for part in parts)
    )


def _class(part: Part, letters: Iterable[str]) -> str:
    inside = "".join(re.escape(letter) for letter in letters if part.has(letter))
    return f"[{inside}]" if inside else r"[^\s\S]"
