"""Word counts, ready to learn from: checking, the count transform, word weights, and sources of minibatches.

Nothing here knows text; `CountSource` is the seam at which corpora of any kind meet the learners.
"""

from undertow.counts.batch import CountBatch
from undertow.counts.source import CountSource, CsrSource
from undertow.counts.transform import checked_counts, log_counts
from undertow.counts.weighting import idf_weights, word_distribution

__all__ = [
    "CountBatch",
    "CountSource",
    "CsrSource",
    "checked_counts",
    "idf_weights",
    "log_counts",
    "word_distribution",
]
