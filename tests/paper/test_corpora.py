"""Counts of corpora: what the settings say, kept on disk, and the same as the benchmarks count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from benchmarks.newsgroups_data import load
from undertow.paper import corpora as corpora_module
from undertow.paper import texts
from undertow.paper.corpora import Corpora, Corpus, count

POSTS, REVIEWS = Corpus("made-up posts", 60), Corpus("made-up reviews", 60)


def same(one: sparse.csr_array, other: sparse.csr_array) -> bool:
    return one.shape == other.shape and not abs(one - other).sum()


def test_made_up_posts_are_labelled_and_stay_as_they_are() -> None:
    counted = count(POSTS)
    assert counted.learn.shape == (160, 60)
    assert counted.test.shape == (80, 60)
    assert len(counted.train_labels) == 160
    assert set(counted.test_labels) == {"topic 0", "topic 1", "topic 2", "topic 3"}
    tokens = np.asarray(counted.learn.sum(axis=0)).ravel()
    assert (np.diff(tokens) <= 0).all()  # the most frequent words first


def test_models_learn_from_unlabelled_reviews_too() -> None:
    counted = count(REVIEWS)
    assert counted.learn.shape[0] == 320
    assert counted.train.shape[0] == len(counted.train_labels) == 160
    assert set(counted.train_labels) == {"topic 0", "topic 1"}


def test_all_words_are_those_of_two_documents() -> None:
    counted = count(Corpus("made-up posts", None))
    assert (np.asarray((counted.learn > 0).sum(axis=0)).ravel() >= 2).all()


def test_ngrams_are_counted() -> None:
    assert count(Corpus("made-up reviews", None, ngrams=2)).learn.shape[1] > 120


def test_counted_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Corpora(tmp_path).counted(POSTS)
    monkeypatch.setattr(corpora_module, "count", lambda corpus, **_: pytest.fail("counted again"))
    again = Corpora(tmp_path)
    found = again.counted(POSTS)
    assert same(found.learn, first.learn)
    assert same(found.test, first.test)
    assert found.learn.dtype == first.learn.dtype
    assert (found.train_labels == first.train_labels).all()
    assert again.counted(POSTS) is found  # in memory


def test_damaged_file_is_counted_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = Corpora(tmp_path).counted(POSTS)
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(file.read_bytes()[:100])
    assert same(Corpora(tmp_path).counted(POSTS).learn, first.learn)
    assert "counted anew" in caplog.text
    (file,) = tmp_path.glob("*.npz")
    assert file.stat().st_size > 100


def test_memory_holds_a_few_corpora(tmp_path: Path) -> None:
    held = Corpora(tmp_path)
    for words in (10, 20, 30, 40):
        held.counted(Corpus("made-up posts", words))
    assert len(held._held) == corpora_module.HELD_AT_MOST


def test_slice_takes_some_of_every_split_and_label() -> None:
    table = texts.documents("made-up reviews", headers="kept", at_most=40)
    sizes = dict(table.group_by("split").len().iter_rows())
    assert sizes == {"train": 40, "test": 20, "unsup": 40}
    assert table.filter(pl.col("split") == "train")["label"].n_unique() == 2


def test_words_say_how_texts_were_counted() -> None:
    assert "signatures kept" in Corpus("20newsgroups", 2000).in_words()
    assert "signatures taken out" in Corpus("20newsgroups", 2000, headers="removed").in_words()
    assert "all words in at least two documents" in Corpus("20newsgroups", None).in_words()
    assert (
        "n-grams of 1 to 3 words, the 200,000 most frequent"
        in Corpus("imdb", 200_000, ngrams=3).in_words()
    )
    assert "a slice of 3,000" in Corpus("imdb", 5000, documents=3000).in_words()


@pytest.mark.data
@pytest.mark.torture  # all posts, twice
def test_newsgroups_are_counted_as_the_benchmarks_do() -> None:
    ours, theirs = count(Corpus("20newsgroups", 2000)), load(2000)
    assert same(ours.learn, theirs.train)
    assert same(ours.test, theirs.test)
    assert [
        theirs.label_names[number] for number in theirs.test_labels
    ] == ours.test_labels.tolist()


@pytest.mark.data
def test_removed_headers_leave_the_same_documents() -> None:
    table = texts.documents("20newsgroups", headers="removed", at_most=100)
    assert dict(table.group_by("split").len().iter_rows()) == {"train": 100, "test": 50}
    assert not table["text"].str.starts_with("From: ").any()
    assert (
        texts.documents("20newsgroups", headers="kept", at_most=100)["text"]
        .str.contains("Subject: ")
        .all()
    )


@pytest.mark.data
def test_reviews_have_no_line_breaks_of_html() -> None:
    table = texts.documents("imdb", headers="kept", at_most=200)
    assert not table["text"].str.contains("<br />", literal=True).any()
    assert table.filter(pl.col("split") == "unsup")["label"].null_count() == 200
