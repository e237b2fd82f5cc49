"""Scripts without spaces between words, and which of their languages texts are written in."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:  # questions are read without it
    pl = _lazy.module("polars")

logger = logging.getLogger("undertow")

# Letters as they stand in a class of a regular expression, Python's or Rust's.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
ANY = f"[{HAN}{KANA}{THAI}]"

# documents at the beginning of a corpus, and what they may take
LOOKED_AT, BYTES = 1000, 24 * 2**20
OF_A_CHUNK = 50  # documents of each chunk that comes later
LETTERS = 1000  # of a document that are looked at
SHARE = 0.2  # of its letters, in a document of the language
KANA_SHARE = 0.1  # of Han and kana together, in Japanese
SURELY_CHINESE = 20  # Han without kana: a Japanese headline may be so, a longer text is not
FOUND = 0.02  # of the documents, for a language to be one of the corpus


class Look:
    """Counts how many of the documents shown are in a language that is written without spaces."""

    def __init__(self) -> None:
        self.documents = 0
        self._of = dict.fromkeys(("chinese", "surely chinese", "japanese", "thai"), 0)

    def see(self, texts: pl.Series) -> None:
        """Looks at the beginnings of these documents."""
        self.documents += len(texts)
        beginnings = texts.str.head(LETTERS)
        beginnings = beginnings.filter(beginnings.str.contains(ANY))
        if not len(beginnings):
            return
        letters, han, kana, thai = (
            _number(beginnings, one) for one in (r"\p{L}", f"[{HAN}]", f"[{KANA}]", f"[{THAI}]")
        )
        both = han + kana
        japanese = (both >= SHARE * letters) & (kana >= KANA_SHARE * both) & (kana > 0)
        chinese = (han >= SHARE * letters) & ~japanese & (han > 0)
        masks = (
            chinese,
            chinese & (han >= SURELY_CHINESE),
            japanese,
            (thai >= SHARE * letters) & (thai > 0),
        )
        for name, mask in zip(self._of, masks, strict=True):
            self._of[name] += int(mask.sum())

    def languages(self) -> list[str]:
        """Those that at least one document in fifty is in."""
        least = max(FOUND * self.documents, 1)
        japanese = self._of["japanese"] >= least
        numbers = {
            "chinese": self._of["surely chinese" if japanese else "chinese"],
            "japanese": self._of["japanese"],
            "thai": self._of["thai"],
        }
        return [language for language, number in numbers.items() if number >= least]


def look_at_first(chunks: Iterable[pl.Series]) -> tuple[Look, Iterator[pl.Series]]:
    """A look at the first thousand documents, and all chunks as they were."""
    source, held = iter(chunks), []
    documents = size = 0
    for chunk in source:
        held.append(chunk)
        documents, size = documents + len(chunk), size + int(chunk.str.len_bytes().sum())
        if documents >= LOOKED_AT or size >= BYTES:
            break
    look = Look()
    if held:
        first = pl.concat(held).head(LOOKED_AT)
        # no more than that, however long the chunks are
        within = first.str.len_bytes().cum_sum() < BYTES
        look.see(first.head(max(int(within.sum()), 1)))
    return look, chain(held, source)


def watched(chunks: Iterable[pl.Series], known: list[str]) -> Iterator[pl.Series]:
    """The chunks, with a look at a few documents of each, and a warning if there was a language not
    known before.
    """
    look = Look()
    for chunk in chunks:
        look.see(chunk.gather_every(max(len(chunk) // OF_A_CHUNK, 1)))
        yield chunk
    for language in look.languages():
        if language not in known:
            logger.warning(
                "%s text found after the first %d documents, which decide: it was not segmented; "
                "set segmenter=%r",
                language.capitalize(),
                LOOKED_AT,
                language,
            )


def _number(texts: pl.Series, letters: str) -> NDArray[np.int64]:
    return texts.str.count_matches(letters).to_numpy().astype("int64")
