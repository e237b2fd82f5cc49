"""The corpora: labelled documents to learn from, and others that ask for them.

Training documents stand in an order that is drawn once, so that the first 500 are among the first
3,000. Vectors of encoders depend on nothing but the text: they are made once for all sizes. Posts
of 20 Newsgroups keep their headers; tags of IMDB's reviews become spaces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks import search_quality
from undertow.datasets import load_20newsgroups, load_imdb

ASKED = 1500  # test documents


@dataclass(frozen=True)
class Part:
    """Texts with their labels."""

    name: str
    texts: list[str]
    labels: NDArray[Any]

    def head(self, n: int) -> Part:
        return Part(self.name, self.texts[:n], self.labels[:n])

    @cached_property
    def key(self) -> str:
        """What files about all its texts are called: other texts, or another order, have another
        name.
        """
        digest = hashlib.sha256()
        for text in self.texts:
            encoded = text.encode()
            digest.update(len(encoded).to_bytes(8) + encoded)
        return f"{self.name}-{digest.hexdigest()[:8]}"


@dataclass(frozen=True)
class Corpus:
    """A training part, test documents, and short questions with the label of what they ask for,
    where there are any.
    """

    name: str
    train: Part
    test: Part
    short: Part | None = None

    @property
    def parts(self) -> list[Part]:
        return [self.train, self.test, *([self.short] if self.short else [])]


def newsgroups() -> Corpus:
    """Posts; the short questions are the subjects of the test posts, without Re:, where they have
    one.
    """
    train, test = drawn(load_20newsgroups())
    subjects = search_quality.newsgroups(test).questions
    there = [row for row, subject in enumerate(subjects) if subject.strip()]
    labels = test["label"].to_numpy()[there]
    short = Part("20newsgroups-short", [subjects[row] for row in there], labels)
    return Corpus(
        "20newsgroups", part("20newsgroups-train", train), part("20newsgroups-test", test), short
    )


def imdb() -> Corpus:
    """The labelled reviews."""
    rows = load_imdb().filter(pl.col("label").is_not_null())
    train, test = drawn(
        rows.with_columns(pl.col("text").str.replace_all("<br />", " ", literal=True))
    )
    return Corpus("imdb", part("imdb-train", train), part("imdb-test", test))


CORPORA: dict[str, Callable[[], Corpus]] = {"20newsgroups": newsgroups, "imdb": imdb}


def drawn(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The training part in a random order, and so many documents of the test part."""
    train, test = (rows.filter(pl.col("split") == split) for split in ("train", "test"))
    order = np.random.default_rng(0).permutation(train.height)
    return train[order], test[np.random.default_rng(1).permutation(test.height)[:ASKED]]


def part(name: str, rows: pl.DataFrame) -> Part:
    """Rows of a table with the columns text and label."""
    return Part(name, rows["text"].to_list(), rows["label"].to_numpy())
