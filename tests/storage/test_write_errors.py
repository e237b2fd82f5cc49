"""What is refused before anything is written, and what is never overwritten."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.storage.helpers import edit_header, read_run, small_parameters, write_run
from undertow._errors import InvalidInput, ModelFileError, NewerFormat
from undertow.storage import header_file, save_model, write_folder


def refusal(folder: Path) -> str:
    """The message of an overwrite, without the folder's path; whatever was there must be
    untouched.
    """
    before = contents(folder.parent)
    with pytest.raises(ModelFileError) as caught:
        write_run(folder, 2, overwrite=True)
    assert contents(folder.parent) == before
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder))
    return message.removeprefix(str(folder))


def contents(place: Path) -> dict[str, bytes | None]:
    return {
        str(file): file.read_bytes() if file.is_file() else None
        for file in sorted(place.rglob("*"))
    }


def test_an_existing_folder_is_not_overwritten_unasked(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    with pytest.raises(ModelFileError) as caught:
        write_run(tmp_path / "run", 2)
    assert str(caught.value) == (
        f"{tmp_path / 'run'} must not exist yet unless overwrite=True, got something already there"
    )
    assert read_run(tmp_path / "run") == 1


def test_it_is_when_asked(tmp_path: Path) -> None:
    for step in range(4):
        write_run(tmp_path / "run", step, overwrite=True)
        assert read_run(tmp_path / "run") == step
    assert os.listdir(tmp_path) == ["run"]


def test_a_damaged_folder_of_ours_can_be_overwritten(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    (tmp_path / "run" / "weights.safetensors").write_bytes(b"damaged")
    write_run(tmp_path / "run", 2, overwrite=True)
    assert read_run(tmp_path / "run") == 2


def test_an_empty_folder_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert refusal(tmp_path / "run") == (
        f" must be a folder written by undertow to be overwritten: {tmp_path}/run/model.json must "
        f"be a plain file, "
        "got nothing there"
    )


def test_a_folder_with_a_strangers_file_is_not_ours(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    (tmp_path / "run" / "notes.txt").write_text("mine")
    assert refusal(tmp_path / "run") == (
        " must hold only what undertow wrote to be overwritten, got 'notes.txt' in it"
    )


def test_a_folder_with_another_model_json_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.json").write_text('{"format_version": 1, "kind": "run"}')
    assert refusal(tmp_path / "run") == (
        " must be a folder written by undertow to be overwritten, got another model.json"
    )


def test_a_folder_of_another_kind_is_not_overwritten(tmp_path: Path) -> None:
    save_model(tmp_path / "run", small_parameters())
    assert (
        refusal(tmp_path / "run")
        == " must be of kind 'run' to be overwritten, got 'replicated-softmax'"
    )


def test_a_newer_folder_is_not_overwritten(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    edit_header(tmp_path / "run", lambda header: header.update(format_version=2))
    with pytest.raises(NewerFormat, match="must have a format_version of at most 1, got 2"):
        write_run(tmp_path / "run", 2, overwrite=True)
    assert len(contents(tmp_path)) == 3


def test_a_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    assert (
        refusal(tmp_path / "run")
        == " must be a folder written by undertow to be overwritten, got a file"
    )


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_not_overwritten(tmp_path: Path, dangling: bool) -> None:
    if not dangling:
        write_run(tmp_path / "real", 1)
    (tmp_path / "run").symlink_to(tmp_path / "real")
    assert (
        refusal(tmp_path / "run")
        == " must be a folder written by undertow to be overwritten, got a symbolic link"
    )


def test_a_strangers_file_that_came_late_survives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "run", 1)
    rename = os.rename

    def late(source: Path, target: Path) -> None:
        if source == tmp_path / "run":
            (source / "notes.txt").write_text("mine")
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", late)
        write_run(tmp_path / "run", 2, overwrite=True)
    assert read_run(tmp_path / "run") == 2
    assert (tmp_path / ".run.undertow-old" / "notes.txt").read_text() == "mine"


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelFileError) as caught:
        write_run(tmp_path / "file" / "run", 1)
    assert (
        str(caught.value)
        == f"{tmp_path}/file/run must be a place that can be written, got Not a directory"
    )


@pytest.mark.parametrize("path", ["", ".", "/", "a/..", "a\0b"])
def test_a_path_without_a_name(path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        write_folder(path, kind="run", manifest={}, arrays={})
    assert str(caught.value) == f"path must name a folder, got {path!r}"


@pytest.mark.parametrize(
    ("value", "name", "got"),
    [
        (float("nan"), "manifest.a", "nan"),
        ([1.0, float("inf")], "manifest.a[1]", "inf"),
        ({"b": {1: 2}}, "manifest.a.b", "{1: 2}"),
        (b"bytes", "manifest.a", "b'bytes'"),
        (np.float32(1), "manifest.a", "np.float32(1.0)"),
        ({3}, "manifest.a", "{3}"),
    ],
)
def test_a_manifest_that_is_not_json(tmp_path: Path, value: Any, name: str, got: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        write_folder(tmp_path / "run", kind="run", manifest={"a": value}, arrays={})
    assert str(caught.value) == (
        f"{name} must be plain JSON (objects with string keys, lists, strings, finite numbers, "
        f"booleans, None; "
        f"at most 32 deep), got {got}"
    )
    assert os.listdir(tmp_path) == []


def test_a_manifest_that_holds_itself(tmp_path: Path) -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(
        InvalidInput, match=r"^manifest\.a(\[0\])+ must be plain JSON .* got \[\[.*\]\]$"
    ):
        write_folder(tmp_path / "run", kind="run", manifest={"a": circle}, arrays={})


def test_a_number_too_large_to_be_read_again(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"^manifest\.a must be plain JSON .* got int too large to print$"
    ):
        write_folder(tmp_path / "run", kind="run", manifest={"a": 1 << 20_000}, arrays={})


def test_a_manifest_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_file, "LARGEST_HEADER", 100)
    with pytest.raises(InvalidInput, match=r"^manifest must fit 100 bytes as JSON, got \d+$"):
        write_run(tmp_path / "run", 1)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("a", np.zeros(2, np.float16), "array a must be one of {dtypes}, got <f2"),
        ("a", np.zeros(2, ">f4"), "array a must be one of {dtypes}, got >f4"),
        ("a", np.array(["x"], dtype=object), "array a must be one of {dtypes}, got |O"),
        ("a", [1, 2], "array a must be a NumPy array, got list"),
        ("a", np.zeros([1] * 33), "array a must have at most 32 dimensions, got 33"),
        ("", np.zeros(2), "an array's name must be letters, digits, dots and underscores, got ''"),
        (
            "a b",
            np.zeros(2),
            "an array's name must be letters, digits, dots and underscores, got 'a b'",
        ),
        (
            "__metadata__",
            np.zeros(2),
            "an array's name must be letters, digits, dots and underscores, got '__metadata__'",
        ),
    ],
)
def test_an_array_that_cannot_be_stored(
    tmp_path: Path, name: str, array: Any, message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        write_folder(tmp_path / "run", kind="run", manifest={}, arrays={name: array})
    assert str(caught.value) == message.format(
        dtypes="float32, float64, int32, int64, uint8, uint32"
    )
    assert os.listdir(tmp_path) == []
