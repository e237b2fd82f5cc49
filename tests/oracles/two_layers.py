"""Models of two layers at tiny size, summed over everything: documents, latent words, units.

It stands on the enumeration of one layer, which sums token by token: a document with its latent
words is a sequence of one layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tests.oracles.engine import make_case
from tests.oracles.enumeration import Joint, enumerate_joint
from undertow.counts import CountBatch
from undertow.model import Parameters, TwoLayers

Array = NDArray[np.float64]


def deep_model(
    *, words: int = 3, units: int = 2, latent: int = 2, weighted: bool = False, seed: int = 1
) -> TwoLayers:
    """A random model whose every term matters."""
    case = make_case(words=words, units=units, weighted=weighted, scale=0.9, seed=seed)
    return with_latent(case.parameters, latent)


def with_latent(parameters: Parameters, latent: int) -> TwoLayers:
    """One layer with latent words."""
    return TwoLayers(**parameters.arrays(), latent_words=np.array(latent, dtype=np.float32))


@dataclass(frozen=True)
class Whole:
    """Every document of so many words with all latent words and hidden states."""

    parameters: TwoLayers
    tokens: int

    @cached_property
    def joint(self) -> Joint:
        """Of sequences whose last words are the latent ones."""
        return enumerate_joint(self.parameters, self.tokens + int(self.parameters.latent_words))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Of the documents: sequences of words alone, (K^D, K)."""
        return enumerate_joint(self.parameters, self.tokens).counts

    @cached_property
    def terms(self) -> Array:
        """e^-E, (K^D documents, K^M latent words, 2^H hidden states)."""
        rows = self.parameters.words**self.tokens
        return np.exp(self.joint.minus_energies).reshape(rows, -1, 2**self.parameters.units)

    @cached_property
    def log_sums(self) -> Array:
        """log p* of each document."""
        result: Array = np.log(self.terms.sum(axis=(1, 2)))
        return result

    @cached_property
    def log_z(self) -> float:
        """Of all documents of so many words."""
        return float(np.log(self.terms.sum()))

    @cached_property
    def latent_counts(self) -> Array:
        """E[counts of latent words | document]."""
        latent = enumerate_joint(self.parameters, int(self.parameters.latent_words)).counts
        chances = self.terms.sum(axis=2)
        result: Array = chances @ latent / chances.sum(axis=1, keepdims=True)
        return result

    @cached_property
    def products(self) -> Array:
        """E[(counts of the document and of its latent words) h | document], (K^D, K, H): the first
        phase, before word weights.
        """
        shape = (*self.terms.shape[:2], self.parameters.words)
        both = self.joint.counts.reshape(shape)
        chances = self.terms / self.terms.sum(axis=(1, 2), keepdims=True)
        result: Array = np.einsum("dmk,dms,sh->dkh", both, chances, self.joint.hidden)
        return result

    def batch(self) -> CountBatch:
        """The documents as a minibatch."""
        from scipy import sparse

        return CountBatch.from_csr(sparse.csr_array(self.counts))
