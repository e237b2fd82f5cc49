"""Word order on IMDB: pairs of words as tokens, and a linear classifier.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.word_order [--components 128 256]
        [--ngrams 2] [--words 500000] [--epochs 4] [--replicated 128] [--no-words] [--no-start]
        [--test] [--jobs 2]

Everything learns from the same counts, without labels: 20,000 of the 25,000 training reviews and
the 50,000 unlabelled ones. The other 5,000 validate. Reviews of a film stand together in the data,
so these are the last fifth of each label by number: films that no training review is about, as in
the test part. With `--test` the classifier then learns from all 25,000 training reviews, by the
regularisation that validated best, and is judged on the test part, which nothing is chosen by.

Rows are the words themselves (tf-idf; naive Bayes' log ratios, which know the labels),
`TokenContrast` before and after its training, and Replicated Softmax.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from benchmarks.document_vectors import Encode, tf_idf
from benchmarks.linear import Scale
from undertow.corpus import Vectorizer
from undertow.datasets import load_imdb
from undertow.estimators import ReplicatedSoftmax, TokenContrast
from undertow.paper.fine_tuning import label_ratios
from undertow.paper.page import markdown_table
from undertow.paper.report import Table

TOKENS = r"\p{L}+(?:'\p{L}+)?|[!?.,;:()]"  # words, with what follows an apostrophe, and signs
FROM_NUMBER = 10_000  # reviews of a label from this number on validate: 2,500 of 12,500
REGULARISATIONS = {"dense": (3.0, 30.0, 300.0), "sparse": (1.0, 3.0, 10.0, 30.0)}
POSITIVE, SEED = "pos", 0
COLUMNS = ("vectors", "numbers", "validation", "test")


@dataclass(frozen=True, eq=False)
class Reviews:
    """Counts and labels; `learned` are the rows that vectors are learned from."""

    learned: sparse.csr_array
    train: sparse.csr_array
    labels: NDArray[Any]
    validates: NDArray[np.bool_]
    test: sparse.csr_array | None
    test_labels: NDArray[Any]


Make = Callable[[NDArray[np.bool_]], Encode]  # of those training reviews whose labels are known
Row = tuple[str, str, Make]


def reviews(words: int, ngrams: int, jobs: int, *, test: bool) -> Reviews:
    """IMDB, counted."""
    table = load_imdb().with_columns(pl.col("text").str.replace_all("<br />", " ", literal=True))
    parts = {split: table.filter(pl.col("split") == split) for split in ("train", "test", "unsup")}
    numbers = parts["train"]["id"].str.extract(r"(\d+)_").cast(pl.Int64)
    validates = (numbers >= FROM_NUMBER).to_numpy()
    seen = parts["train"]["text"].filter(numbers < FROM_NUMBER)
    vectorizer = Vectorizer(
        vocabulary_size=words,
        ngram_range=(1, ngrams),
        token_pattern=TOKENS,
        min_df=3,
        max_types=10_000_000 if ngrams == 2 else 40_000_000,
        n_jobs=jobs,
    )
    vectorizer.fit(pl.concat([seen, parts["unsup"]["text"]]))
    train = vectorizer.transform(parts["train"]["text"])
    unlabelled = vectorizer.transform(parts["unsup"]["text"])
    return Reviews(
        learned=sparse.csr_array(sparse.vstack([train[~validates], unlabelled])),
        train=train,
        labels=parts["train"]["label"].to_numpy().astype(str),
        validates=validates,
        test=vectorizer.transform(parts["test"]["text"]) if test else None,
        test_labels=parts["test"]["label"].to_numpy().astype(str),
    )


def rows(asked: argparse.Namespace, found: Reviews) -> Iterator[Row]:
    """A row at a time: its name, how many numbers a vector has, and how counts become vectors."""
    number = f"{found.train.shape[1]:,}"
    if not asked.no_words:
        yield "words: tf-idf", number, _always(tf_idf(found.learned))
        yield "words: naive Bayes, by labels", number, lambda known: _naive_bayes(found, known)
    for units in asked.components:
        for epochs in (asked.epochs,) if asked.no_start else (0, asked.epochs):
            model = TokenContrast(
                units,
                max_epochs=epochs,
                n_steps=4 if epochs else 0,
                random_state=SEED,
                n_jobs=asked.jobs,
            ).fit(found.learned)
            name = "TokenContrast" if epochs else "TokenContrast's start (LSA)"
            yield f"{name}, {units}", f"{units}", _always(model.transform)
    for units in asked.replicated:
        softmax = ReplicatedSoftmax(units, random_state=SEED, n_jobs=asked.jobs).fit(found.learned)
        for kind in ("activation", "balanced"):
            width = softmax.encode(found.train[:1], kind).shape[1]
            encode = _always(partial(softmax.encode, kind=kind))
            yield f"Replicated Softmax, {units}: {kind}", f"{width}", encode


def judged(make: Make, found: Reviews) -> tuple[float, float | None]:
    """Accuracy on the validating reviews, at the best regularisation, and on the test part."""
    known = ~found.validates
    encode = make(known)
    vectors = encode(found.train)
    scale = Scale.of(vectors[known])
    vectors = scale(vectors)
    grid = REGULARISATIONS["sparse" if sparse.issparse(vectors) else "dense"]
    reached = {c: _accuracy(vectors, found.labels, known, found.validates, c) for c in grid}
    best = max(grid, key=lambda c: reached[c])  # the strongest of equals
    if found.test is None:
        return reached[best], None
    of_all = make(np.ones_like(known))
    if of_all is not encode:  # it knows labels
        vectors = scale(of_all(found.train))
    probe = _probe(vectors, found.labels, best)
    return reached[best], float(probe.score(scale(of_all(found.test)), found.test_labels))


def _accuracy(vectors: Any, labels: Any, known: Any, asked: Any, c: float) -> float:
    return float(_probe(vectors[known], labels[known], c).score(vectors[asked], labels[asked]))


def _probe(vectors: Any, labels: Any, c: float) -> LogisticRegression:
    solver, tol = ("liblinear", 1e-2) if sparse.issparse(vectors) else ("lbfgs", 1e-3)
    return LogisticRegression(C=c, solver=solver, tol=tol, max_iter=300, random_state=SEED).fit(
        vectors, labels
    )


def _always(encode: Encode) -> Make:
    """What knows no labels."""
    return lambda known: encode


def _naive_bayes(found: Reviews, known: NDArray[np.bool_]) -> Encode:
    """What occurs counts its log ratio, and documents have length 1."""
    ratios = label_ratios(found.train[known], found.labels[known] == POSITIVE)

    def encode(counts: sparse.csr_array) -> sparse.csr_array:
        data = ratios[counts.indices].astype(np.float32)
        weighed = sparse.csr_array((data, counts.indices, counts.indptr), counts.shape)
        return sparse.csr_array(normalize(weighed))

    return encode


def main(arguments: list[str] | None = None) -> None:
    """Prints the table; a line on standard error for each row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--components", type=int, nargs="*", default=[128, 256])
    parser.add_argument("--replicated", type=int, nargs="*", default=[128])
    parser.add_argument("--ngrams", type=int, default=2)
    parser.add_argument("--words", type=int, default=500_000)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    for flag in ("--test", "--no-words", "--no-start"):
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_args(arguments)
    found = reviews(asked.words, asked.ngrams, asked.jobs, test=asked.test)
    lines: list[list[str]] = []
    for name, numbers, make in rows(asked, found):
        validation, test = judged(make, found)
        lines.append([name, numbers, f"{validation:.4f}", "" if test is None else f"{test:.4f}"])
        print(*lines[-1], sep="  ", file=sys.stderr, flush=True)
    title = f"IMDB, n-grams of 1 to {asked.ngrams} words, K={found.train.shape[1]:,}"
    print(markdown_table(Table(title, COLUMNS, lines)))


if __name__ == "__main__":
    main()
