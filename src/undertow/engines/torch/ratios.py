"""Ratio matching in torch: all neighbours of all documents side by side (see
`kernels.cpu.ratios`).
"""

from __future__ import annotations

from typing import Any

import torch

from undertow.counts import CountBatch
from undertow.engines.protocol import Neighbours, Place, Pressure
from undertow.engines.torch.documents import Documents, documents_of
from undertow.engines.torch.draws import word_of
from undertow.engines.torch.encoding import inputs, softplus_sums
from undertow.engines.torch.gibbs import Model
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.metropolis import Offers
from undertow.engines.torch.noise_contrast import pressed
from undertow.engines.torch.philox import below, philox
from undertow.engines.torch.sums import grouped_by, grouped_rows, starts_of
from undertow.kernels.randomness import Purpose


def match(
    batch: CountBatch,
    place: Place,
    neighbours: Neighbours,
    pressure: Pressure,
    *,
    model: Model,
    offers: Offers,
    seed: int,
) -> TorchGradient:
    """The mean over documents, and over what was drawn for them."""
    documents, size = documents_of(batch, model.weights.device), batch.size
    added, removed = _drawn(documents, place, neighbours, offers.table, seed)
    sums, lengths = inputs(model.weights, model.word_weights, documents)
    before = sums + lengths.to(sums.dtype)[:, None] * model.hidden_bias
    more, less = model.word_weights[added][..., None], model.word_weights[removed][..., None]
    after = before[:, None] + more * model.weights[added] - less * model.weights[removed]
    after = after + (more - less) * model.hidden_bias
    gains = _gains(model, offers, added, neighbours) - _gains(model, offers, removed, neighbours)
    chances = (softplus_sums(after) - softplus_sums(before)[:, None] + gains).sigmoid()
    slopes = (2.0 * chances**2 * (1.0 - chances) / chances.numel()).to(sums.dtype)[..., None]
    posteriors = before.sigmoid()
    activity = posteriors.mean(dim=0)
    penalty, change = pressed(pressure, activity, posteriors)
    on = slopes * after.sigmoid()
    of_documents = on.sum(dim=1) - slopes.sum(dim=1) * posteriors + change
    hidden_bias = lengths.to(sums.dtype) @ of_documents
    hidden_bias = hidden_bias + ((more - less) * on).sum(dim=(0, 1))
    table = torch.cat([of_documents, on.reshape(-1, on.shape[-1])])
    words, rows, coefficients = _entries(documents, model, added, removed)
    groups, of_b = grouped_by(words), None
    if neighbours.learns_visible_bias:
        numbers = torch.cat([slopes.new_zeros((size, 1)), slopes.reshape(-1, 1)]).double()
        of_b = grouped_rows(groups, numbers, rows, coefficients.double())[:, 0].to(sums.dtype)
    return TorchGradient(
        groups.keys,
        grouped_rows(groups, table, rows, coefficients),
        {"hidden_bias": hidden_bias},
        (chances**2).mean() + penalty,
        activity,
        len(model.weights),
        lazy_visible=of_b,
    )


def _drawn(
    documents: Documents, place: Place, neighbours: Neighbours, table: Any, seed: int
) -> tuple[Any, Any]:
    """(B, m) The words that replacements add, and those that they remove."""
    device = documents.ids.device
    numbers = torch.arange(neighbours.replacements, device=device)
    ids = documents.ids[:, None]
    bits = philox(seed, Purpose.REPLACEMENT, 0, place.epoch, ids, numbers)
    uniform = neighbours.uniform
    added = below(bits[0], len(table)) if uniform else word_of(table, bits[0], bits[1])
    before = starts_of(documents.counts)  # tokens before each entry of the minibatch
    first, last = before[documents.starts[:-1]], before[documents.starts[1:]]
    tokens = first[:, None] + below(bits[2], (last - first)[:, None])
    entries = torch.searchsorted(before, tokens.contiguous(), right=True) - 1
    return added, documents.words[entries]


def _gains(model: Model, offers: Offers, words: Any, neighbours: Neighbours) -> Any:
    """What words add to s beside what the units say, in float64."""
    shares = offers.log_shares[words]
    own = model.word_weights[words].double() * (model.visible_bias[words].double() - shares)
    return own + shares if neighbours.uniform else own


def _entries(documents: Documents, model: Model, added: Any, removed: Any) -> tuple[Any, Any, Any]:
    """Words, vectors and coefficients of the gradient of W: those of documents, of words that are
    added, and of words that are removed.
    """
    own = documents.words
    owners = torch.repeat_interleave(documents.starts.diff(), output_size=len(own))
    pairs = documents.size + torch.arange(added.numel(), device=added.device)
    more, less = added.reshape(-1), removed.reshape(-1)
    return (
        torch.cat([own, more, less]),
        torch.cat([owners, pairs, pairs]),
        torch.cat(
            [
                model.word_weights[own] * documents.counts,
                model.word_weights[more],
                -model.word_weights[less],
            ]
        ),
    )
