"""How good a model's vectors and topics are on a corpus: what `undertow evaluate` prints and a report shows."""

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

    counts: list[sparse.csr_array] = []
    labels: list[Any] = []
    splits: list[str] = []
    unknown = tokens = seen = 0
    seconds = 0.0
    for whole in corpus.chunks():
        chunk = whole if rows is None else whole[rows[(rows >= seen) & (rows < seen + whole.height)] - seen]
        seen += whole.height
        if not chunk.height:
            continue
        began = time.perf_counter()
        for part in model.vectorizer_.count_chunks(chunk["text"]):
            model.softmax_.transform(part.counts)  # what encoding takes, from text to vectors
            unknown, tokens = unknown + int(part.unknown.sum()), tokens + int(part.terms.sum())
            counts.append(part.counts)
        seconds += time.perf_counter() - began
        labels += chunk["label"].to_list() if "label" in chunk.columns else [None] * len(chunk)
        splits += chunk["split"].to_list() if "split" in chunk.columns else [""] * len(chunk)
        if show is not None:
            show(seen)
    stacked = sparse.vstack(counts, format="csr")
    rate = stacked.shape[0] / max(seconds, 1e-9)
    shares = unknown / max(tokens, 1)
    return ReadCorpus(stacked, np.array(labels, dtype=object), np.array(splits, dtype=np.str_), shares, rate)


def label_figures(softmax: ReplicatedSoftmax, read: ReadCorpus, seed: int) -> dict[str, Any]:
    """Classification and retrieval of test documents by training documents; nothing where either has no labels."""
    from undertow.tasks import mean_average_precision, probe_accuracy, retrieval_figures
    from undertow.tasks.retrieval import RECALL_LEVELS

    labelled = np.array([label is not None for label in read.labels])
    train, test = labelled & (read.splits == "train"), labelled & (read.splits == "test")
    if not train.any() or not test.any():
        return {}
    known, asked = read.labels[train].astype(str), read.labels[test].astype(str)
    vectors = {
        kind: (softmax.encode(read.counts[train], kind), softmax.encode(read.counts[test], kind))
        for kind in ("posterior", "activation", "strength")
    }
    accuracy = {
        kind: probe_accuracy(ours, known, theirs, asked, seed=seed).accuracy for kind, (ours, theirs) in vectors.items()
    }
    documents, queries = vectors["posterior"]
    figures = retrieval_figures(queries, asked, documents, known)
    return {
        "accuracy": accuracy["posterior"],
        "accuracy_activation": accuracy["activation"],
        "accuracy_strength": accuracy["strength"],
        "map": figures.mean_average_precision,
        "map_strength": mean_average_precision(vectors["strength"][1], asked, vectors["strength"][0], known),
        "precision_at_recall": [
            {"recall": float(level), "precision": float(precision)}
            for level, precision in zip(RECALL_LEVELS, figures.precisions, strict=True)
        ],
    }


def label_free_figures(model: TopicModel, read: ReadCorpus) -> dict[str, float]:
    """Split-half retrieval of test documents (of all, where there is no split), coherence and diversity of topics."""
    from undertow.tasks import diversity, npmi

    test = np.flatnonzero(read.splits == "test") if (read.splits == "test").any() else np.arange(read.counts.shape[0])
    column = {word: number for number, word in enumerate(model.words())}
    top = [[column[weight.word] for weight in topic.up] for topic in model.units(n_words=TOP_WORDS)]
    return {
        "split_half_mrr": model.softmax_.score(read.counts[test]),
        "npmi": float(npmi(read.counts, top).mean()),
        "diversity": diversity(top),
        "unknown_tokens": read.unknown_share,
        "documents_per_second": read.documents_per_second,
    }
