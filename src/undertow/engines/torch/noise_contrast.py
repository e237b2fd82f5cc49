"""alpha-NCE in torch: what is kept, what replaces the rest, and the gradient of telling them apart.

The formulas are those of `kernels.cpu.contrast`. Sums over hidden units and all that follows from
them is float64; rows of H are float32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.protocol import Noise, Objective, Place, Pressure
from undertow.engines.torch import draws, noise
from undertow.engines.torch.documents import Documents, documents_of, to_device
from undertow.engines.torch.encoding import softplus_sums
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.sums import grouped_by, grouped_rows, spans, weighted_rows


@dataclass(frozen=True)
class Kept:
    """A minibatch, and the tokens that its documents keep."""

    documents: Documents
    place: Place
    to_keep: NDArray[np.int64]  # (B,) D_r, on the host
    counts: Any  # (E,) of the entries


@dataclass(frozen=True)
class Drawn:
    """The same with their noise."""

    kept: Kept
    noise: noise.NoiseWords
    documents: int  # k


class Model(NamedTuple):
    """What energies are made of."""

    weights: Any  # (K, H)
    hidden_bias: Any  # (H,)
    word_weights: Any  # (K,)
    gains: Any | None  # (K,) float64: w (b - logsumexp(b) - log p); None where all are zero
    softmax: Any | None  # (K,) of b, where b is learned
    corrections: Any | None  # (longest + 1,) c_D, where log Z is learned


class Parts(NamedTuple):
    """One number or row of kept tokens, one of the replaced ones, and k of the noise."""

    kept: Any  # (B, ...)
    rest: Any  # (B, ...)
    noise: Any  # (B, k, ...)


class Slopes(NamedTuple):
    """Gradients with respect to inputs."""

    documents: Any  # (B,) float64: dJ / d(bracket) of every document
    noise: Any  # (B, k) the same of its noise documents
    kept_rows: Any  # (B, H) dJ / d(W.u of kept tokens)
    rest_rows: Any  # (B, H) of replaced tokens
    noise_rows: Any  # (B k, H) of noise
    hidden_bias: Any  # (H,)
    posteriors: Any  # (B, H) P(h | document)
    lengths: Any  # (B,) float64
    loss: Any  # of telling them apart


def keep_words(
    batch: CountBatch, place: Place, level: float | tuple[float, float], seed: int, device: Any
) -> Kept:
    """V_r of every document."""
    documents = documents_of(batch, device)
    to_keep = draws.kept_tokens(documents, seed, place.epoch, level)
    counts = draws.kept_counts(documents, to_keep, seed, place.epoch)
    return Kept(documents, place, to_keep, counts)


def draw_noise(kept: Kept, options: Noise, table: Any, seed: int) -> Drawn:
    """The words that replace what is not kept, in each noise document."""
    replaced = kept.documents.tokens - kept.to_keep
    words = noise.draw(kept.documents, replaced, kept.place, options, table, seed)
    return Drawn(kept, words, options.documents)


def contrast(drawn: Drawn, model: Model, objective: Objective, pressure: Pressure) -> TorchGradient:
    """The mean over documents of alpha-NCE's gradient, and the pressure on the units."""
    coefficients = _coefficients(drawn, model.word_weights)
    slopes = _slopes(drawn, model, coefficients, objective)
    activity = slopes.posteriors.mean(dim=0)
    penalty, change = pressed(pressure, activity, slopes.posteriors)
    rest, kept = slopes.rest_rows + change, slopes.kept_rows + change
    others = {"hidden_bias": slopes.hidden_bias + slopes.lengths.to(change.dtype) @ change}
    back = drawn.noise.back(slopes.noise_rows)
    documents = drawn.kept.documents
    owners = _owners(documents)
    groups = grouped_by(torch.cat([documents.words, documents.words, back.words]))
    rows = torch.cat([owners, owners + documents.size, back.rows + 2 * documents.size])
    weights = torch.cat([coefficients.rest, coefficients.kept, model.word_weights[back.words]])
    summed = grouped_rows(groups, torch.cat([rest, kept, back.table]), rows, weights)
    if model.softmax is not None:
        others["visible_bias"] = _of_visible_bias(drawn, model, coefficients, slopes)
    if model.corrections is not None:
        others[str(objective.corrections)] = _of_corrections(drawn, model.corrections, slopes)
    loss = slopes.loss + penalty
    return TorchGradient(groups.keys, summed, others, loss, activity, len(model.weights))


