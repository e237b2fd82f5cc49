"""The words that full-text search goes by: runs of letters, digits and their marks, in small
letters without accents.

They are not the model's words: nothing is too rare or too frequent, and numbers count. Where the
model stems, so does this. Texts of an index are read in bulk by polars; a question is read by
Python alone, which starts faster. Both give the same words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

PATTERN = r"[\p{L}\p{N}\p{M}]+"
LONGEST = 64  # characters of a word that count: what is longer is no word
PLAIN = re.compile(r"[a-z0-9]+")

Spaced = Callable[[Sequence[str]], Sequence[str]]
"""Puts spaces between the words of a script that has none."""


@dataclass(frozen=True)
class WordRule:
    """How texts become words; an index is read by the rule that it was made with."""

    stemmer: str | None = None
    segmenter: str | None = None
    spaced: Spaced | None = None

    @property
    def name(self) -> str:
        """Tells rules apart that give other words."""
        return f"2 stemmer={self.stemmer or '-'} segmenter={self.segmenter or '-'}"

    def of_texts(self, texts: pl.Series) -> tuple[list[str], NDArray[np.int64], NDArray[np.int32]]:
        """Distinct words; where each text begins among the tokens, and the end; each token's number
        among the words.

        A number of -1 stands for a token that has no word in it, such as a mark by itself.
        """
        import polars as pl

        from undertow.corpus.token_matches import matched

        if self.spaced is not None:
            texts = pl.Series(self.spaced(texts.to_list()), dtype=pl.String)
        types, starts, codes = matched(texts, PATTERN, lowercase=True)
        numbers: dict[str, int] = {}
        renumber = np.empty(len(types), dtype=np.int32)
        for place, word in enumerate(self._words(types.to_list())):
            renumber[place] = numbers.setdefault(word, len(numbers)) if word else -1
        return list(numbers), starts, renumber[codes]

    def of_question(self, text: str) -> list[str]:
        """The words of a question, in their order."""
        return [word for _, word in self.read(text)]

    def read(self, text: str) -> list[tuple[str, str]]:
        """The same, each after what was written for it."""
        if self.spaced is not None:
            text = self.spaced([text])[0]
        written = tokens(text)
        return [
            (typed, word) for typed, word in zip(written, self._words(written), strict=True) if word
        ]

    def _words(self, types: Sequence[str]) -> list[str]:
        # they expect the accents
        stems = types if self.stemmer is None else _stemmer(self.stemmer)(list(types))
        return [_folded(word)[:LONGEST] for word in stems]


def tokens(text: str) -> list[str]:
    """What polars finds by `PATTERN` in a text in small letters."""
    small = text.lower()
    if small.isascii():
        return PLAIN.findall(small)
    return "".join(letter if _belongs(letter) else " " for letter in small).split(" ")


def _belongs(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LNM"


def _folded(word: str) -> str:
    """Without accents, and with letters that only look different made one: é is e, ﬁ is fi, ß is
    ss.

    Marks of scripts that write vowels by them stay: only those that Latin, Greek and Cyrillic
    letters bear go.
    """
    if word.isascii():
        return word
    parted = unicodedata.normalize("NFKD", word)
    bare = "".join(letter for letter in parted if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", bare).casefold()


@lru_cache(maxsize=16)
def _stemmer(language: str) -> Callable[[list[str]], list[str]]:
    import Stemmer

    stem: Callable[[list[str]], list[str]] = Stemmer.Stemmer(language, 0).stemWords
    return stem
