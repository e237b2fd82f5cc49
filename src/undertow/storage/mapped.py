"""Arrays of one file, mapped into memory: opening takes no time, and what nobody looks at is never
read.

The file is a safetensors file. It is written whole and never changed; its table of contents is
checked before anything in it is trusted, the numbers in its arrays are not.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import IndexFileError
from undertow.files.atomic import new_file

LARGEST_TABLE = 2**16  # bytes
CODES = {"U64": np.uint64, "I64": np.int64, "U32": np.uint32, "F32": np.float32, "U8": np.uint8}


def write_arrays(file: Path, arrays: Mapping[str, NDArray[Any]], notes: Mapping[str, str]) -> None:
    """Writes the arrays, with some notes, whole or not at all."""
    import safetensors.numpy

    with new_file(file) as unfinished:
        whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        safetensors.numpy.save_file(whole, unfinished, dict(notes))
        # safetensors makes it its owner's alone
        os.chmod(unfinished, file.parent.stat().st_mode & 0o666)


def map_arrays(
    file: Path, forms: Mapping[str, tuple[str, int]]
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays of a file, for reading alone, and its notes; `forms` says the type and the
    dimensions of each.
    """
    with file.open("rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        length = int.from_bytes(handle.read(8), "little")
        if not 2 <= length <= min(LARGEST_TABLE, size - 8):
            raise _damaged(file, f"a table of {length} bytes")
        table = _parsed(handle.read(length), file)
        content = memoryview(mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ))[8 + length :]
    notes = table.pop("__metadata__", {})
    if set(table) != set(forms):
        raise _damaged(file, f"the arrays {sorted(table)!s:.60}")
    return {name: _array(content, table[name], *forms[name], file) for name in forms}, notes


def _parsed(text: bytes, file: Path) -> dict[str, Any]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict) or not isinstance(table.get("__metadata__", {}), dict):
        raise _damaged(file, "no table of arrays")
    return table


def _array(content: memoryview, entry: Any, code: str, dimensions: int, file: Path) -> NDArray[Any]:
    kind = np.dtype(CODES[code])
    try:
        shape, (begin, end) = tuple(entry["shape"]), entry["data_offsets"]
        numbers = all(type(number) is int and number >= 0 for number in (*shape, begin, end))
        fits = (
            numbers
            and begin <= end <= len(content)
            and end - begin == math.prod(shape) * kind.itemsize
        )
        if entry["dtype"] != code or len(shape) != dimensions or not fits:
            raise ValueError
    except (TypeError, KeyError, ValueError):
        raise _damaged(file, f"an array as {entry!s:.80}") from None
    return np.frombuffer(content[begin:end], dtype=kind).reshape(shape)


def _damaged(file: Path, got: str) -> IndexFileError:
    return IndexFileError(f"{file} must be a file of arrays, got {got}")
