"""Directions of words in which documents differ most: what the words themselves have to say in a
document's vector.

Hidden units bring documents of one kind together, and lose fine distinctions on the way; the words
hold them. So the first right singular vectors of the documents' weighted counts (latent semantic
analysis) stand beside the units in "balanced" vectors. docs/design_notes.md has what that is worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from undertow.kernels import randomness

MOST = 256  # directions: more told nothing, and the cost has to have an end
# directions that are looked for beside those that are wanted, so that the last ones are right as
# well
MORE = 10
ROUNDS = 4  # of subspace iteration: they capture some 97 % of what the best directions do
FAINT = 1e-5  # of the largest singular value: below it a direction is rounding in single precision


def direction_weights(word_weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """What counts are multiplied by: as the model weighs words, and 1 more, so that common ones
    have a say.
    """
    return np.float32(1.0) + word_weights


def word_directions(
    counts: sparse.csr_array, word_weights: NDArray[np.float32], number: int, seed: int
) -> NDArray[np.float32]:
    """(K, R) The first right singular vectors of documents x words, each document of length 1:
    `number`, or as many as there are. Those of no weight are zeros.

    Randomised subspace iteration among the documents: nothing larger than words x directions is
    made.
    """
    held = np.zeros(len(word_weights), dtype=np.bool_)  # words that no document holds have no part
    held[counts.indices] = True
    columns = (np.cumsum(held) - 1)[counts.indices]
    packed = sparse.csr_array(
        (counts.data, columns, counts.indptr), (counts.shape[0], int(held.sum()))
    )
    rows = rows_of_length_1(packed, direction_weights(word_weights[held]))
    found = min(number, MOST, *rows.shape)
    directions = np.zeros((len(word_weights), found), dtype=np.float32)
    if found:
        directions[held] = first_right_vectors(rows, found, seed)
    return directions


def first_right_vectors(
    rows: sparse.csr_array, found: int, seed: int, *, rounds: int = ROUNDS
) -> NDArray[np.float32]:
    """The first right singular vectors of a matrix that has at least so many rows and columns."""
    from undertow.kernels.cpu.normals import normals  # compiled: questions are answered without it

    width = min(found + MORE, *rows.shape)
    with threadpool_limits(1, user_api="blas"):  # more threads may round differently
        basis = normals(seed, randomness.Purpose.DIRECTIONS, rows.shape[0], width)
        for _ in range(rounds):
            basis = rows @ (rows.T @ np.linalg.qr(basis)[0])
        seen = rows.T @ np.linalg.qr(basis)[0]
        squares, turns = np.linalg.eigh((seen.T @ seen).astype(np.float64))
        largest = np.argsort(-squares, kind="stable")[:found]
        there = squares[largest] > FAINT**2 * squares.max()
        scales = np.where(there, 1.0 / np.sqrt(np.where(there, squares[largest], 1.0)), 0.0)
        directions: NDArray[np.float32] = (
            seen @ (turns[:, largest] * scales).astype(np.float32)
        ).astype(np.float32)
    return directions * _signs(directions)


def with_more_rows(directions: NDArray[np.float32], words: int) -> NDArray[np.float32]:
    """Directions of a vocabulary that has grown to so many words; new words have no part in any."""
    added = np.zeros((words - len(directions), directions.shape[1]), dtype=np.float32)
    return np.concatenate([directions, added])


def rows_of_length_1(counts: sparse.csr_array, weights: NDArray[np.float32]) -> sparse.csr_array:
    """Weighted counts, every document of length 1; empty ones stay empty."""
    data = counts.data.astype(np.float32) * weights[counts.indices]
    owners = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    squares = np.bincount(
        owners, weights=np.square(data, dtype=np.float64), minlength=counts.shape[0]
    )
    scales = np.where(squares > 0, 1.0 / np.sqrt(np.where(squares > 0, squares, 1.0)), 0.0)
    return sparse.csr_array(
        ((data * scales[owners]).astype(np.float32), counts.indices, counts.indptr), counts.shape
    )


def _signs(directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """A direction and its opposite are the same: its largest number is taken as positive."""
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    return np.where(largest < 0, np.float32(-1.0), np.float32(1.0))
