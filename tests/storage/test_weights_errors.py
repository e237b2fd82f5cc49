"""Weights that were cut, edited, exchanged or never were weights, and the line that says so."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from tests.storage.helpers import Array, edit_header, exchange_weights, read_failure


def test_truncated_weights(run: Path) -> None:
    file = run / "weights.safetensors"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    assert (
        read_failure(run)
        == f"/weights.safetensors must have {len(content)} bytes, got {len(content) - 1}"
    )


def test_edited_weights(run: Path) -> None:
    file = run / "weights.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    message = read_failure(run)
    assert message.startswith("/weights.safetensors must have SHA-256 ")
    assert len(message.split(", got ")[1]) == 64


@pytest.mark.parametrize(
    ("arrays", "wanted"),
    [
        (
            {"weights": np.zeros((4, 2), np.float32), "extra": np.zeros(9)},
            "the arrays position, weights, got ['extra', 'weights']",
        ),
        (
            {"weights": np.zeros((2, 4), np.float32), "position": np.zeros((), np.int64)},
            "array weights as float32 of shape (4, 2), got float32 of shape (2, 4)",
        ),
        (
            {"weights": np.zeros((4, 2), np.float32), "position": np.zeros((), np.float64)},
            "array position as int64 of shape (), got float64 of shape ()",
        ),
        (
            {"weights": np.zeros((4, 2), np.int8), "position": np.zeros((), np.int64)},
            "array weights as float32 of shape (4, 2), got I8 of shape (4, 2)",
        ),
    ],
)
def test_weights_that_do_not_fit_the_table(
    run: Path, arrays: dict[str, Array], wanted: str
) -> None:
    exchange_weights(run, arrays)
    assert read_failure(run) == f"/weights.safetensors must hold {wanted}"


def test_an_empty_array_of_huge_sides(run: Path) -> None:
    shape = [0, 2**62, 2**62]
    edit_header(
        run, lambda header: header["arrays"].update(weights={"shape": shape, "dtype": "float32"})
    )
    assert read_failure(run) == (
        f"/weights.safetensors must hold array weights as float32 of shape {tuple(shape)}, got "
        f"float32 of shape (4, 2)"
    )


@pytest.mark.parametrize(
    "content", [b"", b"12345678", b"\xff" * 16, b"\x08" + b"\0" * 7 + b"{\xff     }"]
)
def test_weights_that_are_not_safetensors(run: Path, content: bytes) -> None:
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (run / "weights.safetensors").write_bytes(content)
    edit_header(run, lambda header: header.update(weights=described, arrays={}))
    assert read_failure(run).startswith(
        "/weights.safetensors must be a safetensors file that fits memory, got "
    )


def test_memory_that_does_not_suffice(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "require", exhausted)
    assert (
        read_failure(run)
        == "/weights.safetensors must be a safetensors file that fits memory, got MemoryError"
    )
