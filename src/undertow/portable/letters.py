"""Patterns and lower-casing as polars has them, for Python's own `re` and `str`.

Rust's regular expressions know classes that Python's do not, such as `\\p{L}`, and their tables of
letters are of another version of Unicode. So every class of a pattern is written out as the
characters that polars itself finds in it. What is left is the same in both languages: groups,
alternatives and repetition, of which both take the first that fits.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from undertow import _lazy
from undertow._errors import InvalidInput
from undertow.portable.encoder import SIGMA

if TYPE_CHECKING:
    import polars as pl
else:
    pl = _lazy.module("polars")

FLAGS = re.compile(r"\(\?[is]+\)")
GROUP = re.compile(r"\((?:\?(?:P?<\w+>|:))?(?!\?)")
REPEATED = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??")
ESCAPE = re.compile(
    r"\\(?:[pP](?:\{[^{}]*\}|\w)|x(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{2})"
    r"|u(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{4})|U(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{8})"
    r"|[dDwWsSafnrtv]|[^\w<>])"
)
OPENED = re.compile(r"\[\^?\]?")
EDGE = r"\b"
SURROGATES = range(0xD800, 0xE000)


def python_pattern(pattern: str) -> str:
    """A pattern in the syntax of Rust's regex as one for Python, which finds the same.

    Raises `InvalidInput` for one that has anything but classes, letters, groups, alternatives,
    repetition, word edges, and (?i) or (?s) at its beginning.
    """
    begun = FLAGS.match(pattern)
    flags = begun[0] if begun else ""
    place, written, may_repeat = len(flags), "", False
    while place < len(pattern):
        part, length, kind = _next(pattern, place, flags)
        if not length or (kind == "repeated" and not may_repeat):
            raise InvalidInput(
                f"token_pattern must be made of classes, groups, alternatives and repetition to be "
                f"exported, got {pattern!r:.80}, which at {place} is something else"
            )
        may_repeat = kind == "letter" or (kind == "bracket" and part == ")")
        written += part
        place += length
    return written


def _next(pattern: str, place: int, flags: str) -> tuple[str, int, str]:
    """What stands at a place, as Python writes it; how long it is; and what it is."""
    letter = pattern[place]
    if letter in "|)":
        return letter, 1, "bracket"
    if letter == "(":
        group = GROUP.match(pattern, place)
        return ("(?:", len(group[0]), "bracket") if group else ("", 0, "")
    if letter in "*+?{":
        repeated = REPEATED.match(pattern, place)
        return (repeated[0], len(repeated[0]), "repeated") if repeated else ("", 0, "")
    if pattern.startswith(EDGE, place) and not pattern.startswith(r"\b{", place):
        return _edge(), len(EDGE), "edge"
    atom = _atom(pattern, place)
    return written_class(flags + atom) if atom else "", len(atom), "letter"


def _atom(pattern: str, place: int) -> str:
    """The class, escape or letter at a place; empty where there is none, or an anchor."""
    if pattern[place] == "[":
        return pattern[place : _end_of_class(pattern, place)]
    if pattern[place] == "\\":
        escape = ESCAPE.match(pattern, place)
        return escape[0] if escape else ""
    return "" if pattern[place] in "^$}]" else pattern[place]


def _end_of_class(pattern: str, place: int) -> int:
    """Where a class ends, in which others may lie."""
    depth = 0
    while place < len(pattern):
        opened = OPENED.match(pattern, place)
        if opened:
            depth += 1
            place = opened.end()
        else:
            depth -= pattern[place] == "]"
            place += 2 if pattern[place] == "\\" else 1
        if not depth:
            break
    return place


def _edge() -> str:
    inside = written_class(r"\w")
    return f"(?:(?<={inside})(?!{inside})|(?<!{inside})(?={inside}))"


@lru_cache(maxsize=256)
def written_class(atom: str) -> str:
    """The characters that something in Rust's syntax stands for, as a class for Python."""
    flags = FLAGS.match(atom)
    begin, item = (flags[0], atom[flags.end() :]) if flags else ("", atom)
    letters, codes = _letters()
    try:
        found = codes[letters.str.contains(rf"{begin}\A(?:{item})\z").to_numpy()]
    except pl.exceptions.ComputeError as error:
        raise InvalidInput(f"token_pattern must be valid, got {atom!r:.80} in it") from error
    if not len(found):
        return r"[^\s\S]"
    cuts = np.flatnonzero(np.diff(found) > 1) + 1
    runs = [(run[0], run[-1]) for run in np.split(found, cuts)]
    joined = [(int(first), int(last)) for first, last in _over_surrogates(runs)]
    return "[" + "".join(_range(first, last) for first, last in joined) + "]"


def _over_surrogates(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that end and begin at the surrogates, which are no characters, as one."""
    whole: list[tuple[int, int]] = []
    for first, last in runs:
        if whole and whole[-1][1] == SURROGATES[0] - 1 and first == SURROGATES[-1] + 1:
            whole[-1] = (whole[-1][0], last)
        else:
            whole.append((first, last))
    return whole


def _range(first: int, last: int) -> str:
    return _escaped(first) + ("" if first == last else "-" + _escaped(last))


def _escaped(code: int) -> str:
    return chr(code) if chr(code).isalnum() and code < 128 else f"\\U{code:08x}"


def lower_case() -> tuple[str, list[str]]:
    """All characters that have a small form, as polars knows them, and their small forms; without
    the Greek sigma, whose small form depends on its place.
    """
    letters, _ = _letters()
    small = letters.str.to_lowercase()
    changed = (small != letters) & (letters != SIGMA)
    return "".join(letters.filter(changed)), small.filter(changed).to_list()


@lru_cache(maxsize=1)
def _letters() -> tuple[pl.Series, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Every character that there can be, and its number."""
    codes = np.array([code for code in range(0x110000) if code not in SURROGATES])
    return pl.Series("letter", [chr(code) for code in codes.tolist()], dtype=pl.String), codes
