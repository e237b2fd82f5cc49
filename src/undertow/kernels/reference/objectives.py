"""alpha-NCE's objective with its gradient, and the sparsity penalty, for given draws.

Shapes: documents B, noise documents per document k, words K, units H. `documents` and `kept` are
counts (B, K), and `noise` is the counts of the words that replace the others (B, k, K).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.reference.energies import lengths, posterior, score, sigmoid

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Model:
    """Parameters in float64, with the noise distribution and the corrections c_D of the frozen log
    Z.
    """

    W: Array
    a: Array
    b: Array
    w: Array
    p: Array
    corrections: Array


@dataclass(frozen=True)
class Draws:
    """A minibatch with what was drawn for it."""

    documents: Counts
    kept: Counts
    noise: Counts


@dataclass(frozen=True)
class Gradients:
    """Gradients of a loss."""

    W: Array
    a: Array
    b: Array
    corrections: Array


def log_ratios(
    model: Model, kept: Counts, replaced: Counts, *, uniform: bool
) -> tuple[Array, Array]:
    """X of documents made of kept and replaced tokens, and the factor 1/L before its bracket (1
    without UCE).
    """
    log_z = np.log(np.exp(model.b).sum())
    gains = (model.w * replaced) @ (model.b - log_z - np.log(model.p))
    u, u_kept = model.w * (kept + replaced), model.w * kept
    tokens, tokens_kept = (kept + replaced).sum(axis=-1), kept.sum(axis=-1)
    bracket = gains + score(u, model.W, model.a) - score(u_kept, model.W, model.a)
    bracket = bracket - (model.corrections[tokens] - model.corrections[tokens_kept])
    if not uniform:
        return bracket, np.ones_like(bracket)
    factor = np.divide(1.0, lengths(u), out=np.zeros_like(bracket), where=lengths(u) > 0)
    return factor * bracket, factor


def alpha_nce(
    model: Model, draws: Draws, *, uniform: bool, sharpness: float
) -> tuple[float, Gradients]:
    """J, and its gradient with respect to W, a, b and the corrections."""
    B, k, _ = draws.noise.shape
    kept = draws.kept[:, None, :]
    replaced = np.concatenate([(draws.documents - draws.kept)[:, None, :], draws.noise], axis=1)
    X, factor = log_ratios(model, np.broadcast_to(kept, replaced.shape), replaced, uniform=uniform)
    sign = np.array([-1.0] + [1.0] * k)
    argument = sign * (sharpness * X - np.log(k))
    loss = float(np.logaddexp(0.0, argument).sum() / B)
    slope = sign * sharpness * factor * sigmoid(argument) / B  # dJ / d(bracket of X), (B, 1 + k)
    return loss, _backward(model, kept, replaced, slope)


def _backward(model: Model, kept: Counts, replaced: Counts, slope: Array) -> Gradients:
    """From dJ / d(bracket) to the parameters; S(V_r) is subtracted in every bracket."""
    u, u_kept = model.w * (kept + replaced), model.w * kept[:, 0]
    on = slope[..., None] * posterior(u, model.W, model.a)
    off = slope.sum(axis=1)[:, None] * posterior(u_kept, model.W, model.a)
    W = np.einsum("bnk,bnh->kh", u, on) - np.einsum("bk,bh->kh", u_kept, off)
    a = np.einsum("bn,bnh->h", lengths(u), on) - np.einsum("b,bh->h", lengths(u_kept), off)
    u_replaced = model.w * replaced
    softmax = np.exp(model.b) / np.exp(model.b).sum()
    b = np.einsum("bn,bnk->k", slope, u_replaced) - (slope * lengths(u_replaced)).sum() * softmax
    corrections = np.zeros_like(model.corrections)
    np.subtract.at(corrections, (kept + replaced).sum(axis=-1), slope)
    np.add.at(corrections, kept[:, 0].sum(axis=-1), slope.sum(axis=1))
    corrections[0] = 0.0  # c_0 is fixed
    return Gradients(W, a, b, corrections)


def sparsity(
    model: Model, documents: Counts, *, target: float, cost: float
) -> tuple[float, Array, Array]:
    """cost * sum_j (mean activity of unit j - target)^2, and its gradients with respect to W and
    a.
    """
    u = model.w * documents
    h = posterior(u, model.W, model.a)
    excess = h.mean(axis=0) - target
    slope = 2.0 * cost * excess * h * (1.0 - h) / len(documents)
    return float(cost * (excess**2).sum()), u.T @ slope, lengths(u) @ slope


def divergence(model: Model, documents: Counts, samples: Counts) -> tuple[Array, Array, Array]:
    """Gradients of CD with respect to W, a and b: the model's statistics less the data's, as a mean
    over documents.
    """
    terms = []
    for counts in (samples, documents):
        u = model.w * counts
        h = posterior(u, model.W, model.a)
        terms.append((u.T @ h, lengths(u) @ h, u.sum(axis=0)))
    W, a, b = ((sampled - data) / len(documents) for sampled, data in zip(*terms, strict=True))
    return W, a, b
