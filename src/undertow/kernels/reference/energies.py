"""The Replicated Softmax model on dense weighted counts.

With weighted counts u = w * v (documents x K), weighted length L = sum of u, and parameters W (K x
H), a (H), b (K):

    E(V, h) = -h.W.u - b.u - L a.h                       (Eq. 1 of the paper)
    S(u)    = sum_j softplus(W_j.u + L a_j) - H log 2
    F(V)    = -(b.u + S(u) + H log 2) = -log sum_h e^{-E(V, h)}   (Eq. 2, whose sign is a slip in
    the paper)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)"""
    result: Array = np.exp(-np.logaddexp(0.0, -x))
    return result


def lengths(u: Array) -> Array:
    """L of each document."""
    total: Array = u.sum(axis=-1)
    return total


def inputs(u: Array, W: Array, a: Array) -> Array:
    """W.u + L a: what the hidden units of each document receive."""
    result: Array = u @ W + lengths(u)[..., None] * a
    return result


def energy(u: Array, h: Array, W: Array, a: Array, b: Array) -> Array:
    """E(V, h) of each document with its hidden units (Eq. 1)."""
    result: Array = -(inputs(u, W, a) * h).sum(axis=-1) - u @ b
    return result


def score(u: Array, W: Array, a: Array) -> Array:
    """S(u): 0 for the empty document."""
    result: Array = np.logaddexp(0.0, inputs(u, W, a)).sum(axis=-1) - len(a) * np.log(2.0)
    return result


def free_energy(u: Array, W: Array, a: Array, b: Array) -> Array:
    """F(V) (Eq. 2)."""
    result: Array = -(u @ b + score(u, W, a) + len(a) * np.log(2.0))
    return result


def posterior(u: Array, W: Array, a: Array) -> Array:
    """P(h_j = 1 | V) (Eq. 4)."""
    return sigmoid(inputs(u, W, a))


def strength(u: Array, W: Array, a: Array, length: float) -> Array:
    """log(1 + softplus(x)), x the input of a document stretched or shrunk to a length: 0 where a
    unit is off, and growing slowly where it is on.
    """
    L = lengths(u)[..., None]
    x = inputs(u, W, a) * length / np.where(L > 0.0, L, 1.0)
    result: Array = np.log1p(np.logaddexp(0.0, x))
    return result


def word_logits(h: Array, W: Array, a: Array, b: Array, w: Array) -> Array:
    """w_k (W_k.h + b_k + a.h): with weights a.h does not cancel, since L depends on the words."""
    result: Array = w * (h @ W.T + b + (h @ a)[..., None])
    return result


def words_given_hidden(h: Array, W: Array, a: Array, b: Array, w: Array) -> Array:
    """P(k | h), the distribution of each token (Eq. 3 where all weights are one)."""
    logits = word_logits(h, W, a, b, w)
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: Array = shares / shares.sum(axis=-1, keepdims=True)
    return result
