"""How good a model's vectors and topics are on a corpus: what `undertow evaluate` prints and a
report shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.corpus import Corpus
    from undertow.estimators import ReplicatedSoftmax, TopicModel

TOP_WORDS = 10


@dataclass(frozen=True)
class ReadCorpus:
    """A corpus as counts, with what is known of its rows."""

    counts: sparse.csr_array
    in_order: list[NDArray[np.int32]]  # the words of each document that the model knows, as columns
    labels: NDArray[Any]  # None where a row has no label
    splits: NDArray[np.str_]
    unknown_share: float
    documents_per_second: float


def read_corpus(
    model: TopicModel,
    corpus: Corpus,
    *,
    rows: NDArray[np.int64] | None = None,
    show: Callable[[int], None] | None = None,
) -> ReadCorpus:
    """Counts all documents, or those of the given rows; encodes them too, to see how long it takes.

    `show` is told how many documents were looked at so far.
    """
    from scipy import sparse

    from undertow.corpus.in_order import words_in_order

    counts: list[sparse.csr_array] = []
    in_order: list[NDArray[np.int32]] = []
    labels: list[Any] = []
    splits: list[str] = []
    unknown = tokens = seen = 0
    seconds = 0.0
    for whole in corpus.chunks():
        chunk = (
            whole
            if rows is None
            else whole[rows[(rows >= seen) & (rows < seen + whole.height)] - seen]
        )
        seen += whole.height
        if not chunk.height:
            continue
        began = time.perf_counter()
        for part in model.vectorizer_.count_chunks(chunk["text"]):
            model.softmax_.transform(part.counts)  # what encoding takes, from text to vectors
            unknown, tokens = unknown + int(part.unknown.sum()), tokens + int(part.terms.sum())
            counts.append(part.counts)
        seconds += time.perf_counter() - began
        in_order += words_in_order(model.vectorizer_, chunk["text"])
        labels += chunk["label"].to_list() if "label" in chunk.columns else [None] * len(chunk)
        splits += chunk["split"].to_list() if "split" in chunk.columns else [""] * len(chunk)
        if show is not None:
            show(seen)
    stacked = sparse.vstack(counts, format="csr")
    rate = stacked.shape[0] / max(seconds, 1e-9)
    shares = unknown / max(tokens, 1)
    known = np.array(labels, dtype=object), np.array(splits, dtype=np.str_)
    return ReadCorpus(stacked, in_order, *known, shares, rate)


def label_figures(softmax: ReplicatedSoftmax, read: ReadCorpus, seed: int) -> dict[str, Any]:
    """Classification and retrieval of test documents by training documents; nothing where either
    has no labels.

    The vectors are those that `transform` gives.
    """
    from undertow.tasks import precision_at, probe_accuracy, retrieval_figures
    from undertow.tasks.retrieval import RECALL_LEVELS

    labelled = np.array([label is not None for label in read.labels])
    train, test = labelled & (read.splits == "train"), labelled & (read.splits == "test")
    if not train.any() or not test.any():
        return {}
    known, asked = read.labels[train].astype(str), read.labels[test].astype(str)
    documents, queries = softmax.transform(read.counts[train]), softmax.transform(read.counts[test])
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


def label_free_figures(
    model: TopicModel, read: ReadCorpus, n: int | None = None
) -> dict[str, float]:
    """Split-half retrieval of test documents (of all, where there is no split), and how good the
    topics are.
    """
    test = (
        np.flatnonzero(read.splits == "test")
        if (read.splits == "test").any()
        else np.arange(read.counts.shape[0])
    )
    return {
        "split_half_mrr": model.softmax_.score(read.counts[test]),
        **topic_figures(model, read, n),
        "unknown_tokens": read.unknown_share,
        "documents_per_second": read.documents_per_second,
    }


def topic_figures(model: TopicModel, read: ReadCorpus, n: int | None = None) -> dict[str, float]:
    """Coherence and diversity of the topics of a cut and, where documents have labels, how well the
    two agree.

    The topic of a document is that of its largest share. A model of an earlier version, without
    topics, has no figures.
    """
    from undertow.tasks import c_npmi, c_v, diversity, npmi

    if not hasattr(model, "atlas_"):
        return {}
    columns = model.atlas_.columns
    top = [
        [columns[word.word] for word in topic.words] for topic in model.topics(n, n_words=TOP_WORDS)
    ]
    return {
        "topics": len(top),
        "npmi": float(npmi(read.counts, top).mean()),
        "c_npmi": float(c_npmi(read.in_order, top).mean()),
        "c_v": float(c_v(read.in_order, top).mean()),
        "diversity": diversity(top),
        **_agreement(model, read, n),
    }


def _agreement(model: TopicModel, read: ReadCorpus, n: int | None) -> dict[str, float]:
    """NMI and ARI of topics and labels; nothing where there are no labels to tell apart."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labelled = np.array([label is not None for label in read.labels])
    labels = read.labels[labelled].astype(str)
    if len(np.unique(labels)) < 2:
        return {}
    atlas = model.atlas_
    shares = atlas.shares(
        model._vectors_of_counts(read.counts[labelled]), atlas.cut(n), model.softmax_.n_jobs
    )
    groups = np.where(shares.any(axis=1), shares.argmax(axis=1), -1)  # -1: about none of them
    return {
        "nmi": float(normalized_mutual_info_score(labels, groups)),
        "ari": float(adjusted_rand_score(labels, groups)),
    }
