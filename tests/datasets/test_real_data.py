"""The data sets themselves, where there is a copy."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.datasets.making import archive_of
from undertow.datasets import imdb, load_20newsgroups, load_imdb, newsgroups
from undertow.datasets._archive import read_archive
from undertow.datasets._official import check_digest

pytestmark = pytest.mark.data


def counts(documents: pl.DataFrame) -> dict[tuple[str, str | None], int]:
    return {
        (split, label): count
        for split, label, count in documents.group_by("split", "label").len().iter_rows()
    }


def test_newsgroups_are_the_official_ones() -> None:
    documents = load_20newsgroups()
    assert counts(documents) == newsgroups.OFFICIAL.counts
    check_digest(documents, newsgroups.OFFICIAL, "the copy")
    assert load_20newsgroups(split="train").height == 11_314
    assert load_20newsgroups(split="test").height == 7_532


def test_reviews_are_the_official_ones() -> None:
    documents = load_imdb()
    assert counts(documents) == imdb.OFFICIAL.counts
    check_digest(documents, imdb.OFFICIAL, "the copy")
    assert load_imdb(split="unsup")["label"].null_count() == 50_000


def test_stripping_leaves_most_posts_something_to_say() -> None:
    whole = load_20newsgroups()
    bodies = load_20newsgroups(headers=False)
    bare = load_20newsgroups(headers=False, quotes=False, signatures=False)
    assert bare["id"].equals(whole["id"])
    assert (
        bodies["text"] == ""
    ).sum() == 34  # the posts without a body, as counted when the copy was made
    assert 34 < (bare["text"] == "").sum() < 200
    assert (
        bare["text"].str.len_chars().sum()
        < bodies["text"].str.len_chars().sum()
        < whole["text"].str.len_chars().sum()
    )


def test_an_archive_of_the_posts_gives_the_same_table(tmp_path: Path) -> None:
    documents = load_20newsgroups()
    files = {
        f"20news-bydate-{id}": text.encode("latin-1")
        for id, text in documents.select("id", "text").iter_rows()
    }
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(archive_of(files, level=1))
    assert read_archive(archive, newsgroups.OFFICIAL).equals(documents)


@pytest.mark.torture
@pytest.mark.slow
def test_an_archive_of_the_reviews_gives_the_same_table(tmp_path: Path) -> None:
    documents = load_imdb()
    files = {
        f"aclImdb/{id}.txt": text.encode()
        for id, text in documents.select("id", "text").iter_rows()
    }
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(archive_of(files, level=1))
    assert read_archive(archive, imdb.OFFICIAL).equals(documents)
