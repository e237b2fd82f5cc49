"""Downloads that break, resume, and are not what they should be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datasets.making import Behaviour, serving
from undertow import InvalidInput
from undertow.datasets import _download
from undertow.datasets._download import Unreachable, download

CONTENT = random.Random(0).randbytes(300_000)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Behaviour]:
    with serving(CONTENT) as behaviour:
        yield behaviour


def fetch(
    server: Behaviour, folder: Path, *, largest: int = 1 << 20, progress: bool = False
) -> bytes:
    download(server.url, folder / "a", largest=largest, progress=progress)
    assert [file.name for file in folder.iterdir()] == ["a"]
    return (folder / "a").read_bytes()


def test_a_file_in_one_go(server: Behaviour, tmp_path: Path) -> None:
    assert fetch(server, tmp_path) == CONTENT
    assert server.asked == [None]


def test_a_broken_connection_is_resumed(server: Behaviour, tmp_path: Path) -> None:
    server.breaks_after = 100_001
    assert fetch(server, tmp_path) == CONTENT
    assert server.asked == [None, "bytes=100001-", "bytes=200002-"]


def test_a_part_of_an_earlier_call_is_resumed(server: Behaviour, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT[:123])
    assert fetch(server, tmp_path) == CONTENT
    assert server.asked == ["bytes=123-"]


def test_a_part_that_is_whole_already(server: Behaviour, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT)
    assert fetch(server, tmp_path) == CONTENT


def test_a_part_that_is_too_long_starts_anew(server: Behaviour, tmp_path: Path) -> None:
    (tmp_path / "a.part").write_bytes(CONTENT + b"more")
    assert fetch(server, tmp_path) == CONTENT
    assert server.asked == ["bytes=300004-", None]


def test_a_server_without_ranges_starts_anew(server: Behaviour, tmp_path: Path) -> None:
    server.ranges = False
    (tmp_path / "a.part").write_bytes(b"other")
    assert fetch(server, tmp_path) == CONTENT


def test_a_server_with_another_range_starts_anew(server: Behaviour, tmp_path: Path) -> None:
    server.wrong_start = True
    (tmp_path / "a.part").write_bytes(CONTENT[:123])
    assert fetch(server, tmp_path) == CONTENT


def test_a_length_that_is_not_told(server: Behaviour, tmp_path: Path) -> None:
    server.length = False
    assert fetch(server, tmp_path) == CONTENT


def test_what_has_arrived_is_kept(
    server: Behaviour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.breaks_after = 1000
    monkeypatch.setattr(_download, "ATTEMPTS", 3)
    with pytest.raises(Unreachable, match="the connection broke after 3,000 of 300,000 bytes"):
        fetch(server, tmp_path)
    assert (tmp_path / "a.part").read_bytes() == CONTENT[:3000]


def test_an_attempt_that_brings_nothing_is_the_last(server: Behaviour, tmp_path: Path) -> None:
    server.breaks_after = 0
    with pytest.raises(Unreachable, match="the connection broke after 0"):
        fetch(server, tmp_path)
    assert server.asked == [None]


def test_a_file_that_is_far_too_large(server: Behaviour, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a.part must have at most 1,000 bytes, got 300,000"):
        fetch(server, tmp_path, largest=1000)
    assert (tmp_path / "a.part").stat().st_size == 0


def test_a_server_that_refuses(server: Behaviour, tmp_path: Path) -> None:
    server.status = 404
    with pytest.raises(Unreachable, match="the server answers 404 Not Found"):
        fetch(server, tmp_path)


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="refused"):
        download("http://127.0.0.1:1/a", tmp_path / "a", largest=10, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_within_the_host_is_followed(server: Behaviour, tmp_path: Path) -> None:
    server.moved_to = "/moved.tar.gz"
    assert fetch(server, tmp_path) == CONTENT


def test_a_redirect_to_another_host_is_not(server: Behaviour, tmp_path: Path) -> None:
    server.moved_to = server.url.replace("127.0.0.1", "localhost")
    with pytest.raises(Unreachable, match="another host, http://localhost"):
        fetch(server, tmp_path)
    assert len(server.asked) == 1


def test_progress_is_shown_where_it_is_wanted(
    server: Behaviour, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b").mkdir()
    fetch(server, tmp_path / "b", progress=False)
    assert capsys.readouterr() == ("", "")
    (tmp_path / "c").mkdir()
    fetch(server, tmp_path / "c", progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "300.0/300.0 kB" in shown.err
