"""Where in a text its words stand: what the vectorizer counts, found again in the letters of the
raw text.

A text is cleaned and lower-cased before it is matched, and both can change its length. So every
letter of what is matched remembers which letters of the raw text it came from.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.corpus.analyzer import ENTITY, TAGS, Terms
from undertow.corpus.texts import text_chunks
from undertow.corpus.token_matches import numbered

if TYPE_CHECKING:
    from undertow.corpus.vectorizer import Vectorizer

REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")
"""What html.unescape looks at: it also knows entities whose ; is missing."""

# from the private letters on, which texts hardly ever hold
FIRST_MARK, LAST_MARK = 0xE000, 0x10FFFF


@dataclass(frozen=True)
class Occurrence:
    """A word of the vocabulary at `text[start:end]`. An n-gram reaches from its first token to its
    last.

    Examples
    --------
    >>> from undertow.corpus import occurrences
    >>> first = occurrences(vectorizer, "A ROCKET!")[0]
    >>> first.start, first.end, first.word
    (2, 8, 'rocket')
    """

    start: int
    end: int
    word: str
    column: int


def occurrences(vectorizer: Vectorizer, text: str) -> list[Occurrence]:
    """Every occurrence of a word that a fitted vectorizer counts in a text.

    Parameters
    ----------
    vectorizer : Vectorizer
        A fitted one.
    text : str
        Any text.

    Returns
    -------
    list of Occurrence
        In the order of the text.

    Examples
    --------
    >>> from undertow.corpus import occurrences
    >>> [found.word for found in occurrences(vectorizer, "Moon, rocket and zebra")]
    ['moon', 'rocket']
    """
    analyzer, columns = vectorizer._analyzer(), vectorizer._columns()
    traced = _Traced.of(next(text_chunks([text]))[0])
    if analyzer.strip_html:
        traced = _without_html(traced)
    if analyzer.segmenter is not None:
        traced = traced.replaced(list(analyzer.segmenter.changes(traced.text)))
    if analyzer.lowercase:
        traced = _lower(traced)
    stop = frozenset(analyzer.stop_words)
    places = [(start, end) for start, end in _matches(traced.text, analyzer.token_pattern)]
    said = [(traced.text[start:end], start, end) for start, end in places]
    places = [
        (start, end) for word, start, end in said if analyzer.is_token(word) and word not in stop
    ]
    types, codes = numbered(
        pl.Series("word", [traced.text[start:end] for start, end in places], dtype=pl.String)
    )
    tokens = Terms(types, np.array([0, len(codes)], dtype=np.int64), codes)
    raw = [traced.raw(start, end) for start, end in places]
    found = []
    for n, terms in analyzer.by_length(tokens):
        words = terms.types.to_list()
        known = [columns.get(word, -1) for word in words]
        for first, code in enumerate(terms.codes):
            if known[code] >= 0:
                found.append(
                    Occurrence(raw[first][0], raw[first + n - 1][1], words[code], known[code])
                )
    return sorted(found, key=lambda one: (one.start, one.end))


@dataclass(frozen=True)
class _Traced:
    """A text made of another: letter i came from the raw letters `starts[i]` to `ends[i]`."""

    text: str
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, text: str) -> _Traced:
        places = np.arange(len(text), dtype=np.int64)
        return cls(text, places, places + 1)

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """The raw letters of a part; where that is nothing at all, the place where it stands."""
        if start == end:
            here = (
                int(self.starts[start]) if start < len(self.text) else int(self.ends.max(initial=0))
            )
            return here, here
        return int(self.starts[start]), int(self.ends[end - 1])

    def replaced(self, parts: list[tuple[int, int, str]]) -> _Traced:
        """With other letters in the place of some parts; each of them came from the whole part."""
        texts, starts, ends, done = [], [], [], 0
        for start, end, new in [*parts, (len(self.text), len(self.text), "")]:
            texts += [self.text[done:start], new]
            first, last = self.raw(start, end)
            starts += [self.starts[done:start], np.full(len(new), first)]
            ends += [self.ends[done:start], np.full(len(new), last)]
            done = end
        return _Traced("".join(texts), np.concatenate(starts), np.concatenate(ends))


def _without_html(traced: _Traced) -> _Traced:
    """As `_tokens.without_html`."""
    traced = traced.replaced([(start, end, " ") for start, end in _matches(traced.text, TAGS)])
    if not pl.Series([traced.text]).str.contains(ENTITY)[0]:
        return traced
    found = REFERENCE.finditer(traced.text)
    return traced.replaced([(one.start(), one.end(), html.unescape(one.group())) for one in found])


def _lower(traced: _Traced) -> _Traced:
    """In small letters, by the same function as the vectorizer; some letters become two."""
    lower = pl.Series([traced.text]).str.to_lowercase()[0]
    if len(lower) == len(traced.text):  # no letter becomes none, so each has become one
        return _Traced(lower, traced.starts, traced.ends)
    letters = pl.Series(list(traced.text), dtype=pl.String)
    lengths = letters.str.to_lowercase().str.len_chars().to_numpy()
    return _Traced(lower, np.repeat(traced.starts, lengths), np.repeat(traced.ends, lengths))


def _matches(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Where a pattern matches. Polars tells what matched but not where, so it is made to put marks
    around it.
    """
    present = set(text)
    mark = next(
        chr(number) for number in range(FIRST_MARK, LAST_MARK + 1) if chr(number) not in present
    )
    pieces = pl.Series([text]).str.replace_all(pattern, f"{mark}${{0}}{mark}")[0].split(mark)
    ends = [0, *np.cumsum([len(piece) for piece in pieces]).tolist()]
    return ((start, end) for number, (start, end) in enumerate(pairwise(ends)) if number % 2)
