"""The joint distribution of all word sequences and all hidden states of a tiny model, written out
term by term.

Nothing here comes from the package but the parameters: the energy is summed token by token, in
Python's own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from undertow.model import Parameters

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Joint:
    """log e^{-E(V, h)} of every sequence of D words (rows) with every hidden state (columns)."""

    sequences: NDArray[np.int64]  # (K^D, D)
    hidden: Array  # (2^H, H)
    minus_energies: Array  # (K^D, 2^H)
    words: int

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Word counts of each sequence."""
        return np.array(
            [np.bincount(sequence, minlength=self.words) for sequence in self.sequences],
            dtype=np.int64,
        )

    @cached_property
    def log_z(self) -> float:
        """log of the sum over everything."""
        return float(np.log(np.exp(self.minus_energies).sum()))

    @cached_property
    def free_energies(self) -> Array:
        """-log of the sum over hidden states, of each sequence."""
        result: Array = -np.log(np.exp(self.minus_energies).sum(axis=1))
        return result

    @cached_property
    def hidden_given_words(self) -> Array:
        """P(h | sequence), (K^D, 2^H)."""
        weights = np.exp(self.minus_energies)
        result: Array = weights / weights.sum(axis=1, keepdims=True)
        return result

    @cached_property
    def sequences_given_hidden(self) -> Array:
        """P(sequence | h), (K^D, 2^H)."""
        weights = np.exp(self.minus_energies)
        result: Array = weights / weights.sum(axis=0, keepdims=True)
        return result

    def by_bag(self, values: Array, bags: NDArray[np.int64]) -> Array:
        """Sums of values of the sequences over those with the counts of each bag."""
        places = {tuple(bag): row for row, bag in enumerate(bags.tolist())}
        total = np.zeros((len(bags), *values.shape[1:]))
        for counts, value in zip(self.counts.tolist(), values, strict=True):
            total[places[tuple(counts)]] += value
        return total

    def bag_transitions(self, bags: NDArray[np.int64]) -> Array:
        """P(next bag | bag) of one Gibbs step: hidden units given words, then words given hidden
        units.
        """
        rows = {tuple(counts): row for row, counts in enumerate(self.counts.tolist())}
        up = self.hidden_given_words[[rows[tuple(bag)] for bag in bags.tolist()]]
        result: Array = up @ self.by_bag(self.sequences_given_hidden, bags).T
        return result


def enumerate_joint(parameters: Parameters, tokens: int) -> Joint:
    """Every sequence of `tokens` words with every hidden state."""
    arrays = (
        parameters.weights,
        parameters.hidden_bias,
        parameters.visible_bias,
        parameters.word_weights,
    )
    W, a, b, w = (array.astype(np.float64).tolist() for array in arrays)
    units, words = range(parameters.units), range(parameters.words)
    hidden = list(product((0.0, 1.0), repeat=parameters.units))
    # -E is a sum over tokens, since u, b.u and L a.h all are: w_k (W_k.h + b_k + a.h) of each.
    token = [
        [w[k] * (b[k] + sum((W[k][j] + a[j]) * h[j] for j in units)) for h in hidden] for k in words
    ]
    sequences = list(product(words, repeat=tokens))
    minus = [
        [sum(token[k][i] for k in sequence) for i in range(len(hidden))] for sequence in sequences
    ]
    return Joint(
        np.array(sequences, dtype=np.int64).reshape(len(sequences), tokens),
        np.array(hidden),
        np.array(minus, dtype=np.float64),
        parameters.words,
    )
