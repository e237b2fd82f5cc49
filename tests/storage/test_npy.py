"""Vectors in a .npy file: mapped, and nothing that its header promises is believed."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from undertow import InvalidInput
from undertow.storage.npy import map_npy

VECTORS = np.random.default_rng(0).normal(size=(5, 3))


def with_header(header: str, body: bytes = b"", version: int = 1) -> bytes:
    text = header.encode()
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", len(text))
        + text
        + body
    )


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_is_mapped(tmp_path: Path, kind: str, order: Any) -> None:
    vectors = np.asarray(VECTORS.astype(kind), order=order)
    np.save(tmp_path / "v.npy", vectors)
    found = map_npy(tmp_path / "v.npy")
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, vectors)


def test_an_empty_matrix_has_its_shape(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.zeros((0, 7), dtype=np.float32))
    assert map_npy(tmp_path / "v.npy").shape == (0, 7)


def test_one_row_may_have_one_dimension(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", VECTORS[0])
    np.testing.assert_array_equal(map_npy(tmp_path / "v.npy", dimensions=(1, 2)), VECTORS[0])
    with pytest.raises(InvalidInput, match=r"vectors must have 2 dimensions, got shape \(3,\)"):
        map_npy(tmp_path / "v.npy")


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a .npy file of numbers"),
        (b"PK\x03\x04 a zip", "must be a .npy file of numbers"),
        (with_header("{'descr': '<f4'}"), "must be a .npy file of numbers"),
        (with_header("__import__('os').abort()"), "must be a .npy file of numbers"),
        (with_header("(" * 4000), "must be a .npy file of numbers"),
        (with_header(HEADER % "(1, 1)", version=9), "format 9.0"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "must be a .npy file of numbers"),
        (
            with_header(HEADER % f"({10**12}, {10**6})", b"\0" * 64),
            "4,000,000,000,000,000,0.* bytes promised",
        ),
        (with_header(HEADER % f"({2**62}, 4)", b"\0" * 64), "bytes promised"),
        (with_header(HEADER % "(-1, 4)", b"\0" * 64), "must have 2 dimensions"),
        (with_header(HEADER % "(True, 4)", b"\0" * 64), "must have 2 dimensions"),
        (with_header(HEADER % "(2, 2, 2)", b"\0" * 64), "must have 2 dimensions"),
        (with_header(HEADER % "(5, 4)", b"\0" * 79), "must be a whole file"),
        (
            with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\n", b"\0" * 64),
            "got values of type",
        ),
        (
            with_header(
                "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1), }\n", b"\0" * 64
            ),
            "float16, float32",
        ),
        (
            with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }\n"),
            "got values of type",
        ),
    ],
)
def test_a_hostile_file_is_an_error_in_words(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "v.npy"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=f"vectors .*{message}"):
        map_npy(file)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    kept = io.BytesIO()
    np.save(kept, np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    (tmp_path / "v.npy").write_bytes(kept.getvalue())
    with pytest.raises(InvalidInput, match="got values of type object"):
        map_npy(tmp_path / "v.npy")


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none.npy"):
        with pytest.raises(
            InvalidInput, match=r"vector must be a \.npy file, got .*, where there is none"
        ):
            map_npy(place, name="vector")
