"""Word counts, ready to learn from: checking, the count transform, word weights, and sources of minibatches.

Nothing here knows text; `CountSource` is the seam at which corpora of any kind meet the learners.
"""

from undertow.counts.batch import CountBatch
from undertow.counts.scratch import Scratch
from undertow.counts.source import CountSource, CsrSource
from undertow.counts.spool import CountSpool, SpoolWriter
from undertow.counts.spooled import SpooledSource
from undertow.counts.transform import checked_counts, log_counts
from undertow.counts.weighting import WordTotals, idf_weights, word_distribution

__all__ = [
    "CountBatch",
    "CountSource",
    "CountSpool",
    "CsrSource",
    "Scratch",
    "SpoolWriter",
    "SpooledSource",
    "WordTotals",
    "checked_counts",
    "idf_weights",
    "log_counts",
    "word_distribution",
]
