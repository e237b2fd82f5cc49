"""The arrays of a model folder: `weights.safetensors`, and the table in `model.json` that says what
it must hold.
"""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from undertow._errors import InvalidInput, ModelFileError
from undertow.files.disk import reason

Array = NDArray[Any]

DTYPES = {
    "float32": "F32",
    "float64": "F64",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint32": "U32",
}
MOST_DIMENSIONS = 32
RESERVED = "__metadata__"  # a name that safetensors keeps for itself


class Form(NamedTuple):
    """Shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype} of shape {self.shape}"

    @property
    def size(self) -> int:
        """Bytes, counted without overflow."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def checked_arrays(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays in C order, each with a name and a dtype that the format knows."""
    checked = {}
    for name, array in arrays.items():
        if not _is_name(name):
            raise InvalidInput(
                f"an array's name must be letters, digits, dots and underscores, got {name!r}"
            )
        if not isinstance(array, np.ndarray):
            raise InvalidInput(f"array {name} must be a NumPy array, got {type(array).__name__}")
        # Equality with the native type refuses a foreign byte order, whose name is the same.
        if array.dtype.name not in DTYPES or array.dtype != np.dtype(array.dtype.name):
            raise InvalidInput(
                f"array {name} must be one of {', '.join(DTYPES)}, got {array.dtype.str}"
            )
        if array.ndim > MOST_DIMENSIONS:
            raise InvalidInput(
                f"array {name} must have at most {MOST_DIMENSIONS} dimensions, got {array.ndim}"
            )
        # safetensors would write another order's memory as it lies
        checked[name] = np.asarray(array, order="C")
    return checked


def table_of(arrays: Mapping[str, Array]) -> dict[str, dict[str, Any]]:
    """The table as it is stored."""
    return {
        name: {"shape": list(array.shape), "dtype": array.dtype.name}
        for name, array in arrays.items()
    }


def checked_table(table: object, file: Path) -> dict[str, Form]:
    """The table as it was read, once every entry is known to be sound."""
    if not isinstance(table, dict):
        raise ModelFileError(f"{file} must hold arrays as an object, got {reprlib.repr(table)}")
    for name in table:
        if not _is_name(name):
            raise ModelFileError(
                f"{file} must name arrays by letters, digits, dots and underscores, got "
                f"{name!r:.60}"
            )
    return {name: _form(name, entry, file) for name, entry in table.items()}


def _is_name(name: object) -> bool:
    return (
        isinstance(name, str)
        and name != RESERVED
        and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name) is not None
    )


def _form(name: str, entry: object, file: Path) -> Form:
    if not isinstance(entry, dict) or set(entry) != {"shape", "dtype"}:
        raise ModelFileError(
            f"{file} must give shape and dtype of array {name}, got {reprlib.repr(entry)}"
        )
    shape, dtype = entry["shape"], entry["dtype"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(
            f"{file} must give array {name} a dtype of {', '.join(DTYPES)}, got "
            f"{reprlib.repr(dtype)}"
        )
    sound = isinstance(shape, list) and len(shape) <= MOST_DIMENSIONS
    if not sound or not all(type(size) is int and 0 <= size < 2**63 for size in shape):
        raise ModelFileError(
            f"{file} must give array {name} a shape of at most {MOST_DIMENSIONS} whole numbers, "
            f"got {reprlib.repr(shape)}"
        )
    return Form(tuple(shape), dtype)


def write_arrays(file: Path, arrays: Mapping[str, Array]) -> None:
    """The arrays as a new file with the rights that the folder's other files have."""
    safetensors.numpy.save_file(dict(arrays), file)
    # safetensors makes it readable for its owner alone
    os.chmod(file, file.parent.stat().st_mode & 0o666)


def read_arrays(file: Path, table: Mapping[str, Form]) -> dict[str, Array]:
    """The arrays, writable and in C order; shapes and dtypes are compared with the table before
    memory is taken.
    """
    try:
        with safe_open(file, framework="numpy") as stored:
            _compare(_stored_forms(stored), table, file)
            return {
                name: np.require(stored.get_tensor(name), requirements=["C", "W", "A"])
                for name in table
            }
    except ModelFileError:
        raise
    except (SafetensorError, OSError, ValueError, OverflowError, MemoryError) as error:
        raise ModelFileError(
            f"{file} must be a safetensors file that fits memory, got {reason(error)}"
        ) from error


def _stored_forms(stored: Any) -> dict[str, Form]:
    names = {code: name for name, code in DTYPES.items()}
    forms = {}
    for name in stored.keys():  # noqa: SIM118 - not a dict: it cannot be iterated
        part = stored.get_slice(name)
        code = str(part.get_dtype())
        forms[name] = Form(tuple(part.get_shape()), names.get(code, code))
    return forms


def _compare(stored: Mapping[str, Form], table: Mapping[str, Form], file: Path) -> None:
    if set(stored) != set(table):
        raise ModelFileError(
            f"{file} must hold the arrays {', '.join(sorted(table)) or 'none'}, got "
            f"{reprlib.repr(sorted(stored))}"
        )
    for name, form in table.items():
        if stored[name] != form:
            raise ModelFileError(f"{file} must hold array {name} as {form}, got {stored[name]}")
