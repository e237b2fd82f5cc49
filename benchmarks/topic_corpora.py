"""The corpora that topics are judged on, as texts, labels, counts and words in order.

Runs of two or more letters, in small letters, English stop words (scikit-learn's) out, the 10,000
most frequent words of those in at least 5 documents. Headers of posts are kept; tags of reviews are
not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from undertow import Vectorizer

WORDS = 10_000
REVIEWS = 25_000  # a sample of the 75,000, so that slow systems have an end
SETTINGS: dict[str, Any] = {
    "vocabulary_size": WORDS,
    "stop_words": "english",
    "min_df": 5,
    "token_pattern": r"\p{L}{2,}",
}


@dataclass(frozen=True)
class Texts:
    """A corpus before anything is counted."""

    name: str
    texts: Sequence[str]
    labels: NDArray[Any]  # None where a text has none
    note: str = ""
    settings: dict[str, Any] | None = None  # of the vectorizer, where they are others

    def vectorizer(self) -> Vectorizer:
        return Vectorizer(**(SETTINGS | (self.settings or {})))


@dataclass(frozen=True)
class Counted:
    """A corpus as systems and judges see it."""

    counts: sparse.csr_array
    words: list[str]
    in_order: list[NDArray[np.int32]]  # the known words of each text
    labels: NDArray[Any]


def newsgroups(documents: int | None = None) -> Texts:
    """The training posts of 20 Newsgroups, or so many of them."""
    posts = pl.read_parquet(_file("20newsgroups.parquet")).filter(pl.col("split") == "train")
    return _texts("20newsgroups", posts, documents)


def imdb(documents: int | None = None) -> Texts:
    """A sample of the training and the unlabelled reviews."""
    reviews = pl.read_parquet(_file("imdb.parquet")).filter(pl.col("split") != "test")
    return _texts(
        "imdb", reviews, REVIEWS if documents is None else documents, {"strip_html": True}
    )


CORPORA: dict[str, Callable[[int | None], Texts]] = {"20newsgroups": newsgroups, "imdb": imdb}


def counted(corpus: Texts) -> Counted:
    """Counts, and the words in order, as systems and judges share them."""
    vectorizer = corpus.vectorizer()
    counts = vectorizer.fit_transform(corpus.texts)
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    return Counted(counts, words, in_order(vectorizer, corpus.texts), corpus.labels)


def in_order(vectorizer: Vectorizer, texts: Sequence[str]) -> list[NDArray[np.int32]]:
    """The columns of the words of each text, in the order of the text; others are left out."""
    columns, found = vectorizer.vocabulary_, []
    for first in range(0, len(texts), vectorizer.chunk_size):
        chunk = pl.Series("text", texts[first : first + vectorizer.chunk_size], dtype=pl.String)
        for terms in vectorizer._analyzer().terms(chunk):
            column_of = np.array([columns.get(word, -1) for word in terms.types], dtype=np.int32)
            for begin, end in zip(terms.starts[:-1], terms.starts[1:], strict=True):
                numbers = column_of[terms.codes[begin:end]]
                found.append(numbers[numbers >= 0])
    return found


def write(corpus: Texts, counted: Counted, folder: Path) -> None:
    """What the processes of systems read."""
    sparse.save_npz(folder / "counts.npz", counted.counts, compressed=False)
    pl.DataFrame({"text": list(corpus.texts)}).write_parquet(folder / "texts.parquet")
    settings = corpus.vectorizer().get_params(deep=False)
    (folder / "words.json").write_text(json.dumps({"words": counted.words, "vectorizer": settings}))


def _texts(
    name: str, table: pl.DataFrame, documents: int | None, settings: dict[str, Any] | None = None
) -> Texts:
    note = f"All {table.height:,} documents."
    if documents is not None and documents < table.height:
        note = f"{documents:,} of {table.height:,} documents, drawn at random, for all systems."
        table = table.sample(documents, seed=0)
    labels = (
        table["label"].to_numpy()
        if table["label"].null_count() == 0
        else np.array(table["label"].to_list(), object)
    )
    known = sum(label is not None for label in labels)
    if known < table.height:
        note += f" NMI and ARI are those of the {known:,} that have a label."
    return Texts(name, table["text"].to_list(), labels, note, settings)


def _file(name: str) -> Path:
    folder = os.environ.get("UNDERTOW_DATA")
    if not folder:
        raise FileNotFoundError(
            f"UNDERTOW_DATA must name the folder that holds {name}, but it is not set"
        )
    path = Path(folder) / name
    if not path.is_file():
        raise FileNotFoundError(
            f"UNDERTOW_DATA must name a folder that holds {name}, got {folder!r}, which does not"
        )
    return path
