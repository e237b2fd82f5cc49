"""Words that move by Metropolis-Hastings: a proposal costs a row of W, whatever the vocabulary.

P(k | h) is proportional to e^(l_k) with l_k = w_k (W_k.h + b_k + a.h). A token that holds word k is
offered a word k' from p, by the alias table, and takes it with probability
min(1, e^(g_k' - g_k)), where g_k = l_k - log p_k. Nothing is summed over the vocabulary.

What tokens are offered does not depend on what they hold, so all proposals of a document are drawn
at once, and their rows of W are asked for ahead of time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels.cpu.alias import draw_word
from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.philox import philox
from undertow.kernels.cpu.prefetch import AHEAD, prefetch_row
from undertow.kernels.cpu.vector_math import exp_of_negative
from undertow.kernels.randomness import Purpose

PROPOSAL = int(Purpose.PROPOSAL)
TO_UNIT = 2.0**-32


@piece
def _product(row: Any, other: Any) -> Any:
    total = np.float32(0.0)
    for j in range(row.size):
        total += row[j] * other[j]
    return total


@piece
def _pull(model: Any, word: Any, hidden: Any, shift: Any) -> Any:
    """g of a word: how much likelier it is given the hidden units than to be offered."""
    product = _product(model.weights[word], hidden)
    logit = model.word_weights[word] * (product + model.visible_bias[word] + shift)
    return logit - model.log_shares[word]


@piece
def _propose(seed: Any, epoch: Any, stage: Any, document: Any, table: Any, bits: Any) -> None:
    """Draws bits[0, i], the word that token i is offered, and bits[1, i], what decides whether it
    takes it.
    """
    for token in range(bits.shape[1]):  # together they vectorise, and look-ups then overlap
        bits[0, token], bits[1, token], bits[2, token], _ = philox(
            seed, PROPOSAL, stage, epoch, document, token
        )
    for token in range(bits.shape[1]):
        word = draw_word(table, np.uint64(bits[0, token]), np.uint64(bits[1, token]))
        bits[0, token], bits[1, token] = word, bits[2, token]


@kernel
def move_words(
    first: int,
    last: int,
    seed: Any,
    epoch: int,
    step: int,
    proposals: int,
    model: Any,
    hidden: Any,
    ids: Any,
    starts: Any,
    words: Any,
) -> None:
    """Offers every token of documents `first` to `last` so many words, one after the other, given
    the hidden units of its document. Document d owns tokens starts[d] to starts[d + 1] of `words`,
    which are changed in place.
    """
    longest = 0
    for d in range(first, last):
        longest = max(longest, starts[d + 1] - starts[d])
    bits = np.empty((proposals, 3, longest), dtype=np.uint32)
    pulls = np.empty(longest, dtype=np.float32)
    for d in range(first, last):
        own, units = words[starts[d] : starts[d + 1]], hidden[d]
        tokens, shift = own.size, _product(model.hidden_bias, units)
        for number in range(proposals):
            stage = step * proposals + number
            _propose(seed, epoch, stage, ids[d], model.table, bits[number, :, :tokens])
        for token in range(tokens):
            prefetch_row(model.weights[own[min(token + AHEAD, tokens - 1)]])
            pulls[token] = _pull(model, own[token], units, shift)
        for number in range(proposals):
            offered, heights = bits[number, 0, :tokens], bits[number, 1, :tokens]
            for token in range(tokens):
                prefetch_row(model.weights[offered[min(token + AHEAD, tokens - 1)]])
                word = np.int32(offered[token])
                pull = _pull(model, word, units, shift)
                gain = pull - pulls[token]
                if gain >= 0.0 or heights[token] * TO_UNIT < exp_of_negative(gain):
                    own[token], pulls[token] = word, pull
