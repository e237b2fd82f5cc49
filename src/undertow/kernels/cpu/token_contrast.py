"""Tokens beside noise words: hidden vectors of documents, and the weights of words, step by step.

Word k scores s_k = W_k.h + offset in a document whose hidden vector is h, and is one of its tokens
with probability sigmoid(s_k). A step takes some 32 tokens of a document, each with one noise word
that counts `n_noise` times, and follows the gradient of

    sum over tokens of log sigmoid(s) + n_noise * sum over noise words of log sigmoid(-s)

by h and by the rows of W that it touched: what a step costs does not depend on the number of words.
Steps are those of AdaGrad, with one number for each row. `kernels.reference.token_contrast` has the
same in float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.alias import draw_word
from undertow.kernels.cpu.compile import kernel, piece
from undertow.kernels.cpu.philox import below, philox
from undertow.kernels.randomness import TOKENS_A_STEP, Purpose

TOKEN = int(Purpose.TOKEN)
KEEP, ORDER, NOISE = 0, 1, 2  # stages of the draws


class Documents(NamedTuple):
    """Which words each document holds; how often does not matter."""

    ids: NDArray[np.int64]  # (B,) whose draws they have
    starts: NDArray[np.int64]  # (B + 1,)
    words: NDArray[np.int32]


class Words(NamedTuple):
    """Rows of weights, with the squares that their steps are divided by, and what is drawn."""

    weights: NDArray[np.float32]  # (K, H)
    squares: NDArray[np.float32]  # (K,)
    table: NDArray[np.uint32]  # (K, 2) the noise distribution, as `alias` draws from it
    kept: NDArray[np.uint64]  # (K,) of 2^32: how often a token of the word takes part


class Pace(NamedTuple):
    """How far steps go, and what noise counts."""

    of_documents: np.float32
    of_words: np.float32  # 0: weights stay as they are
    offset: np.float32
    n_noise: np.float32


@piece
def _tokens(seed: Any, epoch: Any, documents: Any, d: Any, kept: Any, taken: Any) -> Any:
    """The words of a document that take part in this epoch, in a random order; returns how many."""
    begin, number, own = documents.starts[d], 0, documents.ids[d]
    for entry in range(begin, documents.starts[d + 1]):
        word = documents.words[entry]
        bits, _, _, _ = philox(seed, TOKEN, KEEP, epoch, own, entry - begin)
        if bits < kept[word]:
            taken[number] = word
            number += 1
    for place in range(number - 1, 0, -1):
        bits, _, _, _ = philox(seed, TOKEN, ORDER, epoch, own, place)
        other = below(bits, place + 1)
        taken[place], taken[other] = taken[other], taken[place]
    return number


@piece
def _slopes(words: Any, rows: Any, number: Any, hidden: Any, pace: Any, slopes: Any) -> None:
    """The derivative of the objective by each score: tokens first, then as many noise words."""
    for i in range(2 * number):
        row, score = words.weights[rows[i]], np.float32(0.0)
        for j in range(hidden.size):
            score += row[j] * hidden[j]
        chance = np.float32(1.0) / (np.float32(1.0) + np.exp(-(score + pace.offset)))
        slopes[i] = np.float32(1.0) - chance if i < number else -pace.n_noise * chance


@piece
def _step(
    words: Any, rows: Any, number: Any, hidden: Any, square: Any, pace: Any, slopes: Any, by: Any
) -> Any:
    """One step of a document and of the words it touched; returns the document's sum of squares."""
    by[:] = np.float32(0.0)
    for i in range(2 * number):
        word, slope = rows[i], slopes[i]
        row = words.weights[word]
        for j in range(hidden.size):
            by[j] += slope * row[j]
        if pace.of_words > 0:
            words.squares[word] += slope * slope
            length = pace.of_words * slope / np.sqrt(words.squares[word])
            for j in range(hidden.size):
                row[j] += length * hidden[j]
    total = np.float32(0.0)
    for j in range(hidden.size):
        total += by[j] * by[j]
    square += total / np.float32(hidden.size)
    length = pace.of_documents / np.sqrt(square)
    for j in range(hidden.size):
        hidden[j] += length * by[j]
    return square


@kernel
def contrast_tokens(
    first: int,
    last: int,
    order: Any,
    seed: Any,
    epoch: int,
    documents: Any,
    words: Any,
    hidden: Any,
    squares: Any,
    pace: Any,
) -> None:
    """Documents `order[first:last]`, one after the other: steps of all their tokens.

    Where weights stay as they are, documents do not touch each other, so that any split over
    threads gives the same bits.
    """
    longest = 0
    for place in range(first, last):
        d = order[place]
        longest = max(longest, documents.starts[d + 1] - documents.starts[d])
    taken = np.empty(max(longest, 1), dtype=np.int32)
    rows = np.empty(2 * TOKENS_A_STEP, dtype=np.int32)
    slopes = np.empty(2 * TOKENS_A_STEP, dtype=np.float32)
    by = np.empty(hidden.shape[1], dtype=np.float32)
    for place in range(first, last):
        d = order[place]
        tokens = _tokens(seed, epoch, documents, d, words.kept, taken)
        for begin in range(0, tokens, TOKENS_A_STEP):
            number = min(TOKENS_A_STEP, tokens - begin)
            for i in range(number):
                b0, b1, _, _ = philox(seed, TOKEN, NOISE, epoch, documents.ids[d], begin + i)
                rows[i], rows[number + i] = taken[begin + i], draw_word(words.table, b0, b1)
            _slopes(words, rows, number, hidden[d], pace, slopes)
            squares[d] = _step(words, rows, number, hidden[d], squares[d], pace, slopes, by)
