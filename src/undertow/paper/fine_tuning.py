"""Supervised fine-tuning for two labels: the labels weigh the words, and then move their vectors,
too.

Nothing of this is alpha-NCE: it is what a classifier makes of a model that alpha-NCE has learned,
and is always named as such. A document is its weighted counts divided by their sum, x; its features
are those of "activation", centred and scaled, h = (x.W + a - m) / s; and the label is told by the
sign of h.v + c. Logistic loss, AdaGrad over the rows of W that a minibatch touches, words dropped
at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class FineTuning:
    """How to fine-tune."""

    learning_rate: float = 0.006  # falls in a straight line to 0
    head_share: float = 0.1  # of that rate: what v and c move by
    epochs: int = 4
    dropout: float = 0.5  # share of a document's words left out at each step
    batch_size: int = 128


@dataclass
class Classifier:
    """Features from words, and a linear rule on them."""

    weights: Vector  # W (K, H)
    hidden_bias: Vector  # a (H,)
    centre: Vector  # m (H,)
    scale: float  # s
    head: Vector  # v (H,)
    offset: float  # c

    def features(self, x: sparse.csr_array) -> Vector:
        """h of each document."""
        result: Vector = ((x @ self.weights + self.hidden_bias - self.centre) / self.scale).astype(
            np.float32
        )
        return result

    def margins(self, x: sparse.csr_array) -> Vector:
        """h.v + c: positive where the second label is told."""
        result: Vector = self.features(x) @ self.head + np.float32(self.offset)
        return result


@dataclass(frozen=True)
class Slope:
    """The gradient of the mean loss: `rows` are those of W for the words named."""

    words: NDArray[np.integer]
    rows: Vector
    head: Vector
    offset: float
    loss: float


def label_weights(counts: sparse.csr_array, second: NDArray[np.bool_]) -> NDArray[np.float64]:
    """|log ratio| of a word's shares among the words of documents of the second and of the first
    label.
    """
    return np.abs(label_ratios(counts, second))


def label_ratios(counts: sparse.csr_array, second: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The log ratio itself, each word counted once a document and once more for each label (naive
    Bayes).
    """
    occurs = sparse.csr_array(
        (np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape
    )
    shares = [1.0 + np.asarray(occurs[rows].sum(axis=0)).ravel() for rows in (second, ~second)]
    result: NDArray[np.float64] = np.log(shares[0] / shares[0].sum()) - np.log(
        shares[1] / shares[1].sum()
    )
    return result


def shares(counts: sparse.csr_array, word_weights: NDArray[np.floating]) -> sparse.csr_array:
    """x: weighted counts divided by their sum; a document without weight is 0 throughout."""
    weighted = counts.data * word_weights[counts.indices]
    owners = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.bincount(owners, weights=weighted, minlength=counts.shape[0])
    data = (weighted / np.where(lengths > 0, lengths, 1.0)[owners]).astype(np.float32)
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def slope(classifier: Classifier, x: sparse.csr_array, second: NDArray[np.bool_]) -> Slope:
    """The logistic loss of a minibatch and its gradient."""
    words, places = np.unique(x.indices, return_inverse=True)
    small = sparse.csr_array((x.data, places, x.indptr), shape=(x.shape[0], len(words)))
    inputs = small @ classifier.weights[words] + classifier.hidden_bias - classifier.centre
    features = inputs / np.float32(classifier.scale)
    margins = (features @ classifier.head + np.float32(classifier.offset)).astype(np.float64)
    signs = np.where(second, 1.0, -1.0)
    blame = (-signs / (1.0 + np.exp(signs * margins)) / len(signs)).astype(np.float32)
    return Slope(
        words=words,
        rows=(small.T @ np.outer(blame, classifier.head / np.float32(classifier.scale))).astype(
            np.float32
        ),
        head=(features.T @ blame).astype(np.float32),
        offset=float(blame.sum()),
        loss=float(np.logaddexp(0.0, -signs * margins).mean()),
    )


def fine_tune(
    classifier: Classifier,
    x: sparse.csr_array,
    second: NDArray[np.bool_],
    options: FineTuning,
    *,
    seed: int,
) -> None:
    """Moves the classifier, in place, down the loss of these documents."""
    generator = np.random.default_rng(seed)
    squares = np.zeros(x.shape[1], dtype=np.float32)  # AdaGrad's, one per row
    batches = max(x.shape[0] // options.batch_size, 1)
    for step in range(options.epochs * batches):
        if step % batches == 0:
            order = generator.permutation(x.shape[0])
        rows = order[step % batches * options.batch_size :][: options.batch_size]
        found = slope(classifier, _dropped(x[rows], options.dropout, generator), second[rows])
        rate = options.learning_rate * (1.0 - step / (options.epochs * batches))
        squares[found.words] += np.square(found.rows).mean(axis=1)
        steps = rate / (np.sqrt(squares[found.words]) + 1e-12)
        classifier.weights[found.words] -= steps.astype(np.float32)[:, None] * found.rows
        classifier.head -= np.float32(rate * options.head_share) * found.head
        classifier.offset -= rate * options.head_share * found.offset


def _dropped(x: sparse.csr_array, share: float, generator: np.random.Generator) -> sparse.csr_array:
    kept = generator.random(len(x.data)) >= share
    data = np.where(kept, x.data / (1.0 - share), 0.0).astype(np.float32)
    return sparse.csr_array((data, x.indices, x.indptr), shape=x.shape)
