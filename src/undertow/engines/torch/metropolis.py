"""Words that move by Metropolis-Hastings, in torch: all tokens side by side, one proposal after the
other (see `kernels.cpu.metropolis`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from undertow.engines.torch.draws import word_of
from undertow.engines.torch.gibbs import Key, Model, Tokens
from undertow.engines.torch.philox import TO_UNIT, philox
from undertow.kernels.randomness import Purpose


class Offers(NamedTuple):
    """What words are offered from: p."""

    table: Any  # (K, 2) its alias table
    log_shares: Any  # (K,)


def move_words(
    key: Key, model: Model, offers: Offers, hidden: Any, tokens: Tokens, words: Any, proposals: int
) -> Any:
    """(T,) The words of tokens after so many proposals to each."""
    ids, units = tokens.ids[tokens.owners], hidden[tokens.owners]
    shifts = (hidden @ model.hidden_bias)[tokens.owners]
    held = _pulls(model, offers, units, shifts, words)
    for number in range(proposals):
        stage = key.step * proposals + number
        bits = philox(key.seed, Purpose.PROPOSAL, stage, key.epoch, ids, tokens.numbers)
        offered = word_of(offers.table, bits[0], bits[1])
        pulls = _pulls(model, offers, units, shifts, offered)
        takes = bits[2].double() * TO_UNIT < (pulls - held).exp()
        words, held = torch.where(takes, offered, words), torch.where(takes, pulls, held)
    return words


def _pulls(model: Model, offers: Offers, units: Any, shifts: Any, words: Any) -> Any:
    """(T,) l - log p of a word for each token, in float64."""
    products = (model.weights[words] * units).sum(dim=1)
    logits = model.word_weights[words] * (products + model.visible_bias[words] + shifts)
    return logits.double() - offers.log_shares[words]
