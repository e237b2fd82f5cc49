"""Vectors that are learned from the very documents: undertow's, LSA's, and the words themselves.

All start from the same counts: the 20,000 most frequent words of the training documents, other
settings are defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline

from undertow import ReplicatedSoftmax, Vectorizer

WORDS = 20_000
LSA = 128  # components


@dataclass(frozen=True)
class Model:
    """What was learned: how words are counted, and what becomes of counts."""

    words: Vectorizer
    learned: ReplicatedSoftmax | Pipeline


def counted(texts: Sequence[str]) -> tuple[Vectorizer, sparse.csr_array]:
    """A vocabulary, and the counts of the texts that it was chosen on."""
    words = Vectorizer(vocabulary_size=WORDS)
    return words, words.fit_transform(texts)


def undertow(words: Vectorizer, counts: sparse.csr_array, units: int) -> Model:
    """undertow at its defaults."""
    return Model(words, ReplicatedSoftmax(units, random_state=0).fit(counts))


def own_vectors(model: Model, texts: Sequence[str]) -> NDArray[np.float32]:
    """undertow's vectors of texts: the one place that says which."""
    vectors: NDArray[np.float32] = model.learned.transform(model.words.transform(texts))
    return vectors


def tf_idf(words: Vectorizer, counts: sparse.csr_array) -> Model:
    """1 + log of counts, times idf, of length 1."""
    return Model(words, make_pipeline(TfidfTransformer(sublinear_tf=True)).fit(counts))


def lsa(words: Vectorizer, counts: sparse.csr_array, components: int = LSA) -> Model:
    """Latent semantic analysis: the largest components of tf-idf."""
    steps = TfidfTransformer(sublinear_tf=True), TruncatedSVD(components, random_state=0)
    return Model(words, make_pipeline(*steps).fit(counts))


def transformed(model: Model, texts: Sequence[str]) -> Any:
    """Vectors of texts by scikit-learn: dense for LSA, sparse for tf-idf."""
    return model.learned.transform(model.words.transform(texts))


def joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float32]:
    """Two kinds of vectors side by side, each of length 1."""
    return np.hstack([_unit(first), _unit(second)]).astype(np.float32)


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = vectors / np.where(lengths > 0, lengths, 1.0)
    return unit
