"""Texts that are kept while a corpus is read: a sample, for typical documents, pairs of words and
forms of stems.

Which rows are kept depends on their numbers alone, so it is known without the texts which vectors
belong to them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.kernels import randomness

MOST_TEXTS = 12_000
LETTERS = 3000  # kept of each text
STAGE = 2  # of Purpose.HOLD_OUT


@dataclass
class TextSample:
    """At most 12,000 documents of those shown to it: those with the smallest numbers drawn for
    their rows.
    """

    most: int = MOST_TEXTS

    def __post_init__(self) -> None:
        self._seen = 0
        self._rows = np.zeros(0, dtype=np.int64)
        self._keys = np.zeros(0)
        self._kept: dict[int, tuple[str, str]] = {}

    def see(self, texts: pl.Series, ids: pl.Series | None) -> None:
        """Looks at the next documents."""
        rows = np.arange(self._seen, self._seen + len(texts))
        keys = randomness.uniforms(0, randomness.Purpose.HOLD_OUT, STAGE, 0, rows, 0)
        self._seen += len(texts)
        limit = np.inf if len(self._keys) < self.most else self._keys.max()
        for place in np.flatnonzero(keys < limit).tolist():
            row = int(rows[place])
            self._kept[row] = (
                str(row) if ids is None else str(ids[place]),
                str(texts[place])[:LETTERS],
            )
        rows, keys = np.concatenate([self._rows, rows]), np.concatenate([self._keys, keys])
        order = np.argsort(keys, kind="stable")[: self.most]
        self._rows, self._keys = rows[order], keys[order]
        if len(self._kept) > 2 * self.most:
            self._forget()

    def _forget(self) -> None:
        kept = set(self._rows.tolist())
        self._kept = {row: found for row, found in self._kept.items() if row in kept}

    def close(self) -> SampledTexts:
        """What was kept, in the order of the corpus."""
        self._forget()
        rows = sorted(self._kept)
        return SampledTexts(
            np.array(rows, dtype=np.int64),
            [self._kept[row][0] for row in rows],
            [self._kept[row][1] for row in rows],
        )


@dataclass(frozen=True)
class SampledTexts:
    """Documents in the order of the corpus: row, id, and the first 3,000 letters of the text."""

    rows: NDArray[np.int64]
    ids: list[str]
    texts: list[str]


def sampled_rows(documents: int, most: int = MOST_TEXTS) -> NDArray[np.int64]:
    """The rows that a `TextSample` keeps of so many documents, in order."""
    return randomness.lowest(0, randomness.Purpose.HOLD_OUT, STAGE, documents, most)
