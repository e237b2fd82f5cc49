"""Words of Chinese, Japanese and Thai: spaces are put between them, and then these texts are read
as all others.

Each language has a library of its own, an extra. Without one, pairs of neighbouring letters stand
for words.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from undertow import _extras
from undertow.corpus.scripts import ANY, HAN, KANA, KANA_SHARE, THAI

if TYPE_CHECKING:
    import polars as pl

PACKAGES = {language: _extras.EXTRAS[language] for language in ("chinese", "japanese", "thai")}
"""What segments each language; the extra that installs it has the name of the language."""

PAIRS = "pairs"
SEGMENTERS = (*PACKAGES, PAIRS)

LONGEST = 1000  # letters at a time: what is longer without any mark or space is no sentence
# vowels and signs that belong to the letter before
MARKS = "\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u3099\u309a\uff9e\uff9f"
# Thai writes some vowels first
LETTER = re.compile(f"(?:[\u0e40-\u0e44]+[^{MARKS}]?|[^{MARKS}])?[{MARKS}]*")
WITHOUT_SPACES = re.compile(ANY)

Words = Callable[[str], list[str]]


@dataclass(frozen=True)
class Segmenter:
    """Puts spaces between the words of some languages; "pairs" takes the letters that no other of
    them takes.
    """

    names: tuple[str, ...]

    def spaced(self, texts: pl.Series) -> pl.Series:
        """The texts, with spaces around and between the words of these scripts."""
        rows = texts.str.contains(ANY).arg_true()
        if not len(rows):
            return texts
        return texts.scatter(rows, [self.spaced_text(text) for text in texts.gather(rows)])

    def spaced_text(self, text: str) -> str:
        """One text, with spaces between its words."""
        words = self._words_in(text)
        return self._runs.sub(lambda run: f" {' '.join(words(run[0]))} ", text)

    def changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        """What `spaced` does to a text, as parts of it and what stands in their place."""
        words = self._words_in(text)
        for run in self._runs.finditer(text):
            found, place = words(run[0]), run.start()
            overlap = sum(map(len, found)) > len(run[0])
            yield place, place, " "
            for first in found[:-1]:
                shared = _letters(first)[-1] if overlap else ""
                place += len(first) - len(shared)
                yield place, place + len(shared), f"{shared} {shared}"
            yield run.end(), run.end(), " "

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        """What is cut into words: a run of letters of one script."""
        east = not {"chinese", "japanese", PAIRS}.isdisjoint(self.names)
        south = not {"thai", PAIRS}.isdisjoint(self.names)
        scripts = [f"[{HAN}{KANA}]"] * east + [f"[{THAI}]"] * south
        return re.compile("|".join(f"{script}{{1,{LONGEST}}}" for script in scripts))

    def _words_in(self, text: str) -> Words:
        """How the runs of this text are cut: one that has kana is Japanese, where both are told
        apart.
        """
        east = [name for name in self.names if name in ("chinese", "japanese")] or [PAIRS]
        eastern = engine(east[-1] if len(east) == 1 or _has_kana(text) else "chinese")
        southern = engine("thai" if "thai" in self.names else PAIRS)
        return lambda run: southern(run) if run[0] <= "\u0e4e" else eastern(run)


def joined(first: str, second: str, *, overlap: bool = False) -> str:
    """Two neighbouring words as they are written: without a space in scripts that have none.

    With `overlap` words are pairs of letters, and neighbours share one.
    """
    if not (WITHOUT_SPACES.match(first[-1:]) and WITHOUT_SPACES.match(second[:1])):
        return f"{first} {second}"
    shared = _letters(first)[-1] if overlap else ""
    return first + second.removeprefix(shared)


def taken_apart(word: str) -> list[str]:
    """The letters of a word in a script without spaces; any other word as it is."""
    return _letters(word) if WITHOUT_SPACES.match(word) else [word]


def require(names: Sequence[str]) -> None:
    """All of them are installed; what to do if not."""
    for name in names:
        _extras.require(f"segmenter={name!r}", name, *PACKAGES.get(name, ()))


def decided(languages: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """What texts in these languages are segmented by, and what to say about it."""
    names, remarks = [], []
    for language in languages:
        missing = _extras.missing(*PACKAGES[language])
        names.append(PAIRS if missing else language)
        how = f"segmented by {' and '.join(PACKAGES[language])}"
        if missing:
            how = (
                f"pairs of letters are counted, since {' and '.join(missing)} is not installed; "
                f"for words, {_extras.command(language)}"
            )
        remarks.append(f"{language.capitalize()} text found: {how}")
    return tuple(name for name in SEGMENTERS if name in names), remarks


@lru_cache
def engine(name: str) -> Words:
    """The function that cuts a run of letters into words; together these are the run again, but for
    pairs.
    """
    makers: dict[str, Callable[[], Words]] = {
        "chinese": _chinese,
        "japanese": _japanese,
        "thai": _thai,
    }
    return makers[name]() if name in makers else _pairs


def _chinese() -> Words:
    import rjieba

    words: Words = rjieba.cut
    return words


def _japanese() -> Words:
    import fugashi
    import unidic_lite

    folder = unidic_lite.DICDIR

    class Tagger(threading.local):  # MeCab's taggers are not for several threads
        def __init__(self) -> None:
            self.tagger = fugashi.GenericTagger(
                f'-r "{os.path.join(folder, "mecabrc")}" -d "{folder}"'
            )

    local = Tagger()
    return lambda run: [str(word) for word in local.tagger(run)]


def _thai() -> Words:
    with _read_only():
        from pythainlp.tokenize import newmm

        words: Words = newmm.segment
        words("ไทย")  # it reads its dictionary at the first call
    return words


@contextmanager
def _read_only() -> Iterator[None]:
    """PyThaiNLP makes a folder in the user's home when it is imported, unless it is told not to."""
    if any(name in os.environ for name in ("PYTHAINLP_READ_ONLY", "PYTHAINLP_READ_MODE")):
        yield
        return
    os.environ["PYTHAINLP_READ_ONLY"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHAINLP_READ_ONLY"]


def _pairs(run: str) -> list[str]:
    letters = _letters(run)
    return [first + second for first, second in pairwise(letters)] or [run]


def _letters(run: str) -> list[str]:
    """Letters, each with the marks that belong to it."""
    return [letter for letter in LETTER.findall(run) if letter]


def _has_kana(text: str) -> bool:
    han, kana = (len(re.findall(f"[{letters}]", text)) for letters in (HAN, KANA))
    return kana > 0 and kana >= KANA_SHARE * (han + kana)
