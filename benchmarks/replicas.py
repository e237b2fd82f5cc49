"""What replicas cost in quality: the same fit with more and more copies that meet more and more
seldom.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.replicas [--only NAME]
        [--settings 1 8 8:64] [--seeds 0 1 2]

Settings are REPLICAS or REPLICAS:INTERVAL. Corpora and their validation parts are those of
`benchmarks.defaults` (nothing of the test parts is read); `pieces`: the training reviews cut into
pieces of 100 words, 30,000 words; and `millions`: 5,000,000 documents, each some seven tenths of
the words of a piece (5 GB of memory; only where it is asked for). Judged are the estimator's
default vectors by softmax regression, by retrieval where there are many labels, and by split-half.
How long a fit takes is in benchmarks.all_cores.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.defaults import Split, imdb, newsgroups
from benchmarks.scale import PIECE
from undertow.estimators import ReplicatedSoftmax, _training
from undertow.learn import Settings
from undertow.learn.settings import INTERVAL
from undertow.tasks import mean_average_precision, probe_accuracy

DEFAULT = [(replicas, INTERVAL) for replicas in (1, 2, 4, 8)]
FEW_LABELLED = 12_000  # with two labels and many documents MAP says little


def pieces() -> Split:
    """Reviews in pieces; those of labelled reviews have the label of the review."""
    file = Path(os.environ["UNDERTOW_DATA"]) / "imdb.parquet"
    rows = pl.read_parquet(file, columns=["split", "label", "text"]).filter(
        pl.col("split") != "test"
    )
    words = (
        rows.with_row_index("review")
        .with_columns(pl.col("text").str.replace_all("<br />", " ").str.split(" "))
        .explode("text")
    )
    place = pl.int_range(pl.len()).over("review") // PIECE
    cut = words.group_by("review", "label", place.alias("place"), maintain_order=True).agg("text")
    cut = cut.filter(pl.col("text").list.len() > PIECE // 2)
    texts = cut["text"].list.join(" ")
    vectorizer = CountVectorizer(max_features=30_000, token_pattern=r"[^\W\d_]{2,}")
    counts = vectorizer.fit_transform(texts)
    held = (cut["review"] % 10 == 0).to_numpy()
    labelled = cut["label"].is_not_null().to_numpy()
    labels = cut["label"].fill_null("").to_numpy().astype(str)
    own = labelled & ~held
    asked = labelled & held
    return Split(counts[~asked], counts[own], labels[own], counts[asked], labels[asked])


def millions(documents: int = 5_000_000) -> Split:
    """Pieces, again and again, of which each time other words are left out."""
    split, generator = pieces(), np.random.default_rng(0)
    counts = split.learn.tocsr()[generator.integers(0, split.learn.shape[0], documents)]
    counts.data = generator.binomial(counts.data, 0.7).astype(np.int32)
    counts.eliminate_zeros()
    return replace(split, learn=sparse.csr_array(counts))


CORPORA: dict[str, Callable[[], Split]] = {
    "newsgroups": newsgroups,
    "imdb": imdb,
    "pieces": pieces,
    "millions": millions,
}
USUAL = ("newsgroups", "imdb", "pieces")


def fitted(counts: sparse.csr_array, replicas: int, interval: int, seed: int) -> ReplicatedSoftmax:
    """A fit by the defaults, but for these."""
    plain = _training.settings_of

    def with_interval(*given: Any) -> Settings:
        return replace(plain(*given), interval=interval)

    with patch.object(_training, "settings_of", with_interval):
        return ReplicatedSoftmax(random_state=seed, replicas=replicas, n_jobs=1).fit(counts)


def judge(split: Split, model: ReplicatedSoftmax) -> dict[str, float]:
    """The default vectors of a model."""
    known, asked = model.transform(split.known), model.transform(split.held_out)
    found = probe_accuracy(known, split.known_labels, asked, split.held_out_labels)
    figures = {"accuracy": found.accuracy}
    if known.shape[0] < FEW_LABELLED:
        figures["MAP"] = mean_average_precision(
            asked, split.held_out_labels, known, split.known_labels
        )
    record = model.history_[-1]
    return figures | {
        "split-half": model.score(split.held_out[:5000]),
        "epochs": model.n_iter_,
        "loss": record.loss,
        "dead": record.dead_units,
        "seconds": sum(one.seconds for one in model.history_),
    }


def rows(split: Split, settings: list[tuple[int, int]], seeds: list[int]) -> Iterator[Any]:
    """Figures of each setting and seed."""
    for replicas, interval in settings:
        for seed in seeds:
            yield (
                replicas,
                interval,
                seed,
                judge(split, fitted(split.learn, replicas, interval, seed)),
            )


def setting(text: str) -> tuple[int, int]:
    """8 or 8:64."""
    replicas, _, interval = text.partition(":")
    return int(replicas), int(interval or INTERVAL)


def main() -> None:
    """Prints a line for each fit."""
    parser = argparse.ArgumentParser(description="What replicas cost in quality")
    parser.add_argument("--only", choices=list(CORPORA), nargs="+", default=USUAL)
    parser.add_argument(
        "--settings", type=setting, nargs="+", default=[(1, INTERVAL), (8, INTERVAL)]
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    for corpus in options.only:
        split = CORPORA[corpus]()
        print(f"{corpus}: {split.learn.shape[0]:,} documents", flush=True)
        for replicas, interval, seed, figures in rows(split, options.settings, options.seeds):
            shown = "  ".join(f"{key} {np.round(value, 4):g}" for key, value in figures.items())
            print(f"{corpus} R={replicas} every {interval} seed {seed}  {shown}", flush=True)


if __name__ == "__main__":
    main()
