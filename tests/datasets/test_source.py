"""Which copy of a data set is read, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.datasets.making import (
    POSTS,
    REVIEW_ROWS,
    REVIEWS,
    ROWS,
    Behaviour,
    archive_of,
    made_imdb,
    made_newsgroups,
    serving,
)
from undertow import InvalidInput
from undertow.datasets import imdb, load_20newsgroups, load_imdb, newsgroups
from undertow.datasets._source import cache_folder

NAMES = ["id", "split", "label", "text"]
FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("UNDERTOW_DATA", "UNDERTOW_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Behaviour]:
    with serving(archive_of(POSTS)) as behaviour:
        monkeypatch.setattr(newsgroups, "OFFICIAL", made_newsgroups(behaviour.url))
        yield behaviour


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for local copies, and no network."""
    monkeypatch.setattr(newsgroups, "OFFICIAL", made_newsgroups())
    monkeypatch.setenv("UNDERTOW_DATA", str(tmp_path))
    return tmp_path


def test_a_download_becomes_the_cache(server: Behaviour, tmp_path: Path) -> None:
    first = load_20newsgroups(cache=tmp_path / "new[1]" / "cache", progress=False)
    assert first.columns == NAMES
    assert first.rows() == ROWS
    assert os.listdir(tmp_path / "new[1]" / "cache") == ["20newsgroups.parquet"]
    assert load_20newsgroups(cache=str(tmp_path / "new[1]" / "cache")).equals(first)
    assert len(server.asked) == 1


def test_reviews_and_their_splits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(archive_of(REVIEWS)) as server:
        monkeypatch.setattr(imdb, "OFFICIAL", made_imdb(server.url))
        assert load_imdb(cache=tmp_path, progress=False).rows() == REVIEW_ROWS
    for split in ("train", "test", "unsup"):
        assert load_imdb(split=split, cache=tmp_path).rows() == [
            row for row in REVIEW_ROWS if row[1] == split
        ]


def test_a_broken_download_goes_on_in_the_next_call(server: Behaviour, tmp_path: Path) -> None:
    server.breaks_after = 0
    (tmp_path / "posts.tar.gz.part").write_bytes(server.content[:50])
    with pytest.raises(InvalidInput, match="the connection broke after 50 of"):
        load_20newsgroups(cache=tmp_path, progress=False)
    server.breaks_after = None
    assert load_20newsgroups(cache=tmp_path, progress=False).rows() == ROWS
    assert server.asked == ["bytes=50-", "bytes=50-"]


def test_an_archive_put_there_by_hand(server: Behaviour, tmp_path: Path) -> None:
    (tmp_path / "posts.tar.gz").write_bytes(server.content)
    assert load_20newsgroups(cache=tmp_path).rows() == ROWS
    assert server.asked == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "must be the official archive of 20newsgroups"),
        (
            archive_of(dict(list(POSTS.items())[1:])),
            "must hold the 4 documents of 20newsgroups, got 3",
        ),
        (
            archive_of(
                {name.replace("sci.space/900", "sci.med/900"): text for name, text in POSTS.items()}
            ),
            "must hold 0 documents with split 'train' and label 'sci.med', got 1",
        ),
        (
            archive_of(POSTS | {"20news-bydate-test/sci.space/2000": b"Venus"}),
            "got digest [0-9a-f]{64}",
        ),
    ],
)
def test_wrong_content(server: Behaviour, tmp_path: Path, content: bytes, message: str) -> None:
    server.content = content
    with pytest.raises(
        InvalidInput, match=message + ".*it has been deleted, call again to download it anew"
    ):
        load_20newsgroups(cache=tmp_path, progress=False)
    assert os.listdir(tmp_path) == []
    (tmp_path / "posts.tar.gz").write_bytes(content)
    with pytest.raises(InvalidInput, match=message + ".*; delete it and call again"):
        load_20newsgroups(cache=tmp_path, progress=False)
    assert os.listdir(tmp_path) == ["posts.tar.gz"]  # not ours to delete


def test_a_conversion_that_fails_leaves_no_half_file(
    server: Behaviour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: pl.DataFrame, file: Path, **options: object) -> None:
        file.write_bytes(b"PAR1")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pl.DataFrame, "write_parquet", full)
        with pytest.raises(OSError, match="No space left"):
            load_20newsgroups(cache=tmp_path, progress=False)
    assert os.listdir(tmp_path) == ["posts.tar.gz"]
    assert load_20newsgroups(cache=tmp_path, progress=False).rows() == ROWS
    assert len(server.asked) == 1


