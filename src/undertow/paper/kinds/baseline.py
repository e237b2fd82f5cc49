"""Cells of the models that people would use instead: words themselves, LSA and LDA, on the same
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from undertow.paper.cells import Cell
from undertow.paper.corpora import Corpora, Corpus, Counted

if TYPE_CHECKING:
    from scipy import sparse

MODELS = ("Words, counts", "Words, binary", "Words, tf-idf", "Words, naive Bayes", "LSA", "LDA")
COSTS = {
    "Words, counts": 2e-3,
    "Words, binary": 2e-3,
    "Words, tf-idf": 1e-3,
    "Words, naive Bayes": 2e-3,
    "LSA": 5e-4,
    "LDA": 1.5e-2,
}


@dataclass(frozen=True)
class BaselineCell(Cell):
    """Corpus, model and seed; `size` is the number of dimensions or topics, 0 for words."""

    kind: ClassVar[str] = "baseline"
    corpus: Corpus
    model: str
    size: int
    seed: int
    passes: int = 0  # of LDA

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return (self.corpus,)

    @property
    def cost(self) -> float:
        return COSTS[self.model] * (
            self.corpus.documents or (75_000 if self.corpus.reviews else 11_314)
        )

    def labels(self) -> dict[str, Any]:
        return {
            "data": self.corpus.data,
            "headers": self.corpus.headers,
            "words": self.corpus.words,
            "ngrams": self.corpus.ngrams,
            "hidden": self.size or None,
            "learner": self.model,
            "seed": self.seed,
        }

    def run(self, corpora: Corpora) -> dict[str, Any]:
        counted = corpora.counted(self.corpus)
        if self.model.startswith("Words"):
            return _words(self.model, counted, self.seed)
        encoder = (
            _lsa(self.size, self.seed)
            if self.model == "LSA"
            else _lda(self.size, self.seed, self.passes)
        )
        return _judged(encoder, counted, with_retrieval=not self.corpus.reviews)


def _words(model: str, counted: Counted, seed: int) -> dict[str, Any]:
    """Bags of words: the counts as they are, whether a word occurs at all, tf-idf, or naive Bayes'
    log ratios.
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    from undertow.counts import log_counts
    from undertow.paper import judge

    if model == "Words, tf-idf":
        weighting = TfidfTransformer().fit(log_counts(counted.learn))
        return {
            "accuracy": judge.sparse_accuracy(
                lambda x: weighting.transform(log_counts(x)), counted, seed=seed
            )
        }
    if model == "Words, naive Bayes":
        return {"accuracy": judge.sparse_accuracy(_naive_bayes(counted), counted, seed=seed)}
    binary = model == "Words, binary"
    return {
        "accuracy": judge.sparse_accuracy(
            lambda x: (x > 0) * 1.0 if binary else x * 1.0, counted, seed=seed
        )
    }


def _naive_bayes(counted: Counted) -> Callable[[sparse.csr_array], sparse.csr_array]:
    """Of two labels: each word that occurs counts its log ratio, and documents have unit length."""
    import numpy as np
    from scipy import sparse
    from sklearn.preprocessing import normalize

    from undertow.paper.fine_tuning import label_ratios

    ratios = label_ratios(
        counted.train, counted.train_labels == np.unique(counted.train_labels)[-1]
    )

    def encode(counts: sparse.csr_array) -> sparse.csr_array:
        weighed = sparse.csr_array(
            (ratios[counts.indices], counts.indices, counts.indptr), shape=counts.shape
        )
        return sparse.csr_array(normalize(weighed))

    return encode


def _lsa(size: int, seed: int) -> Any:
    """Truncated SVD of tf-idf."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfTransformer(), TruncatedSVD(size, random_state=seed))


def _lda(size: int, seed: int, passes: int) -> Any:
    """Online variational LDA; its vectors are shares of topics, which add up to 1."""
    from sklearn.decomposition import LatentDirichletAllocation

    return LatentDirichletAllocation(
        size,
        learning_method="online",
        batch_size=1024,
        max_iter=passes,
        random_state=seed,
        n_jobs=1,
    )


def _judged(encoder: Any, counted: Counted, *, with_retrieval: bool) -> dict[str, Any]:
    from undertow.counts import log_counts
    from undertow.paper import judge

    encoder.fit(log_counts(counted.learn))  # the same transform of counts as our own models have

    def encode(counts: sparse.csr_array) -> Any:
        return encoder.transform(log_counts(counts))

    figures: dict[str, Any] = {"accuracy": judge.accuracy(encode, counted)}
    return figures | judge.retrieval(encode, counted) if with_retrieval else figures
