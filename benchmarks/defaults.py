"""The sweep behind the estimator's defaults: one change at a time, judged on validation parts of
training data.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.defaults [--only NAME]

Four corpora: 20 Newsgroups (2,000 words), 1,000 documents of it, IMDB (5,000 words, labelled and
unlabelled), and 1,000 documents of it. Held out are the newest seventh of each newsgroup's training
posts (by article number: the test posts are newer, too) and a tenth of the labelled training
reviews; nothing of the test parts is read. Judged are posteriors, activations and strengths by
softmax regression, posteriors and strengths by retrieval (MAP), and split-half.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.newsgroups_data import data_file, load
from undertow.estimators import ReplicatedSoftmax
from undertow.learn import Adam, AlphaNCE
from undertow.tasks import mean_average_precision, probe_accuracy

SMALL = 1000


@dataclass(frozen=True)
class Split:
    """Documents to learn from (labelled or not), labelled ones among them, and labelled ones held
    out.
    """

    learn: sparse.csr_array
    known: sparse.csr_array
    known_labels: NDArray[Any]
    held_out: sparse.csr_array
    held_out_labels: NDArray[Any]

    def small(self) -> Split:
        """A thousand documents to learn from."""
        rows = np.random.default_rng(1).permutation(self.known.shape[0])[:SMALL]
        few = self.known[rows]
        return Split(few, few, self.known_labels[rows], self.held_out, self.held_out_labels)


def newsgroups() -> Split:
    """The training part of 20 Newsgroups."""
    data = load(2000)
    posts = pl.read_parquet(data_file(), columns=["split", "id"]).filter(pl.col("split") == "train")
    articles = posts["id"].str.split("/").list.last().cast(pl.Int64).to_numpy()
    held_out = np.zeros(len(articles), dtype=bool)
    for label in np.unique(data.train_labels):
        rows = np.flatnonzero(data.train_labels == label)
        held_out[rows[np.argsort(articles[rows], kind="stable")][-(len(rows) // 7) :]] = True
    known = data.train[~held_out], data.train_labels[~held_out]
    return Split(known[0], *known, data.train[held_out], data.train_labels[held_out])


def imdb(words: int = 5000) -> Split:
    """The training part of IMDB; stop words stay, as in the paper."""
    rows = pl.read_parquet(Path(os.environ["UNDERTOW_DATA"]) / "imdb.parquet").filter(
        pl.col("split") != "test"
    )
    texts = rows["text"].str.replace_all("<br />", " ")
    counts = CountVectorizer(max_features=words, token_pattern=r"[^\W\d_]{2,}").fit_transform(texts)
    labelled = (rows["split"] == "train").to_numpy()
    labels = rows.filter(pl.col("split") == "train")["label"].to_numpy().astype(str)
    order = np.random.default_rng(0).permutation(len(labels))
    held_out, known = order[: len(labels) // 10], order[len(labels) // 10 :]
    reviews = counts[labelled]
    learn = sparse.vstack([reviews[known], counts[~labelled]], format="csr")
    return Split(learn, reviews[known], labels[known], reviews[held_out], labels[held_out])


VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "noise level auto": {"learner": AlphaNCE(noise_level="auto")},
    "noise level .3 to .9": {"learner": AlphaNCE(noise_level=(0.3, 0.9))},
    "noise level .5": {"learner": AlphaNCE(noise_level=0.5)},
    "noise level .8": {"learner": AlphaNCE(noise_level=0.8)},
    "sharpness 5": {"learner": AlphaNCE(noise_level=0.7, sharpness=5.0)},
    "sharpness 20": {"learner": AlphaNCE(noise_level=0.7, sharpness=20.0)},
    "no sparsity": {"sparsity_cost": 0.0},
    "sparsity target .15": {"sparsity_target": 0.15},
    "sparsity cost .3": {"sparsity_cost": 0.3},
    "sparsity cost 3": {"sparsity_cost": 3.0},
    "no averaging": {"averaging": 0.0},
    "hidden bias rate .1": {"optimizer": Adam(hidden_bias_rate=0.1)},
    "constant rate": {"optimizer": Adam(annealing=0)},
    "annealing 3": {"optimizer": Adam(annealing=3)},
    "annealing 10": {"optimizer": Adam(annealing=10)},
    "l2 1e-4": {"optimizer": Adam(l2=1e-4)},
    "l2 4e-4": {"optimizer": Adam(l2=4e-4)},
    "early stopping": {"early_stopping": True},
    "counts, no weights": {"weighting": None},
    "cd": {"learner": "cd"},
}


def judge(split: Split, changes: dict[str, Any]) -> dict[str, float]:
    """Fits a model and judges it."""
    began = time.perf_counter()
    model = ReplicatedSoftmax(random_state=0, **changes).fit(split.learn)
    seconds = time.perf_counter() - began
    figures: dict[str, float] = {}
    for kind in ("posterior", "activation", "strength"):
        known, asked = model.encode(split.known, kind), model.encode(split.held_out, kind)
        figures[f"{kind} accuracy"] = probe_accuracy(
            known, split.known_labels, asked, split.held_out_labels
        ).accuracy
        if (
            kind != "activation" and known.shape[0] < 12_000
        ):  # with two labels and 22,500 documents MAP says little
            figures[f"{kind} MAP"] = mean_average_precision(
                asked, split.held_out_labels, known, split.known_labels
            )
    figures["split-half"] = model.score(split.held_out)
    record = model.history_[-1]
    return figures | {
        "epochs": model.n_iter_,
        "seconds": seconds,
        "on": record.activity,
        "dead": record.dead_units,
    }


def corpora(only: str | None) -> Iterator[tuple[str, Split]]:
    """The four corpora, or those whose name begins with `only`."""
    for name, read in (("newsgroups", newsgroups), ("imdb", imdb)):
        if only is None or only.startswith(name):
            split = read()
            if only is None or only == name:
                yield name, split
            if only is None or only == f"{name}-small":
                yield f"{name}-small", split.small()


def main() -> None:
    """Prints a line per variant and corpus."""
    parser = argparse.ArgumentParser(description="The sweep behind the defaults")
    parser.add_argument("--only", choices=["newsgroups", "newsgroups-small", "imdb", "imdb-small"])
    parser.add_argument("--variants", nargs="*", choices=list(VARIANTS))
    options = parser.parse_args()
    for corpus, split in corpora(options.only):
        for name in options.variants or VARIANTS:
            figures = judge(split, VARIANTS[name])
            print(
                f"{corpus:17s} {name:22s} "
                + "  ".join(f"{key} {value:.3f}" for key, value in figures.items()),
                flush=True,
            )


if __name__ == "__main__":
    main()
