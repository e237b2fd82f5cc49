"""Minibatches as dense counts, and what hidden units see of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.kernels.reference.draws import Counts
from undertow.kernels.reference.energies import Array


@dataclass(frozen=True)
class Seen:
    """Documents or samples, with their posteriors, weighted lengths and scores."""

    ids: NDArray[np.int64]
    counts: Counts  # (B, K)
    posteriors: Array  # (B, H)
    lengths: Array  # (B,)
    scores: Array  # (B,)


def dense_counts(batch: CountBatch, words: int) -> Counts:
    """(B, K)"""
    counts = np.zeros((batch.size, words), dtype=np.int64)
    owners = np.repeat(np.arange(batch.size), np.diff(batch.starts))
    np.add.at(counts, (owners, batch.words), batch.counts)
    return counts


def sums_of_rows(rows: Array, word_weights: Array, batch: CountBatch) -> tuple[Array, Array]:
    """W.u and L of each document."""
    sums, lengths = np.zeros((batch.size, rows.shape[1])), np.zeros(batch.size)
    for d in range(batch.size):
        own = slice(batch.starts[d], batch.starts[d + 1])
        u = word_weights[batch.words[own]] * batch.counts[own]
        sums[d], lengths[d] = u @ rows[batch.words[own]], u.sum()
    return sums, lengths
