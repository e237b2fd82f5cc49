"""CD and PCD in torch: what the hidden units see, Gibbs steps, and the gradient of both phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from undertow.counts import CountBatch
from undertow.engines.protocol import Place, Pressure
from undertow.engines.torch import encoding
from undertow.engines.torch import gibbs as chains_of
from undertow.engines.torch.documents import Documents, Seen, documents_of
from undertow.engines.torch.draws import hidden_units
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.metropolis import Offers, move_words
from undertow.engines.torch.noise_contrast import pressed
from undertow.engines.torch.sums import grouped_by, grouped_rows, spans, starts_of


@dataclass(frozen=True)
class Chains:
    """Where persistent chains were left: which documents have any, and hidden units packed to
    bits.
    """

    started: Any  # (N,) uint8
    hidden: Any  # (N, H / 8) uint8


def see(documents: Documents, model: chains_of.Model) -> Seen:
    """P(h | document), lengths and scores."""
    own = (model.weights, model.word_weights, model.hidden_bias)
    return Seen(documents, *encoding.posteriors(*own, documents))


def gibbs(
    seen: Seen,
    place: Place,
    model: chains_of.Model,
    *,
    seed: int,
    steps: int,
    weighted: bool,
    chains: Chains | None,
) -> Seen:
    """Words and hidden units in turn, from the documents on or from where chains were left."""
    documents, epoch = seen.documents, place.epoch
    ids = documents.ids
    hidden = hidden_units(seed, epoch, 0, ids, seen.posteriors)
    if chains is not None:
        going = chains.started[ids] == 1
        left = _unpacked(chains.hidden[ids], hidden.shape[1]).to(hidden.dtype)
        hidden = torch.where(going[:, None], left, hidden)
    sizes, tokens = _tokens(documents)
    drawn_from, sample = model if weighted else _unweighted(model), seen
    for step in range(steps):
        if step:
            hidden = hidden_units(seed, epoch, step, ids, sample.posteriors)
        key = chains_of.Key(seed, epoch, step)
        words = chains_of.draw_words(key, drawn_from, hidden, tokens)
        sample = see(_of_words(documents, sizes, words), model)
    if chains is not None:
        hidden = hidden_units(seed, epoch, steps, ids, sample.posteriors)
        chains.hidden[ids] = _packed(hidden.bool())
        chains.started.index_fill_(0, ids, 1)
    return sample


def walk(
    seen: Seen,
    place: Place,
    model: chains_of.Model,
    offers: Offers,
    *,
    seed: int,
    steps: int,
    proposals: int,
    weighted: bool,
) -> Seen:
    """The same with words that move from where they are: first from the documents' own."""
    documents, sample = seen.documents, seen
    sizes, tokens = _tokens(documents)
    total = len(tokens.owners)
    words = torch.repeat_interleave(documents.words, documents.counts, output_size=total)
    towards = model if weighted else _unweighted(model)
    for step in range(steps):
        key = chains_of.Key(seed, place.epoch, step)
        hidden = hidden_units(seed, place.epoch, step, documents.ids, sample.posteriors)
        words = move_words(key, towards, offers, hidden, tokens, words, proposals)
        sample = see(_of_words(documents, sizes, words), model)
    return sample


def _unweighted(model: chains_of.Model) -> chains_of.Model:
    """The same rows of W, for words that all weigh alike."""
    return model._replace(
        hidden_bias=torch.zeros_like(model.hidden_bias),
        word_weights=torch.ones_like(model.word_weights),
    )


def _tokens(documents: Documents) -> tuple[Any, chains_of.Tokens]:
    """How many tokens each document has, and all of them."""
    sizes = spans(documents.counts.double(), documents.starts).long()
    total = int(documents.tokens.sum())
    return sizes, chains_of.tokens_of(documents.ids, sizes, total)


def _of_words(documents: Documents, sizes: Any, words: Any) -> Documents:
    """As many documents, with these tokens."""
    return Documents(
        documents.batch,
        documents.tokens,
        documents.ids,
        starts_of(sizes),
        words,
        torch.ones_like(words),
    )


def difference(
    seen: Seen, sample: Seen, model: chains_of.Model, pressure: Pressure
) -> TorchGradient:
    """The mean over documents of <u h> in the samples less <u h> in the data."""
    size, activity = len(seen.posteriors), seen.posteriors.mean(dim=0)
    penalty, change = pressed(pressure, activity, seen.posteriors)
    data, drawn = change - seen.posteriors / size, sample.posteriors / size
    hidden_bias = seen.lengths.to(data.dtype) @ data + sample.lengths.to(data.dtype) @ drawn
    words, rows, coefficients = (
        torch.cat(parts)
        for parts in zip(_entries(seen, 0, model), _entries(sample, size, model), strict=True)
    )
    groups = grouped_by(words)
    shares = torch.full((2 * size, 1), 1.0 / size, dtype=torch.float64, device=words.device)
    shares[:size] *= -1.0
    of_b = grouped_rows(groups, shares, rows, coefficients.double())[:, 0]
    return TorchGradient(
        groups.keys,
        grouped_rows(groups, torch.cat([data, drawn]), rows, coefficients),
        {"hidden_bias": hidden_bias},
        _free_energy_gap(seen, sample, model) + penalty,
        activity,
        len(model.weights),
        lazy_visible=of_b.to(data.dtype),
    )


def _entries(seen: Seen, first: int, model: chains_of.Model) -> tuple[Any, Any, Any]:
    documents = seen.documents
    owners = torch.repeat_interleave(documents.starts.diff(), output_size=len(documents.words))
    coefficients = model.word_weights[documents.words] * documents.counts
    return documents.words, owners + first, coefficients


def _free_energy_gap(seen: Seen, sample: Seen, model: chains_of.Model) -> Any:
    """Mean over documents of (F(document) - F(sample)) / L: what CD reports as its loss, for want
    of a real one.
    """
    pull = (model.word_weights * model.visible_bias).double()
    given, drawn = (
        spans(pull[one.documents.words] * one.documents.counts, one.documents.starts)
        for one in (seen, sample)
    )
    return ((drawn + sample.scores - given - seen.scores) / seen.lengths).mean()


def _unpacked(packed: Any, units: int) -> Any:
    shifts = torch.arange(7, -1, -1, device=packed.device)
    bits = (packed[..., None].long() >> shifts) & 1
    return bits.reshape(len(packed), -1)[:, :units]


def _packed(bits: Any) -> Any:
    missing = -bits.shape[1] % 8
    whole = torch.nn.functional.pad(bits.long(), (0, missing)).reshape(len(bits), -1, 8)
    shifts = torch.arange(7, -1, -1, device=bits.device)
    return (whole << shifts).sum(dim=-1).to(torch.uint8)


def seen_of(batch: CountBatch, model: chains_of.Model) -> Seen:
    """What the hidden units see of a minibatch."""
    return see(documents_of(batch, model.weights.device), model)


def sampled(
    batch: CountBatch, chances: Any, model: chains_of.Model, place: Place, seed: int
) -> CountBatch:
    """A new word for every token of a batch, given hidden units that are on with these chances."""
    documents = documents_of(batch, chances.device)
    hidden = hidden_units(seed, *place, documents.ids, chances)
    _, tokens = _tokens(documents)
    drawn = chains_of.draw_words(chains_of.Key(seed, *place), model, hidden, tokens)
    words = drawn.to(torch.int32).cpu().numpy()
    starts = np.concatenate([[0], np.cumsum(documents.tokens)])
    return CountBatch(batch.document_ids, starts, words, np.ones(len(words), dtype=np.int32))