def pressed(pressure: Pressure, activity: Any, posteriors: Any) -> tuple[Any, Any]:
    """What the pressure on the units costs, and its gradient with respect to inputs (B, H)."""
    excess = activity.double() - pressure.target
    slope = (2.0 * pressure.cost / len(posteriors) * excess).to(posteriors.dtype)
    return pressure.cost * excess.square().sum(), slope * posteriors * (1.0 - posteriors)


def gains_of(visible_bias: Any, word_weights: Any, log_noise: Any) -> tuple[Any, Any]:
    """w (b - logsumexp(b) - log p) of every word, and softmax(b), in float64."""
    bias = visible_bias.double()
    return word_weights * (bias - bias.logsumexp(0) - log_noise), bias.softmax(0)


def _owners(documents: Documents) -> Any:
    """(E,) The document of every entry."""
    return torch.repeat_interleave(documents.starts.diff(), output_size=len(documents.words))


def _coefficients(drawn: Drawn, word_weights: Any) -> Parts:
    """w times counts, of every entry, and w of every word of the noise."""
    kept, words = drawn.kept.counts, drawn.kept.documents.words
    own, rest = word_weights[words], drawn.kept.documents.counts - kept
    return Parts(own * kept, own * rest, word_weights[drawn.noise.words])


def _sums(drawn: Drawn, of_kept: Any, of_rest: Any, of_noise: Any) -> Parts:
    """Of numbers, in float64."""
    starts = drawn.kept.documents.starts
    own = spans(torch.stack([of_kept, of_rest], dim=1).double(), starts)
    return Parts(own[:, 0], own[:, 1], drawn.noise.numbers(of_noise.double()[:, None])[..., 0])


def _inputs(drawn: Drawn, weights: Any, coefficients: Parts) -> Parts:
    """W.u"""
    words, starts = drawn.kept.documents.words, drawn.kept.documents.starts
    return Parts(
        weighted_rows(weights, words, coefficients.kept, starts),
        weighted_rows(weights, words, coefficients.rest, starts),
        drawn.noise.rows(weights, coefficients.noise),
    )


def _scale(objective: Objective, lengths: Any) -> Any:
    """The factor before the bracket of s X; a document of length 0 has X = 0."""
    if not objective.uniform:
        return torch.full_like(lengths, objective.sharpness)
    return torch.where(lengths > 0.0, objective.sharpness / lengths, 0.0)


def _gains(drawn: Drawn, gains: Any | None) -> tuple[Any, Any]:
    """Of the replaced tokens and of the noise."""
    if gains is None:
        return 0.0, 0.0
    documents = drawn.kept.documents
    rest = gains[documents.words] * (documents.counts - drawn.kept.counts)
    sums = _sums(drawn, torch.zeros_like(rest), rest, gains[drawn.noise.words])
    return sums.rest, sums.noise


