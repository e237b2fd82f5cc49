"""Folders and files that are missing, or are not what their names say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.storage.helpers import read_failure
from undertow.storage import _opening


def test_no_folder(tmp_path: Path) -> None:
    assert (
        read_failure(tmp_path / "none")
        == " must be a folder written by undertow, got nothing there"
    )


def test_a_path_that_cannot_exist(tmp_path: Path) -> None:
    assert (
        read_failure(tmp_path / "a\0b")
        == " must be a folder written by undertow, got nothing there"
    )


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert (
        read_failure(tmp_path / "file")
        == " must be a folder written by undertow, got something else"
    )


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_missing_file(run: Path, name: str) -> None:
    (run / name).unlink()
    assert read_failure(run) == f"/{name} must be a plain file, got nothing there"


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_folder_instead_of_a_file(run: Path, name: str) -> None:
    (run / name).unlink()
    (run / name).mkdir()
    assert read_failure(run) == f"/{name} must be a plain file, got a folder"


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_link_instead_of_a_file(run: Path, name: str) -> None:
    (run / name).rename(run.parent / name)
    (run / name).symlink_to(run.parent / name)
    assert read_failure(run) == f"/{name} must be a plain file, got a symbolic link"


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_pipe_instead_of_a_file_is_not_waited_for(run: Path, name: str) -> None:
    (run / name).unlink()
    os.mkfifo(run / name)
    assert read_failure(run) == f"/{name} must be a plain file, got a pipe or device"


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_file_that_may_not_be_read(run: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.open

    def refusing(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if os.fspath(path) == str(run / name):
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refusing)
    assert (
        read_failure(run) == f"/{name} must be a plain file that can be read, got Permission denied"
    )


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
def test_a_opening_that_fails_while_reading(
    run: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = _opening.open_plain_file

    class Broken:
        def __init__(self, file: Path) -> None:
            self.handle = opened(file)

        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None:
            self.handle.close()

        def fileno(self) -> int:
            return self.handle.fileno()

        def read(self, _: int) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(
        _opening,
        "open_plain_file",
        lambda file: Broken(file) if file.name == name else opened(file),
    )
    assert read_failure(run) == f"/{name} must be readable, got Input/output error"
