"""Counting posts: a corpus small enough to count by hand, and the real one where it is there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks import newsgroups_data
from undertow.counts import log_counts

POSTS = pl.DataFrame(
    {
        "split": ["train", "train", "test", "train"],
        "label": ["sci.space", "rec.autos", "rec.autos", "sci.space"],
        "text": [
            "Subject: ROCKETS!\n\nThe rocket, the 2nd rocket_engine; x y z",
            "Engines and wheels. O'Brien's engine; caf\u00e9",
            "A rocket wheel? unheard-of of of",
            "the and of 12 a",
        ],
    }
)


def test_counts_by_hand() -> None:
    data = newsgroups_data.count_posts(POSTS, 100)
    # engin and rocket come three times, the rest once: alphabetical among equals; a possessive's s
    # is one letter.
    assert data.vocabulary == ["engin", "rocket", "brien", "caf\u00e9", "nd", "subject", "wheel"]
    assert data.train.toarray().tolist() == [[1, 3, 0, 0, 1, 1, 0], [2, 0, 1, 1, 0, 0, 1], [0] * 7]
    assert data.test.toarray().tolist() == [[0, 1, 0, 0, 0, 0, 1]]
    assert data.label_names == ["rec.autos", "sci.space"]
    assert data.train_labels.tolist() == [1, 0, 1]
    assert data.test_labels.tolist() == [0]


def test_the_vocabulary_is_cut_by_count_then_alphabet() -> None:
    data = newsgroups_data.count_posts(POSTS, 3)
    assert data.vocabulary == ["engin", "rocket", "brien"]
    assert data.train.shape == (3, 3)
    assert data.test.toarray().tolist() == [[0, 1, 0]]


def test_the_folder_must_be_named_and_hold_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("UNDERTOW_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="UNDERTOW_DATA must name the folder that holds"):
        newsgroups_data.load()
    monkeypatch.setenv("UNDERTOW_DATA", str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"UNDERTOW_DATA must name a folder .*, got '.*', which does not"
    ):
        newsgroups_data.load()


@pytest.mark.torture
@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("UNDERTOW_DATA"), reason="UNDERTOW_DATA is not set")
def test_the_real_corpus_has_its_official_sizes() -> None:
    data = newsgroups_data.load()
    assert data.train.shape == (11_314, 2000)
    assert data.test.shape == (7_532, 2000)
    assert len(data.label_names) == 20
    assert np.bincount(data.train_labels)[:2].tolist() == [480, 584]
    assert np.bincount(data.test_labels)[:2].tolist() == [319, 389]
    assert data.train.dtype == np.int32
    assert data.train.has_canonical_format
    totals = np.asarray(data.train.sum(axis=0)).ravel()
    assert (np.diff(totals) <= 0).all()
    assert (
        84 < log_counts(data.train).sum() / 11_314 < 85
    )  # what the speed benchmarks take as a typical length
