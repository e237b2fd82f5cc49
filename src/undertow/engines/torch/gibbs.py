"""Gibbs steps: words given hidden units, without ever writing documents x words.

The vocabulary goes by in chunks, as in `kernels.cpu.gibbs`: a matrix product gives the logits of a
chunk for all documents, and each token keeps its present word or, with probability (weight of the
chunk) / (weight so far), takes a word of the chunk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from undertow.engines.torch.philox import TO_UNIT, philox
from undertow.engines.torch.sums import running_sums, starts_of
from undertow.kernels.randomness import CHUNK, Purpose


@dataclass(frozen=True)
class Key:
    """Where in a run words are drawn."""

    seed: int
    epoch: int
    step: int


class Model(NamedTuple):
    """What words are drawn from: softmax(w (W.h + b + a.h))."""

    weights: Any  # (K, H)
    hidden_bias: Any  # (H,)
    visible_bias: Any  # (K,)
    word_weights: Any  # (K,)


def model_of(tensors: Mapping[str, Any]) -> Model:
    """From the tensors of parameters, by name."""
    names = ("weights", "hidden_bias", "visible_bias", "word_weights")
    return Model(*(tensors[name] for name in names))


class Tokens(NamedTuple):
    """Which tokens there are to draw."""

    ids: Any  # (B,)
    owners: Any  # (T,) the document of each token
    numbers: Any  # (T,) its number in its document


def tokens_of(ids: Any, sizes: Any, total: int) -> Tokens:
    """So many tokens for each document, `total` in all."""
    owners = torch.repeat_interleave(sizes, output_size=total)
    numbers = torch.arange(total, device=ids.device) - starts_of(sizes)[owners]
    return Tokens(ids, owners, numbers)


def draw_words(key: Key, model: Model, hidden: Any, tokens: Tokens) -> Any:
    """(T,) A word for every token, from P(word | hidden units of its document)."""
    vocabulary, size = len(model.weights), len(hidden)
    chunks, shifts = -(-vocabulary // CHUNK), hidden @ model.hidden_bias
    words = torch.zeros_like(tokens.owners)
    peaks = torch.full((size,), -torch.inf, dtype=torch.float64, device=hidden.device)
    totals = torch.zeros_like(peaks)
    for chunk in range(chunks):
        span = slice(chunk * CHUNK, min((chunk + 1) * CHUNK, vocabulary))
        logits = hidden @ model.weights[span].T + model.visible_bias[span] + shifts[:, None]
        logits *= model.word_weights[span]
        new_peaks = torch.maximum(peaks, logits.amax(dim=1).double())
        weights = (logits - new_peaks.to(logits.dtype)[:, None]).exp()
        sums = running_sums(weights.double(), 1)
        totals = totals * (peaks - new_peaks).exp() + sums[:, -1]
        peaks = new_peaks
        chances = sums[:, -1] / totals
        takes, place = _choices(key, key.step * chunks + chunk, tokens, chances, sums)
        words = torch.where(takes, span.start + place, words)
    return words


def _choices(key: Key, stage: int, tokens: Tokens, chances: Any, sums: Any) -> tuple[Any, Any]:
    """Which tokens take a word of a chunk, and its place in it."""
    ids, call = tokens.ids[tokens.owners], tokens.numbers >> 1
    bits = philox(key.seed, Purpose.WORD, stage, key.epoch, ids, call)
    odd = (tokens.numbers & 1).bool()
    first, second = (
        torch.where(odd, bits[2 + half], bits[half]).double() * TO_UNIT for half in (0, 1)
    )
    heights = second * sums[tokens.owners, -1]
    return first < chances[tokens.owners], _search(sums, tokens.owners, heights)


def _search(sums: Any, owners: Any, heights: Any) -> Any:
    """How many of the owner's sums are at most so high, but its last place at most: by halves."""
    low = torch.zeros_like(owners)
    high = torch.full_like(owners, sums.shape[1] - 1)
    for _ in range((sums.shape[1] - 1).bit_length()):
        middle = (low + high) >> 1
        above = (sums[owners, middle] <= heights) & (low < high)
        low, high = torch.where(above, middle + 1, low), torch.where(above, high, middle)
    return low