def test_offline_and_no_copy(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = (
        r"from http://127.0.0.1:1/a.tar.gz \(.*refused.*\): set UNDERTOW_DATA \({}\) to a folder "
        r"with 20newsgroups"
    )
    with pytest.raises(InvalidInput, match=message.format("now '.*', which has none")):
        load_20newsgroups(cache=data / "cache", progress=False)
    monkeypatch.delenv("UNDERTOW_DATA")
    with pytest.raises(
        InvalidInput, match=message.format("not set now") + ".*or connect to the network"
    ):
        load_20newsgroups(cache=data / "cache", progress=False)


def test_the_local_copy_comes_first(data: Path) -> None:
    FRAME.with_columns(extra=1).select("text", "extra", "label", "split", "id").write_parquet(
        data / "20newsgroups.parquet"
    )
    assert load_20newsgroups().rows() == ROWS
    assert load_20newsgroups(split="test", headers=False)["text"].to_list() == ["Mars.\n"]
    assert not (data / "home").exists()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            FRAME.drop("label"),
            "must have the columns id, split, label, text, got these: id, split, text",
        ),
        (FRAME.with_columns(text=1), "must have strings in column text, got Int32"),
        (
            FRAME.with_columns(text=pl.lit(None, pl.String)),
            "must have no nulls in column text, got 4",
        ),
        (FRAME.head(3), "must hold the 4 documents of 20newsgroups, got 3"),
        (
            FRAME.with_columns(label=pl.lit("a")),
            "must hold 0 documents with split 'test' and label 'a', got 1",
        ),
        (FRAME.with_columns(id=pl.lit("a")), "must have unique ids"),
    ],
)
def test_a_wrong_local_copy(data: Path, frame: pl.DataFrame, message: str) -> None:
    frame.write_parquet(data / "20newsgroups.parquet")
    with pytest.raises(InvalidInput, match="20newsgroups.parquet " + message):
        load_20newsgroups()


def test_a_local_copy_that_is_no_parquet(data: Path) -> None:
    (data / "20newsgroups.parquet").write_text("id,split,label,text\n" * 20)
    with pytest.raises(
        InvalidInput, match=r"20newsgroups.parquet must be a Parquet file of 20newsgroups, got: "
    ):
        load_20newsgroups()


def test_a_data_folder_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNDERTOW_DATA", str(tmp_path / "typo"))
    with pytest.raises(
        InvalidInput, match=r"UNDERTOW_DATA must name a folder with imdb.parquet, got '.*typo'"
    ):
        load_imdb()


def test_a_cache_that_cannot_be_made(server: Behaviour, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        InvalidInput, match=r"cache \(or UNDERTOW_CACHE\) must name a folder that can be made"
    ):
        load_20newsgroups(cache=tmp_path / "file" / "cache")


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_folder(None) == tmp_path / "home" / ".cache" / "undertow"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder(None) == tmp_path / "home" / ".cache" / "undertow"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder(None) == tmp_path / "xdg" / "undertow"
    monkeypatch.setenv("UNDERTOW_CACHE", "~/mine")
    assert cache_folder(None) == tmp_path / "home" / "mine"
    assert cache_folder("other") == Path("other")


def test_arguments() -> None:
    with pytest.raises(InvalidInput, match="split must be one of 'train', 'test', got 'unsup'"):
        load_20newsgroups(split="unsup")
    with pytest.raises(
        InvalidInput, match="split must be one of 'train', 'test', 'unsup', got 'dev'"
    ):
        load_imdb(split="dev")
    with pytest.raises(
        InvalidInput, match=r"quotes must be True \(keep\) or False \(strip\), got 'no'"
    ):
        load_20newsgroups(quotes="no")  # type: ignore[arg-type]


def test_the_limits_leave_room() -> None:
    for official in (newsgroups.OFFICIAL, imdb.OFFICIAL):
        assert official.largest_document < official.largest_archive < official.largest_unpacked
        assert official.archive in ("20news-bydate.tar.gz", "aclImdb_v1.tar.gz")
