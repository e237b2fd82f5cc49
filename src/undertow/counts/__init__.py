"""Word counts, ready to learn from: checking, the count transform, word weights, and sources of
minibatches.

Nothing here knows text; `CountSource` is the seam at which corpora of any kind meet the learners.

Examples
--------
Three documents of four words; the last is empty. The examples of this package go on from them.

>>> import numpy as np
>>> from undertow.counts import checked_counts
>>> counts = checked_counts(np.array([[2, 0, 1, 0], [0, 8, 1, 0], [0, 0, 0, 0]]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.counts.batch import CountBatch
    from undertow.counts.minibatches import Minibatches
    from undertow.counts.source import CountSource, CsrSource
    from undertow.counts.transform import checked_counts, log_counts
    from undertow.counts.weighting import WordTotals, idf_weights, word_distribution

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.counts.batch": ("CountBatch",),
        "undertow.counts.minibatches": ("Minibatches",),
        "undertow.counts.source": ("CountSource", "CsrSource"),
        "undertow.counts.transform": ("checked_counts", "log_counts"),
        "undertow.counts.weighting": ("WordTotals", "idf_weights", "word_distribution"),
    },
)

__all__ = [
    "CountBatch",
    "CountSource",
    "CsrSource",
    "Minibatches",
    "WordTotals",
    "checked_counts",
    "idf_weights",
    "log_counts",
    "word_distribution",
]
