"""Hidden vectors of documents that tell their tokens from noise, one token at a time.

A document has a vector h of real numbers, and word k one of weights: it is one of the document's
words, and not one of `n_noise` words drawn from the corpus, with probability sigmoid(W_k.h -
log n_noise). So h = 0 says nothing that the shares of words do not say. As in alpha-NCE, a step
costs the same for any number of words, which is what pairs of words need.

- **Start**: h is where the document lies in the directions in which documents differ most, each
  with mean 0 and deviation 1; W_k is the mean of the documents that hold word k, drawn towards 0
  where they are few. For documents of normal spread that is already the log-ratio, but for a
  constant.
- **Training**: steps of AdaGrad on h and W, document after document. Words that many documents hold
  take part less often, and noise is drawn from what takes part.
- **Inference**: the same steps on h alone, with the same draws for every document, so that a vector
  depends on its document alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import TrainingDiverged
from undertow.kernels import randomness
from undertow.kernels.cpu import pool
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.token_contrast import Documents, Pace, Words, contrast_tokens
from undertow.vectors.directions import first_right_vectors, rows_of_length_1

FEW = 20.0  # documents: a word that so many hold starts half as far out as their mean
COMMON = 0.02  # share of documents from which on the tokens of a word take part less often
WORDS_PACE = 2.0  # how much further steps of words go than those of documents
FIRST_SQUARE = 1.0  # what sums of squares begin with
ROUNDS = 2  # of the search for directions: they only have to be a start
BLOCK = 1024  # documents that a thread infers at a time

Progress = Callable[[int], bool | None]


@dataclass(frozen=True)
class TokenSettings:
    """How vectors are learned.

    Parameters
    ----------
    n_noise : int
        Noise words for each token.
    epochs : int
        Passes over the documents; 0 leaves words where they start.
    steps : int
        Passes over a document whose vector is inferred.
    rate : float
        How far steps of documents go; it falls to nothing.
    seed : int
        Of all draws.
    """

    n_noise: int
    epochs: int
    steps: int
    rate: float
    seed: int

    def pace(self, epoch: int, epochs: int, *, words: bool) -> Pace:
        """That of an epoch."""
        rate = self.rate * (1.0 - epoch / epochs)
        return Pace(
            np.float32(rate),
            np.float32(WORDS_PACE * rate if words else 0.0),
            np.float32(-math.log(self.n_noise)),
            np.float32(self.n_noise),
        )


@dataclass(frozen=True, eq=False)
class TokenParameters:
    """What is learned.

    Parameters
    ----------
    weights : array of float32, (K, H)
        W.
    directions : array of float32, (K, H)
        Where inference starts: weighted documents of length 1 are multiplied by them ...
    middle, spread : arrays of float32, (H,)
        ... less this, and divided by that.
    idf : array of float32, (K,)
        What documents are weighted by.
    shares : array of float64, (K,)
        The share of documents that hold each word.
    """

    weights: NDArray[np.float32]
    directions: NDArray[np.float32]
    middle: NDArray[np.float32]
    spread: NDArray[np.float32]
    idf: NDArray[np.float32]
    shares: NDArray[np.float64]


def learn_tokens(
    counts: sparse.csr_array, units: int, settings: TokenSettings, show: Progress | None = None
) -> tuple[TokenParameters, int]:
    """Start and training; and how many epochs there were. `show` is called after each with its
    number; a true answer ends the training.
    """
    start, hidden = _start(counts, units, settings.seed)
    documents = _documents(counts, np.arange(counts.shape[0]))
    words, squares = _words(start), np.full(counts.shape[0], FIRST_SQUARE, dtype=np.float32)
    ids = documents.ids
    for epoch in range(settings.epochs):
        order = randomness.permutation(settings.seed, epoch, ids)
        pace = settings.pace(epoch, settings.epochs, words=True)
        seed = np.uint64(settings.seed)
        state = (words, hidden, squares, pace)
        contrast_tokens(0, len(order), order, seed, epoch, documents, *state)
        if not np.isfinite(words.weights).all():
            raise TrainingDiverged(
                f"weights are not finite after epoch {epoch + 1}: lower the rate"
            )
        if show is not None and show(epoch + 1):
            return start, epoch + 1
    return start, settings.epochs


def token_vectors(
    counts: sparse.csr_array, parameters: TokenParameters, settings: TokenSettings, threads: int
) -> NDArray[np.float32]:
    """(documents, H) The hidden vectors of documents, where words stay as they are. Those without a
    word are 0.
    """
    hidden = _first_vectors(counts, parameters)
    documents = _documents(counts, np.zeros(counts.shape[0], dtype=np.int64))
    words, squares = _words(parameters), np.full(len(hidden), FIRST_SQUARE, dtype=np.float32)
    order, seed = np.arange(len(hidden)), np.uint64(settings.seed)

    def work(first: int) -> None:
        last = min(first + BLOCK, len(hidden))
        for step in range(settings.steps):
            pace = settings.pace(step, settings.steps, words=False)
            state = (words, hidden, squares, pace)
            contrast_tokens(first, last, order, seed, step, documents, *state)

    pool.run([(work, (first,)) for first in range(0, len(hidden), BLOCK)], threads)
    hidden[np.diff(counts.indptr) == 0] = 0.0
    return hidden


def _start(
    counts: sparse.csr_array, units: int, seed: int
) -> tuple[TokenParameters, NDArray[np.float32]]:
    """Directions, the documents' first vectors, and the words'."""
    documents, words = counts.shape
    held = np.bincount(counts.indices, minlength=words)
    idf = np.log(documents / np.maximum(held, 1)).astype(np.float32)
    rows = rows_of_length_1(_damped(counts), idf)
    directions = np.zeros((words, units), dtype=np.float32)
    found = first_right_vectors(rows, min(units, *rows.shape), seed, rounds=ROUNDS)
    directions[:, : found.shape[1]] = found
    hidden = rows @ directions
    middle, spread = hidden.mean(axis=0, dtype=np.float64), hidden.std(axis=0, dtype=np.float64)
    spread = np.where(spread > 0, spread, 1.0)
    hidden = ((hidden - middle) / spread).astype(np.float32)
    ones = sparse.csr_array(
        (np.ones(counts.nnz, dtype=np.float32), counts.indices, counts.indptr), counts.shape
    )
    weights = ones.T @ hidden
    weights *= (1.0 / (held + FEW)).astype(np.float32)[:, None]
    found_so = (middle.astype(np.float32), spread.astype(np.float32), idf, held / max(documents, 1))
    return TokenParameters(weights, directions, *found_so), hidden


def _first_vectors(counts: sparse.csr_array, parameters: TokenParameters) -> NDArray[np.float32]:
    rows = rows_of_length_1(_damped(counts), parameters.idf)
    vectors: NDArray[np.float32] = (rows @ parameters.directions - parameters.middle) / (
        parameters.spread
    )
    return vectors


def _damped(counts: sparse.csr_array) -> sparse.csr_array:
    """log(1 + v)."""
    data = np.log1p(counts.data).astype(np.float32)
    return sparse.csr_array((data, counts.indices, counts.indptr), counts.shape)


def _documents(counts: sparse.csr_array, ids: NDArray[np.int64]) -> Documents:
    return Documents(ids, counts.indptr.astype(np.int64), counts.indices.astype(np.int32))


def _words(parameters: TokenParameters) -> Words:
    """Weights, and what takes part and is drawn by the shares of words."""
    shares = parameters.shares
    kept = np.minimum(1.0, np.sqrt(COMMON / np.maximum(shares, COMMON)))
    drawn = np.maximum(shares, 1e-12) * kept
    return Words(
        np.require(parameters.weights, requirements="W"),  # the kernel is compiled for such arrays
        np.full(len(shares), FIRST_SQUARE, dtype=np.float32),
        build_alias_table(drawn / drawn.sum()),
        np.floor(kept * 2.0**32).astype(np.uint64),
    )
