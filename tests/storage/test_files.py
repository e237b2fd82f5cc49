"""A text file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from undertow import InvalidInput
from undertow.storage import write_text


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "file.json"
    assert write_text(target, "Grüße\n") == target
    assert target.read_bytes() == "Grüße\n".encode()
    write_text(str(target), "again\r\n")
    assert target.read_bytes() == b"again\r\n"
    assert os.listdir(target.parent) == ["file.json"]


def test_it_has_the_rights_of_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file(
    tmp_path: Path, call: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write_text(tmp_path / "file", "old")

    def fail(*_: Any, **__: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(
            InvalidInput if isinstance(error, OSError) else KeyboardInterrupt
        ) as caught:
            write_text(target, "new")
    if isinstance(error, OSError):
        assert (
            str(caught.value)
            == f"{target} must be a place that can be written, got No space left on device"
        )
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_is_no_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in ("", tmp_path, "/", tmp_path / "a\0b"):
        with pytest.raises(InvalidInput, match="path must name a file"):
            write_text(path, "x")
    with pytest.raises(InvalidInput, match="must be a place that can be written"):
        write_text(tmp_path / "file" / "below", "x")


def test_half_a_letter_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match="text must be valid Unicode, got half of a surrogate pair at 3"
    ):
        write_text(tmp_path / "file", "abc\ud800")
    assert os.listdir(tmp_path) == []
