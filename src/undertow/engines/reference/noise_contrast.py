"""alpha-NCE, verb by verb: what is kept, what replaces the rest, and the gradient of telling them
apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.protocol import Noise, Objective, Place, Pressure
from undertow.engines.reference.documents import dense_counts
from undertow.engines.reference.gradient import ReferenceGradient
from undertow.kernels.randomness import SHARD
from undertow.kernels.reference import draws, energies, objectives
from undertow.kernels.reference.energies import Array

AT_A_TIME = 16  # documents: their noise is dense, documents x k x words


@dataclass(frozen=True)
class Kept:
    """Documents, and the tokens that they keep."""

    place: Place
    ids: list[int]
    counts: draws.Counts  # (B, K)
    kept: draws.Counts  # (B, K)


@dataclass(frozen=True)
class Drawn:
    """The same with their noise, document by document: each draws its (k, K) counts."""

    kept: Kept
    noise: list[draws.Counts]


def keep_words(
    batch: CountBatch, place: Place, level: float | tuple[float, float], words: int, seed: int
) -> Kept:
    """V_r of every document."""
    ids, counts = batch.document_ids.tolist(), dense_counts(batch, words)
    levels = (
        draws.noise_levels(seed, place.epoch, ids, *level) if isinstance(level, tuple) else level
    )
    to_keep = draws.kept_tokens(counts.sum(axis=1), levels)
    kept = [
        draws.kept_counts(seed, place.epoch, document, own, int(number))
        for document, own, number in zip(ids, counts, to_keep, strict=True)
    ]
    return Kept(place, ids, counts, np.array(kept))


def draw_noise(kept: Kept, noise: Noise, table: NDArray[np.uint32], seed: int) -> Drawn:
    """The words that replace what is not kept, in each noise document."""
    epoch, k, words = kept.place.epoch, noise.documents, kept.counts.shape[1]
    replaced = (kept.counts - kept.kept).sum(axis=1).tolist()
    drawn = []
    for d, document in enumerate(kept.ids):
        if noise.independent:
            own = draws.independent_noise(seed, epoch, document, table, replaced[d], k)
        else:
            if d % SHARD == 0:  # documents of a shard share a stream
                length = max(noise.stream_length, 2 * max(replaced[d : d + SHARD]))
                number = kept.place.number
                stream = draws.stream(seed, epoch, number, d // SHARD, table, length)
            own = draws.window_noise(seed, epoch, document, stream, replaced[d], k, words)
        drawn.append(own)
    return Drawn(kept, drawn)


def contrast(
    drawn: Drawn, model: objectives.Model, objective: Objective, pressure: Pressure
) -> ReferenceGradient:
    """The mean over documents of alpha-NCE's gradient, and the pressure on the units."""
    counts = drawn.kept.counts
    penalty, W, a = objectives.sparsity(model, counts, target=pressure.target, cost=pressure.cost)
    loss, b, corrections = penalty, np.zeros_like(model.b), np.zeros_like(model.corrections)
    touched = counts.any(axis=0)
    for share, part in _parts(drawn):
        one, gradients = objectives.alpha_nce(
            model, part, uniform=objective.uniform, sharpness=objective.sharpness
        )
        loss += share * one
        W, a = W + share * gradients.W, a + share * gradients.a
        b, corrections = b + share * gradients.b, corrections + share * gradients.corrections
        touched |= part.noise.any(axis=(0, 1))
    others: dict[str, Array] = {"hidden_bias": a}
    if objective.learns_visible_bias:
        others["visible_bias"] = b
    if objective.corrections is not None:
        others[objective.corrections] = corrections
    on = energies.posterior(model.w * counts, model.W, model.a)
    return ReferenceGradient(W, np.flatnonzero(touched), others, loss, on.mean(axis=0))


def _parts(drawn: Drawn) -> Iterator[tuple[float, objectives.Draws]]:
    """A few documents at a time, with their share of the minibatch."""
    size = len(drawn.noise)
    for first in range(0, size, AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        noise = np.array(drawn.noise[part])
        yield (
            len(noise) / size,
            objectives.Draws(drawn.kept.counts[part], drawn.kept.kept[part], noise),
        )
