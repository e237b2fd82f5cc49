"""The vectors that benchmarks judge: our own, those of LSA, and words themselves, all from the same
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from undertow.estimators import ReplicatedSoftmax

Encode = Callable[[sparse.csr_array], Any]


def own_vectors(model: ReplicatedSoftmax, counts: sparse.csr_array) -> NDArray[Any]:
    """Ours: what every benchmark of vectors goes by, decided here and nowhere else."""
    return model.transform(counts)


def lsa(counts: sparse.csr_array, dimensions: int, seed: int) -> Encode:
    """Truncated SVD of sublinear tf-idf, of fewer dimensions than there are documents and words."""
    fewer = min(dimensions, min(counts.shape) - 1)
    model = make_pipeline(
        TfidfTransformer(sublinear_tf=True), TruncatedSVD(fewer, random_state=seed)
    )
    encode: Encode = model.fit(counts).transform
    return encode


def tf_idf(counts: sparse.csr_array) -> Encode:
    """Words themselves: sublinear tf-idf, sparse, every document of length 1."""
    model = TfidfTransformer(sublinear_tf=True).fit(counts)
    return lambda asked: sparse.csr_array(model.transform(asked))
