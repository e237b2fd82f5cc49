"""Ratio matching with its gradient, for given replacements of tokens.

Documents are rows of dense counts. A replacement takes a token of one word out of a document and
puts a token of another in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.randomness import Purpose, philox
from undertow.kernels.reference.draws import Counts, below, word_of
from undertow.kernels.reference.energies import lengths, posterior, score, sigmoid
from undertow.kernels.reference.objectives import Array, Model


@dataclass(frozen=True)
class Replacements:
    """N of them, with the share of the objective that each has."""

    owners: NDArray[np.int64]  # (N,) rows of the documents
    removed: NDArray[np.int64]  # (N,) words
    added: NDArray[np.int64]  # (N,) words
    shares: Array  # (N,)


def drawn(
    seed: int, epoch: int, document: int, counts: Counts, table: NDArray[np.uint32] | None, m: int
) -> list[tuple[int, int]]:
    """Words removed and words added in each of m replacements, for a document of these counts; all
    words are as likely to be added without a table.
    """
    tokens = np.repeat(np.arange(len(counts)), counts)
    bits = philox(seed, Purpose.REPLACEMENT, 0, epoch, document, np.arange(m)).tolist()
    return [
        (
            int(tokens[below(which, len(tokens))]),
            below(high, len(counts)) if table is None else word_of(table, high, low),
        )
        for high, low, which, _ in bits
    ]


def every_replacement(documents: Counts, chances: Array) -> Replacements:
    """All there are, each with its share of the whole objective: a mean over documents, over their
    tokens, and over words that are added with these chances.
    """
    owners, removed = np.nonzero(documents)
    size, words = documents.shape
    tokens = documents[owners, removed] / documents.sum(axis=1)[owners]
    return Replacements(
        np.repeat(owners, words),
        np.repeat(removed, words),
        np.tile(np.arange(words), len(owners)),
        np.outer(tokens / size, chances).ravel(),
    )


def log_ratios(
    model: Model, documents: Counts, replacements: Replacements, *, uniform: bool
) -> tuple[Array, Counts]:
    """s of each replacement, and the counts of the neighbours."""
    owners, removed, added = replacements.owners, replacements.removed, replacements.added
    counts, each = documents[owners].copy(), np.arange(len(owners))
    np.subtract.at(counts, (each, removed), 1)
    np.add.at(counts, (each, added), 1)
    gains = model.w * (model.b - np.log(model.p)) + (np.log(model.p) if uniform else 0.0)
    before = score(model.w * documents, model.W, model.a)
    after = score(model.w * counts, model.W, model.a)
    return after - before[owners] + gains[added] - gains[removed], counts


def ratio_matching(
    model: Model, documents: Counts, replacements: Replacements, *, uniform: bool
) -> tuple[float, Array, Array, Array]:
    """The sum of share * sigmoid(s)^2, and its gradients with respect to W, a and b."""
    owners, shares = replacements.owners, replacements.shares
    s, counts = log_ratios(model, documents, replacements, uniform=uniform)
    chance = sigmoid(s)
    slope = 2.0 * shares * chance**2 * (1.0 - chance)
    u, u_before = model.w * counts, model.w * documents
    on = slope[:, None] * posterior(u, model.W, model.a)
    total = np.bincount(owners, weights=slope, minlength=len(documents))
    off = total[:, None] * posterior(u_before, model.W, model.a)
    W, a = u.T @ on - u_before.T @ off, lengths(u) @ on - lengths(u_before) @ off
    b = np.zeros_like(model.b)
    np.add.at(b, replacements.added, slope * model.w[replacements.added])
    np.subtract.at(b, replacements.removed, slope * model.w[replacements.removed])
    return float(shares @ chance**2), W, a, b
