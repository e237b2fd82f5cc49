"""What other packages need of a `Vectorizer` beside what it says to users: the words it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from undertow.corpus.vectorizer import Vectorizer


def columns_of(vectorizer: Vectorizer) -> dict[str, int]:
    """Word -> column, of what was learned or of a fixed vocabulary, which needs no fitting."""
    return vectorizer._columns()


def overlap(vectorizer: Vectorizer) -> bool:
    """Whether pairs of letters stand for words somewhere, so that neighbours share a letter."""
    return "pairs" in vectorizer._segmenters()