def _slopes(drawn: Drawn, model: Model, coefficients: Parts, objective: Objective) -> Slopes:
    """Energies, log-ratios and losses, and from there back to the inputs."""
    lengths, inputs = _sums(drawn, *coefficients), _inputs(drawn, model.weights, coefficients)
    rest_gains, noise_gains = _gains(drawn, model.gains)
    bias, share, k = model.hidden_bias, 1.0 / drawn.kept.documents.size, drawn.documents
    whole, noise_lengths = lengths.kept + lengths.rest, lengths.kept[:, None] + lengths.noise
    own = inputs.kept + lengths.kept.to(bias.dtype)[:, None] * bias
    document = inputs.kept + inputs.rest + whole.to(bias.dtype)[:, None] * bias
    fresh = inputs.kept[:, None] + inputs.noise + noise_lengths.to(bias.dtype)[..., None] * bias
    base = softplus_sums(own) + _corrected(drawn, model.corrections)
    scale, scales = _scale(objective, whole), _scale(objective, noise_lengths)
    argument = math.log(k) - scale * (rest_gains + softplus_sums(document) - base)
    arguments = scales * (noise_gains + softplus_sums(fresh) - base[:, None]) - math.log(k)
    zero = torch.zeros((), dtype=argument.dtype, device=argument.device)
    loss = torch.logaddexp(argument, zero).sum() + torch.logaddexp(arguments, zero).sum()
    factor, factors = -share * scale * argument.sigmoid(), share * scales * arguments.sigmoid()

    posteriors, kept_posteriors = document.sigmoid(), own.sigmoid()
    noise_rows = factors.to(bias.dtype)[..., None] * fresh.sigmoid()
    rest_rows = factor.to(bias.dtype)[:, None] * posteriors
    # S(V_r) is subtracted in the log-ratio of the document and of every noise document.
    all_factors = (factor + factors.sum(dim=1)).to(bias.dtype)
    from_kept = all_factors[:, None] * kept_posteriors
    pull = whole.to(bias.dtype) @ rest_rows - lengths.kept.to(bias.dtype) @ from_kept
    noise_rows = noise_rows.reshape(-1, len(bias))
    return Slopes(
        factor,
        factors,
        noise_rows.reshape(*factors.shape, -1).sum(dim=1) + rest_rows - from_kept,
        rest_rows,
        noise_rows,
        pull + noise_lengths.to(bias.dtype).reshape(-1) @ noise_rows,
        posteriors,
        whole,
        loss * share,
    )


def _corrected(drawn: Drawn, corrections: Any | None) -> Any:
    """c_D - c_{D_r}"""
    if corrections is None:
        return 0.0
    device = corrections.device
    tokens = to_device(drawn.kept.documents.tokens, device)
    return corrections[tokens] - corrections[to_device(drawn.kept.to_keep, device)]


def _of_corrections(drawn: Drawn, corrections: Any, slopes: Slopes) -> Any:
    """-dJ/d(log-ratio) for c_D and its opposite for c_{D_r}; c_0 stays 0, since no words need no
    normaliser.
    """
    device = corrections.device
    factors = (slopes.documents + slopes.noise.sum(dim=1)).to(corrections.dtype)
    keys = np.concatenate([drawn.kept.documents.tokens, drawn.kept.to_keep])
    groups = grouped_by(to_device(keys, device))
    terms = torch.cat([-factors, factors])[:, None]
    rows = torch.arange(len(terms), device=device)
    out = torch.zeros_like(corrections)
    out[groups.keys] = grouped_rows(groups, terms, rows, None)[:, 0]
    out[:1] = 0.0  # one number by its place would be copied over, which waits
    return out


def _of_visible_bias(drawn: Drawn, model: Model, coefficients: Parts, slopes: Slopes) -> Any:
    """Of b: where words were replaced and where they stand in noise, less their share of all."""
    documents = drawn.kept.documents
    back = drawn.noise.back(slopes.noise.reshape(-1, 1))
    groups = grouped_by(torch.cat([documents.words, back.words]))
    rows = torch.cat([_owners(documents), back.rows + documents.size])
    table = torch.cat([slopes.documents[:, None], back.table])
    weights = torch.cat([coefficients.rest, model.word_weights[back.words]]).double()
    lengths = _sums(drawn, *coefficients)
    pull = slopes.documents @ lengths.rest + (slopes.noise * lengths.noise).sum()
    out = -pull * model.softmax
    out[groups.keys] += grouped_rows(groups, table, rows, weights)[:, 0]
    return out.to(model.weights.dtype)
