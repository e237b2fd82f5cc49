"""A model judged on a corpus: what `undertow evaluate` prints and a report shows.

The corpus is read and encoded here; the measures themselves are in `undertow.tasks`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.tasks import judging

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.corpus import Corpus
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax
    from undertow.estimators.topic_model import TopicModel

TOP_WORDS = 10


@dataclass(frozen=True)
class ReadCorpus(judging.JudgedDocuments):
    """A corpus as counts of the words that the model knows, and how reading it went."""

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
    """Classification and retrieval of test documents by training documents, by the vectors that
    `transform` gives; nothing where either has no labels.
    """
    return judging.label_figures(softmax.transform, read, seed)


def label_free_figures(
    model: TopicModel, read: ReadCorpus, n: int | None = None
) -> dict[str, float]:
    """Split-half retrieval of test documents (of all, where there is no split), and how good the
    topics are.
    """
    return {
        "split_half_mrr": model.softmax_.score(read.counts[read.asked]),
        **topic_figures(model, read, n),
        "unknown_tokens": read.unknown_share,
        "documents_per_second": read.documents_per_second,
    }


def perplexity_figures(model: TopicModel, read: ReadCorpus, seed: int) -> dict[str, Any]:
    """Perplexity of test documents (of all, where there is no split), and how far it is known."""
    found = model.softmax_.perplexity(read.counts[read.asked], random_state=seed)
    return {
        "perplexity": found.value,
        "perplexity_low": found.low,
        "perplexity_high": found.high,
        "perplexity_from_above": found.from_above,
        "unigram_perplexity": found.unigram,
        "perplexity_documents": found.documents,
        "calibrated": found.calibrated,
    }


def topic_figures(model: TopicModel, read: ReadCorpus, n: int | None = None) -> dict[str, float]:
    """Coherence and diversity of the topics of a cut and, where documents have labels, how well the
    two agree.

    The topic of a document is that of its largest share. A model of an earlier version, without
    topics, has no figures.
    """
    if not hasattr(model, "atlas_"):
        return {}
    columns = model.atlas_.columns
    top = [
        [columns[word.word] for word in topic.words] for topic in model.topics(n, n_words=TOP_WORDS)
    ]

    def groups(counts: sparse.csr_array) -> NDArray[np.int64]:
        atlas = model.atlas_
        shares = atlas.shares(model._vectors_of_counts(counts), atlas.cut(n), model.softmax_.n_jobs)
        return np.where(shares.any(axis=1), shares.argmax(axis=1), -1)

    return judging.topic_figures(read, top) | judging.label_agreement(read, groups)
