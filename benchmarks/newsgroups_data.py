"""20 Newsgroups as word counts, the way the quality benchmarks use it.

Headers, quotations and signatures are kept; texts are lower-cased; tokens are runs of two or more
letters; stop words (scikit-learn's English list) go out; what remains is stemmed (Snowball's
English stemmer); and the vocabulary is the most frequent stems of the training part.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.newsgroups_data
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import Stemmer
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from undertow.counts import log_counts

FILE_NAME = "20newsgroups.parquet"
TOKEN = r"\p{L}{2,}"


@dataclass(frozen=True)
class NewsgroupsCounts:
    """Counts of the official training and test parts; labels are numbers of `label_names`."""

    train: sparse.csr_array  # 11,314 x K, int32
    test: sparse.csr_array  # 7,532 x K, int32
    train_labels: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    label_names: list[str]
    vocabulary: list[str]  # stems, the most frequent of the training part first


def load(vocabulary_size: int = 2000) -> NewsgroupsCounts:
    """Reads and counts the posts in the folder that the environment variable UNDERTOW_DATA
    names.
    """
    posts = pl.read_parquet(data_file(), columns=["split", "label", "text"])
    return count_posts(posts, vocabulary_size)


def data_file() -> Path:
    """Where the posts are, or an error that says what to do."""
    folder = os.environ.get("UNDERTOW_DATA")
    if not folder:
        raise FileNotFoundError(
            f"UNDERTOW_DATA must name the folder that holds {FILE_NAME}, but it is not set"
        )
    path = Path(folder) / FILE_NAME
    if not path.is_file():
        raise FileNotFoundError(
            f"UNDERTOW_DATA must name a folder that holds {FILE_NAME}, got {folder!r}, which does "
            f"not"
        )
    return path


def count_posts(posts: pl.DataFrame, vocabulary_size: int) -> NewsgroupsCounts:
    """Counts of posts given as columns split ("train" or "test"), label and text; order is kept
    within each part.
    """
    label_names = posts["label"].unique().sort().to_list()
    parts = {part: posts.filter(pl.col("split") == part) for part in ("train", "test")}
    stems = {part: stem_counts(rows["text"]) for part, rows in parts.items()}
    vocabulary = frequent_stems(stems["train"], vocabulary_size)
    counts = {part: _matrix(stems[part], rows.height, vocabulary) for part, rows in parts.items()}
    labels = {
        part: np.searchsorted(label_names, rows["label"].to_numpy()) for part, rows in parts.items()
    }
    return NewsgroupsCounts(
        train=counts["train"],
        test=counts["test"],
        train_labels=labels["train"].astype(np.int64),
        test_labels=labels["test"].astype(np.int64),
        label_names=label_names,
        vocabulary=vocabulary,
    )


def stem_counts(texts: pl.Series) -> pl.DataFrame:
    """Columns document (row number), stem and count, a row for each stem of each text."""
    tokens = (
        texts.alias("token")
        .to_frame()
        .with_row_index("document")
        .with_columns(pl.col("token").str.to_lowercase().str.extract_all(TOKEN))
        .explode("token")
        .drop_nulls("token")
    )
    types = tokens["token"].unique().to_list()
    kept = [word for word in types if word not in ENGLISH_STOP_WORDS]
    stems = pl.DataFrame(
        {"token": kept, "stem": Stemmer.Stemmer("english").stemWords(kept)},
        schema={"token": pl.String, "stem": pl.String},
    )
    return (
        tokens.join(stems, on="token")
        .group_by("document", "stem")
        .agg(pl.len().cast(pl.Int32).alias("count"))
    )


def frequent_stems(counts: pl.DataFrame, size: int) -> list[str]:
    """The `size` stems with the most tokens, the most frequent first, equal ones in alphabetical
    order.
    """
    totals = (
        counts.group_by("stem")
        .agg(pl.col("count").sum())
        .sort("count", "stem", descending=[True, False])
    )
    return totals["stem"].head(size).to_list()


def _matrix(counts: pl.DataFrame, documents: int, vocabulary: list[str]) -> sparse.csr_array:
    words = pl.DataFrame({"stem": vocabulary}, schema={"stem": pl.String}).with_row_index("word")
    entries = counts.join(words, on="stem").sort("document", "word")
    place = (entries["document"].to_numpy(), entries["word"].to_numpy())
    matrix = sparse.coo_array(
        (entries["count"].to_numpy(), place), shape=(documents, len(vocabulary))
    )
    return sparse.csr_array(matrix)


def main() -> None:
    """Prints what was loaded."""
    began = time.perf_counter()
    data = load()
    print(
        f"loaded in {time.perf_counter() - began:.1f} s, {len(data.vocabulary)} stems, "
        f"{len(data.label_names)} labels"
    )
    print("most frequent:", " ".join(data.vocabulary[:20]))
    print("least frequent:", " ".join(data.vocabulary[-10:]))
    for part, counts in (("train", data.train), ("test", data.test)):
        damped = log_counts(counts)
        tokens, damped_tokens = (
            np.asarray(matrix.sum(axis=1)).ravel() for matrix in (counts, damped)
        )
        print(
            f"{part}: {counts.shape[0]} documents, {counts.nnz / counts.shape[0]:.1f} different "
            f"stems each, "
            f"{tokens.mean():.1f} tokens each, {damped_tokens.mean():.1f} after ceil(log(1 + v)) "
            f"(median {np.median(damped_tokens):.0f}, longest {damped_tokens.max()}), "
            f"{(tokens == 0).sum()} empty"
        )


if __name__ == "__main__":
    main()
