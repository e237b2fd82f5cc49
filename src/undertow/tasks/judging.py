"""How good vectors and topics are on documents: the measures of this package put together, from
counts, an encoder and the words of topics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.tasks.classification import probe_accuracy
from undertow.tasks.coherence import diversity, npmi
from undertow.tasks.retrieval import RECALL_LEVELS, precision_at, retrieval_figures
from undertow.tasks.windows import c_npmi, c_v

if TYPE_CHECKING:
    from scipy import sparse

Encode = Callable[["sparse.csr_array"], NDArray[Any]]


@dataclass(frozen=True)
class JudgedDocuments:
    """Documents as counts, with what is known of them."""

    counts: sparse.csr_array
    in_order: Sequence[NDArray[np.int32]]  # the words of each document, as columns of the counts
    labels: NDArray[Any]  # None where a document has no label
    splits: NDArray[np.str_]  # "train", "test", or another word or none

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which documents have a label."""
        return np.array([label is not None for label in self.labels])

    @property
    def asked(self) -> NDArray[np.int64]:
        """Rows of what a model was not trained on: the split "test", or all where there is none."""
        test = self.splits == "test"
        return np.flatnonzero(test) if test.any() else np.arange(len(test))


def label_figures(encode: Encode, read: JudgedDocuments, seed: int) -> dict[str, Any]:
    """Classification and retrieval of test documents by training documents; nothing where either
    has no labels.
    """
    train, test = (read.labelled & (read.splits == split) for split in ("train", "test"))
    if not train.any() or not test.any():
        return {}
    known, asked = read.labels[train].astype(str), read.labels[test].astype(str)
    documents, queries = encode(read.counts[train]), encode(read.counts[test])
    figures = retrieval_figures(queries, asked, documents, known)
    return {
        "accuracy": probe_accuracy(documents, known, queries, asked, seed=seed).accuracy,
        "map": figures.mean_average_precision,
        "precision_at_10": precision_at(queries, asked, documents, known, k=min(10, len(known))),
        "precision_at_recall": [
            {"recall": float(level), "precision": float(precision)}
            for level, precision in zip(RECALL_LEVELS, figures.precisions, strict=True)
        ],
    }


def topic_figures(read: JudgedDocuments, top: Sequence[Sequence[int]]) -> dict[str, float]:
    """Coherence and diversity of topics by their first words, as columns of the counts."""
    return {
        "topics": len(top),
        "npmi": float(npmi(read.counts, top).mean()),
        "c_npmi": float(c_npmi(read.in_order, top).mean()),
        "c_v": float(c_v(read.in_order, top).mean()),
        "diversity": diversity(top),
    }


def label_agreement(
    read: JudgedDocuments, groups_of: Callable[[sparse.csr_array], NDArray[np.integer]]
) -> dict[str, float]:
    """NMI and ARI of topics and labels; nothing where there are no labels to tell apart.

    `groups_of` gives the topic of each document; -1: about none of them.
    """
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labelled = read.labelled
    labels = read.labels[labelled].astype(str)
    if len(np.unique(labels)) < 2:
        return {}
    groups = groups_of(read.counts[labelled])
    return {
        "nmi": float(normalized_mutual_info_score(labels, groups)),
        "ari": float(adjusted_rand_score(labels, groups)),
    }
