"""What a killed or a busy writer leaves, met by the next reader or writer."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from tests.storage.helpers import others, read_run, write_run
from undertow._errors import ModelFileError
from undertow.storage import header_file


def test_the_old_folder_is_read_from_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_run(tmp_path / "run", 1)
    os.rename(tmp_path / "run", tmp_path / ".run.undertow-old")
    with caplog.at_level(logging.WARNING):
        assert read_run(tmp_path / "run") == 1
    assert "was being replaced when its writer stopped; reading the earlier one" in caplog.text


def test_the_old_folder_aside_still_counts_as_existing(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    os.rename(tmp_path / "run", tmp_path / ".run.undertow-old")
    with pytest.raises(ModelFileError, match="must not exist yet"):
        write_run(tmp_path / "run", 2)
    assert read_run(tmp_path / "run") == 1
    assert others(tmp_path) == set()


def test_half_a_folder_aside_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "run", 1)
    unlink = os.unlink

    def first_only(path: Path, **options: int) -> None:
        unlink(path, **options)
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", first_only)
        write_run(tmp_path / "run", 2, overwrite=True)
    assert os.listdir(tmp_path / ".run.undertow-old") == ["weights.safetensors"]
    os.rename(tmp_path / "run", tmp_path / "moved")
    with pytest.raises(ModelFileError, match="got nothing there"):
        read_run(tmp_path / "run")
    write_run(tmp_path / "run", 3)
    assert others(tmp_path) == {"moved"}


def test_temporary_folders_of_the_dead_are_swept_once_old(tmp_path: Path) -> None:
    old, young = (tmp_path / f".run.undertow-new-{digit * 16}" for digit in "ab")
    other = tmp_path / ".other.undertow-new-aaaaaaaaaaaaaaaa"
    for place in (old, young, other):
        place.mkdir()
        (place / ".tmpAbc").write_bytes(b"half")
    days_ago = time.time() - 3 * 24 * 3600
    os.utime(old, (days_ago, days_ago))
    os.utime(other, (days_ago, days_ago))
    write_run(tmp_path / "run", 1)
    assert others(tmp_path) == {young.name, other.name}


def test_an_old_folder_that_cannot_be_removed_does_not_undo_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_run(tmp_path / "run", 1)

    def refuse(_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(os, "rmdir", refuse)
        write_run(tmp_path / "run", 2, overwrite=True)
    assert "could not be removed: Operation not permitted" in caplog.text
    assert read_run(tmp_path / "run") == 2


def test_a_folder_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "run", 1)
    read_header = header_file.read_header
    replaced: list[Path] = []

    def replacing(folder: Path, kind: str) -> object:
        header = read_header(folder, kind)
        if not replaced:
            replaced.append(write_run(tmp_path / "run", 2, overwrite=True))
        return header

    monkeypatch.setattr(header_file, "read_header", replacing)
    assert read_run(tmp_path / "run") == 2


def test_a_folder_replaced_all_the_time_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "run", 1)
    read_header = header_file.read_header

    def replacing(folder: Path, kind: str) -> object:
        header = read_header(folder, kind)
        write_run(tmp_path / "run", 2, overwrite=True)
        return header

    monkeypatch.setattr(header_file, "read_header", replacing)
    with pytest.raises(ModelFileError) as caught:
        read_run(tmp_path / "run")
    assert (
        str(caught.value)
        == f"{tmp_path / 'run'} must hold still while it is read, got replaced 5 times meanwhile"
    )
