"""Archives from strangers."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.datasets.making import (
    POSTS,
    REVIEW_ROWS,
    REVIEWS,
    ROWS,
    archive_of,
    bomb,
    made_imdb,
    made_newsgroups,
)
from undertow import InvalidInput
from undertow.datasets._archive import read_archive
from undertow.datasets._official import Official


def rows(tmp_path: Path, content: bytes, official: Official | None = None) -> list[tuple[str, ...]]:
    file = tmp_path / "a.tar.gz"
    file.write_bytes(content)
    return read_archive(file, official or made_newsgroups()).rows()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def test_posts_are_sorted_and_decoded(tmp_path: Path) -> None:
    assert rows(tmp_path, archive_of(POSTS)) == ROWS
    assert rows(tmp_path, archive_of({f"./{name}": text for name, text in POSTS.items()})) == ROWS


def test_reviews_are_sorted_and_decoded(tmp_path: Path) -> None:
    assert rows(tmp_path, archive_of(REVIEWS), made_imdb()) == REVIEW_ROWS


@pytest.mark.parametrize(
    "name",
    [
        "../20news-bydate-train/sci.space/1",
        "/20news-bydate-train/sci.space/1",
        "20news-bydate-train/../../etc/1",
        "20news-bydate-train/../1",
        "20news-bydate-train/sci.space/../1",
        "20news-bydate-train/sci.space/1\n",
        "20news-bydate-train/sci.space/١",
        "20news-bydate-train/sci.space/.DS_Store",
        "20news-bydate-unsup/sci.space/1",
        "sci.space/1",
    ],
)
def test_odd_names_are_passed_over(tmp_path: Path, name: str) -> None:
    assert rows(tmp_path, archive_of(POSTS | {name: b"evil"})) == ROWS
    assert [file.name for file in tmp_path.iterdir()] == ["a.tar.gz"]  # nothing was unpacked


@pytest.mark.parametrize(
    "name",
    ["aclImdb/test/unsup/0_0.txt", "aclImdb/train/pos/0_9.txt.exe", "aclImdb/train/pos/0.txt"],
)
def test_odd_names_of_reviews_are_passed_over(tmp_path: Path, name: str) -> None:
    assert rows(tmp_path, archive_of(REVIEWS | {name: b"evil"}), made_imdb()) == REVIEW_ROWS


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_folders_and_devices_are_passed_over(tmp_path: Path, kind: bytes) -> None:
    link = special("20news-bydate-train/sci.space/1", kind, "/etc/passwd")
    assert rows(tmp_path, archive_of(POSTS, link)) == ROWS


def test_too_many_documents(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="where it holds more than 4 documents"):
        rows(tmp_path, archive_of(POSTS | {"20news-bydate-train/sci.space/1": b"one more"}))


def test_a_document_twice(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"two documents have the id 'train/sci.space/900'"):
        rows(tmp_path, archive_of(POSTS | {"./20news-bydate-train/sci.space/900": b"again"}))


def test_a_document_that_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"20news-bydate-train/sci.space/900 has 19 bytes"):
        rows(tmp_path, archive_of(POSTS), replace(made_newsgroups(), largest_document=18))


def test_an_archive_that_unpacks_to_far_too_much(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="unpacks to far more"):
        rows(tmp_path, bomb(8), replace(made_newsgroups(), largest_unpacked=1 << 20))


def test_a_text_in_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"aclImdb/train/pos/0_9.txt is not utf-8"):
        rows(tmp_path, archive_of(REVIEWS | {"aclImdb/train/pos/0_9.txt": b"\xff"}), made_imdb())


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"\x1f\x8b", bytes(5000)])
def test_no_archive_at_all(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InvalidInput, match="must be the official archive of 20newsgroups"):
        rows(tmp_path, content)


def test_every_cut_is_noticed_or_harmless(tmp_path: Path) -> None:
    whole = archive_of(POSTS)
    for end in range(0, len(whole) - 1, 7):
        with pytest.raises(InvalidInput):
            rows(tmp_path, whole[:end])


def test_every_flipped_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    whole = archive_of(POSTS)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        try:
            found = rows(tmp_path, bytes(damaged))
        except InvalidInput:
            continue
        assert found == ROWS  # bytes of the gzip header that mean nothing, such as the time
