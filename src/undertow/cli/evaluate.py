"""`undertow evaluate`: how good a model's vectors and topics are on a corpus."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from undertow.cli import common

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

TOP_WORDS = 10


@dataclass(frozen=True)
class _Read:
    """A corpus as counts, with what is known of its rows."""

    counts: sparse.csr_array
    labels: NDArray[Any]  # None where a row has no label
    splits: NDArray[np.str_]
    unknown_share: float
    documents_per_second: float


def evaluate(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    json: common.Json = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Judge a model. With labels and a split column: softmax regression and retrieval; always: split-half and topics.

    Examples:

        undertow evaluate model 20newsgroups

        undertow evaluate model reviews.parquet --label-column stars --json
    """
    trained = common.load_topic_model(model)
    columns = {"id_column": id_column, "text_column": text_column, "label_column": label_column}
    silent = quiet or json
    with common.status("counting and encoding", silent=silent):
        read = _read(trained, common.open_any(corpus, **columns, split_column=split_column, quiet=silent))
    with common.status("classifying and retrieving", silent=silent):
        figures = _label_figures(trained.softmax_, read, seed)
    with common.status("judging topics", silent=silent):
        figures |= _label_free_figures(trained, read)
    if json:
        common.print_json(figures)
        return
    for name, value in figures.items():
        if name != "precision_at_recall":
            typer.echo(f"{name:22s} {value:,.0f}" if name == "documents_per_second" else f"{name:22s} {value:.4f}")


def _read(model: Any, corpus: Any) -> _Read:
    import numpy as np
    from scipy import sparse

    counts: list[sparse.csr_array] = []
    labels: list[Any] = []
    splits: list[str] = []
    unknown = tokens = 0
    seconds = 0.0
    for chunk in corpus.chunks():
        began = time.perf_counter()
        for part in model.vectorizer_.count_chunks(chunk["text"]):
            model.softmax_.transform(part.counts)  # what encoding takes, from text to vectors
            unknown, tokens = unknown + int(part.unknown.sum()), tokens + int(part.terms.sum())
            counts.append(part.counts)
        seconds += time.perf_counter() - began
        labels += chunk["label"].to_list() if "label" in chunk.columns else [None] * len(chunk)
        splits += chunk["split"].to_list() if "split" in chunk.columns else [""] * len(chunk)
    stacked = sparse.vstack(counts, format="csr")
    rate = stacked.shape[0] / max(seconds, 1e-9)
    return _Read(
        stacked, np.array(labels, dtype=object), np.array(splits, dtype=np.str_), unknown / max(tokens, 1), rate
    )


def _label_figures(softmax: Any, read: _Read, seed: int) -> dict[str, Any]:
    import numpy as np

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


def _label_free_figures(model: Any, read: _Read) -> dict[str, float]:
    import numpy as np

    from undertow.tasks import diversity, npmi

    test = np.flatnonzero(read.splits == "test") if (read.splits == "test").any() else np.arange(read.counts.shape[0])
    column = {word: number for number, word in enumerate(model.words())}
    top = [[column[weight.word] for weight in topic.up] for topic in model.topics(n_words=TOP_WORDS)]
    return {
        "split_half_mrr": model.softmax_.score(read.counts[test]),
        "npmi": float(npmi(read.counts, top).mean()),
        "diversity": diversity(top),
        "unknown_tokens": read.unknown_share,
        "documents_per_second": read.documents_per_second,
    }
