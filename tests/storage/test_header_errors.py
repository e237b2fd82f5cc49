"""Each way in which model.json cannot be trusted, and the line that says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.helpers import Header, edit_header, read_failure
from undertow._errors import NewerFormat
from undertow.storage import _json, header_file, read_folder
from undertow.storage.versions import undertow_version

DTYPES = "float32, float64, int32, int64, uint8, uint32"


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b'{"a": NaN}', "the number NaN, which is not finite"),
        (b'{"a": 1e999}', "the number 1e999, which is not finite"),
    ],
)
def test_a_header_that_is_not_json(run: Path, text: bytes, got: str) -> None:
    (run / "model.json").write_bytes(text)
    assert read_failure(run) == f"/model.json must be valid JSON, got {got}"


@pytest.mark.parametrize(
    "text", [b"[" * 200_000, b'{"a":' * 200_000, b'{"a": ' + b"9" * 10_000 + b"}"]
)
def test_a_header_that_overstrains_the_parser(run: Path, text: bytes) -> None:
    (run / "model.json").write_bytes(text)
    assert read_failure(run).startswith("/model.json must be valid JSON, got ")


@pytest.mark.parametrize("depth", [50, 500, 900, 940, 960, 980, 990])
def test_a_header_nested_almost_too_deep(run: Path, depth: int) -> None:
    header = json.loads((run / "model.json").read_text())
    text = json.dumps({**header, "manifest": "here"})
    (run / "model.json").write_text(text.replace('"here"', "[" * depth + "]" * depth))
    assert read_failure(run).startswith("/model.json must be ")


def test_a_header_too_deep_to_be_summed_up(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(_: object) -> str:
        raise RecursionError

    monkeypatch.setattr(_json, "checksum", exhausted)
    assert (
        read_failure(run)
        == "/model.json must be as undertow wrote it, got contents that do not fit their checksum"
    )


@pytest.mark.parametrize(("text", "got"), [(b"[1, 2]", "[1, 2]"), (b"3", "3"), (b"null", "None")])
def test_a_header_that_is_not_an_object(run: Path, text: bytes, got: str) -> None:
    (run / "model.json").write_bytes(text)
    assert read_failure(run) == f"/model.json must be a JSON object, got {got}"


def test_a_header_too_large_to_be_one(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_file, "LARGEST_HEADER", 100)
    assert read_failure(run) == "/model.json must be at most 100 bytes, got more"


def test_another_kind(run: Path) -> None:
    assert (
        read_failure(run, "replicated-softmax")
        == "/model.json must be of kind 'replicated-softmax', got 'run'"
    )


def test_a_newer_format(run: Path) -> None:
    edit_header(
        run, lambda header: header.update(format_version=2, undertow_version="9.1", new_field=True)
    )
    with pytest.raises(NewerFormat) as caught:
        read_folder(run, kind="run")
    assert str(caught.value) == (
        f"{run}/model.json must have a format_version of at most 1, got 2, written by undertow "
        f"9.1; this is undertow {undertow_version()}: pip install 'undertow>=9.1'"
    )


@pytest.mark.parametrize("writer", [None, 3, "unknown", "1; rm -rf /", "\x1b[2J", "9" * 50])
def test_a_newer_format_whose_writer_is_no_version(run: Path, writer: object) -> None:
    edit_header(run, lambda header: header.update(format_version=2, undertow_version=writer))
    with pytest.raises(NewerFormat) as caught:
        read_folder(run, kind="run")
    assert str(caught.value).endswith(
        f"got 2, written by a later version; this is undertow {undertow_version()}: "
        "pip install --upgrade undertow"
    )


@pytest.mark.parametrize("version", [0, -1, 1.0, "1", True, None])
def test_no_format_version(run: Path, version: object) -> None:
    edit_header(run, lambda header: header.update(format_version=version))
    assert (
        read_failure(run)
        == f"/model.json must have a format_version of at least 1, got {version!r}"
    )


def test_a_field_missing(run: Path) -> None:
    edit_header(run, lambda header: header.pop("checksum"))
    assert read_failure(run).startswith(
        "/model.json must have the fields format_version, kind, undertow_version, checksum, "
        "weights, arrays, manifest, "
        "got ['format_version', 'kind', "
    )


def test_an_edit_shows(run: Path) -> None:
    file = run / "model.json"
    file.write_text(file.read_text().replace('"step": 7', '"step": 8'))
    assert (
        read_failure(run)
        == "/model.json must be as undertow wrote it, got contents that do not fit their checksum"
    )


def test_spacing_and_order_are_no_edit(run: Path) -> None:
    file = run / "model.json"
    file.write_text(json.dumps(dict(reversed(json.loads(file.read_text()).items()))))
    assert read_folder(run, kind="run")[0] == {"step": 7}


def of_array(entry: object) -> Callable[[Header], object]:
    return lambda header: header["arrays"].update(weights=entry)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (
            lambda header: header.update(undertow_version=3),
            "give undertow_version as a string, got 3",
        ),
        (lambda header: header.update(manifest=[1]), "hold manifest as an object, got [1]"),
        (lambda header: header.update(kind=["run"]), "be of kind 'run', got ['run']"),
        (
            lambda header: header.update(weights=3),
            "give bytes and sha256 of weights.safetensors, got 3",
        ),
        (
            lambda header: header.update(weights={"bytes": True, "sha256": ""}),
            "give bytes and sha256 of weights.safetensors, got {'bytes': True, 'sha256': ''}",
        ),
        (
            lambda header: header.update(weights={"bytes": 3, "sha256": "x"}),
            "give bytes and sha256 of weights.safetensors, got {'bytes': 3, 'sha256': 'x'}",
        ),
        (lambda header: header.update(arrays=[]), "hold arrays as an object, got []"),
        (
            lambda header: header["arrays"].update({"a\nb": {"shape": [], "dtype": "uint8"}}),
            "name arrays by letters, digits, dots and underscores, got 'a\\nb'",
        ),
        (of_array(4), "give shape and dtype of array weights, got 4"),
        (of_array({"shape": [1]}), "give shape and dtype of array weights, got {'shape': [1]}"),
        (
            of_array({"shape": [4, 2], "dtype": "object"}),
            f"give array weights a dtype of {DTYPES}, got 'object'",
        ),
        (
            of_array({"shape": [4, 2], "dtype": ["float32"]}),
            f"give array weights a dtype of {DTYPES}, got ['float32']",
        ),
        (
            of_array({"shape": 4, "dtype": "float32"}),
            "give array weights a shape of at most 32 whole numbers, got 4",
        ),
        (
            of_array({"shape": [4.0, 2], "dtype": "float32"}),
            "give array weights a shape of at most 32 whole numbers, got [4.0, 2]",
        ),
        (
            of_array({"shape": [-1, 2], "dtype": "float32"}),
            "give array weights a shape of at most 32 whole numbers, got [-1, 2]",
        ),
        (
            of_array({"shape": [1] * 33, "dtype": "float32"}),
            "give array weights a shape of at most 32 whole numbers, got [1, 1, 1, 1, 1, 1, ...]",
        ),
    ],
)
def test_a_field_of_a_wrong_sort(
    run: Path, change: Callable[[Header], object], wanted: str
) -> None:
    edit_header(run, change)
    assert read_failure(run) == f"/model.json must {wanted}"


def test_a_shape_too_large_for_the_weights(run: Path) -> None:
    edit_header(run, of_array({"shape": [2**62, 2**62], "dtype": "float64"}))
    size = (run / "weights.safetensors").stat().st_size
    assert read_failure(run) == (
        f"/model.json must describe arrays that fit {size} bytes of weights, got {2**127 + 8} bytes"
    )
