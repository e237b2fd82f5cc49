"""Gibbs steps: words given hidden units, without ever writing documents x words.

The vocabulary goes by in chunks, as in `kernels.cpu.gibbs`: a matrix product gives the logits of
some chunks for all documents, and at each chunk a token keeps its present word or, with probability
(weight of the chunk) / (weight so far), takes a word of the chunk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from undertow.engines.torch.philox import TO_UNIT, philox
from undertow.engines.torch.sums import running_sums, starts_of
from undertow.kernels.randomness import CHUNK, Purpose

# Logits that are held at a time, as far as a chunk of all documents allows: what a cache holds, and
# so many that a card is not kept waiting for the next operation
ON_CPU, ON_CARD = 2**18, 2**25
OF_TOKEN = 4  # logits that take the memory of a token's numbers at a chunk


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
    size, chunks = len(hidden), -(-len(model.weights) // CHUNK)
    most = ON_CARD if hidden.is_cuda else ON_CPU
    at_a_time = max(most // max(size * CHUNK, OF_TOKEN * len(tokens.owners)), 1)
    shifts, words = hidden @ model.hidden_bias, torch.zeros_like(tokens.owners)
    # of the chunks so far: the largest logit, and the logarithm of the sum of weights
    before = torch.full((2, size, 1), -torch.inf, dtype=torch.float64, device=hidden.device)
    for first in range(0, chunks, at_a_time):
        logits = _logits(model, hidden, shifts, slice(first, min(first + at_a_time, chunks)))
        peaks = torch.cat([before[0], logits.amax(dim=2).double()], dim=1).cummax(dim=1).values
        weights = (logits - peaks[:, 1:, None].to(logits.dtype)).exp()
        sums = running_sums(weights.double(), 2)
        own = sums[..., -1].log() + peaks[:, 1:]
        totals = torch.logcumsumexp(torch.cat([before[1], own], dim=1), dim=1)
        chances = (own - totals[:, 1:]).exp()
        stages = torch.arange(first, first + sums.shape[1], device=hidden.device)
        last, heights = _choices(key, key.step * chunks + stages, tokens, chances)
        which = (tokens.owners, last.clamp(min=0))
        place = _search(sums, which, heights * sums[*which, -1], len(model.weights) - first * CHUNK)
        words = torch.where(last >= 0, (first + last) * CHUNK + place, words)
        before = torch.stack([peaks[:, -1:], totals[:, -1:]])
    return words


def _logits(model: Model, hidden: Any, shifts: Any, chunks: slice) -> Any:
    """(B, chunks, CHUNK) Of the words of some chunks; those beyond the last word have none."""
    span = slice(chunks.start * CHUNK, min(chunks.stop * CHUNK, len(model.weights)))
    logits = hidden @ model.weights[span].T
    logits += model.visible_bias[span]
    logits += shifts[:, None]
    logits *= model.word_weights[span]
    missing = (chunks.stop - chunks.start) * CHUNK - (span.stop - span.start)
    if missing:
        logits = torch.nn.functional.pad(logits, (0, missing), value=-torch.inf)
    return logits.view(len(hidden), -1, CHUNK)


def _choices(key: Key, stages: Any, tokens: Tokens, chances: Any) -> tuple[Any, Any]:
    """The last of some chunks that a token takes, -1 where it takes none; and how high in it, as a
    share of its weight.
    """
    ids, call = tokens.ids[tokens.owners], tokens.numbers >> 1
    bits = philox(key.seed, Purpose.WORD, stages[:, None], key.epoch, ids, call)
    odd = (tokens.numbers & 1).bool()
    first, second = (
        torch.where(odd, bits[2 + half], bits[half]).double() * TO_UNIT for half in (0, 1)
    )
    takes = first < chances.T[:, tokens.owners]
    numbers = torch.arange(len(stages), device=ids.device)[:, None]
    last = torch.where(takes, numbers, -1).amax(dim=0)
    return last, second.gather(0, last.clamp(min=0)[None])[0]


def _search(sums: Any, which: tuple[Any, Any], heights: Any, words: int) -> Any:
    """How many sums of a document's chunk are at most so high, but its last place at most (there
    are so many words from the first chunk on): by halves.
    """
    owners, chunks = which
    low = torch.zeros_like(owners)
    high = (words - 1 - chunks * CHUNK).clamp(max=CHUNK - 1)
    for _ in range((CHUNK - 1).bit_length()):
        middle = (low + high) >> 1
        above = (sums[owners, chunks, middle] <= heights) & (low < high)
        low, high = torch.where(above, middle + 1, low), torch.where(above, high, middle)
    return low
