"""Vectors in a .npy file, mapped into memory: what the header promises is checked before anything
is taken for it.
"""

from __future__ import annotations

import io
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from undertow._errors import InvalidInput

LONGEST_HEADER = 2**14  # bytes: of a plain matrix it has 128
FLOATS = ("float16", "float32", "float64")
READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def map_npy(
    path: str | os.PathLike[str], *, name: str = "vectors", dimensions: tuple[int, ...] = (2,)
) -> NDArray[Any]:
    """The array of a file, of one of these numbers of dimensions, read when it is used. Nothing is
    ever unpickled.
    """
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(
            f"{name} must be a .npy file, got {os.fspath(path)!r}, where there is none"
        )
    try:
        with file.open("rb") as handle:
            shape, fortran, kind, begins = _header(handle.read(LONGEST_HEADER))
            size = os.fstat(handle.fileno()).st_size
    except (
        Exception
    ) as error:  # the reader of headers raises what Python's own parsers do, which is of many kinds
        reason = " ".join(str(error).split())
        raise InvalidInput(
            f"{name} must be a .npy file of numbers, got {file} with another: {reason:.80}"
        ) from None
    if kind.name not in FLOATS:
        raise InvalidInput(
            f"{name} must be {', '.join(FLOATS)}, got values of type {kind!s:.40} in {file}"
        )
    if len(shape) not in dimensions or not all(
        type(number) is int and number >= 0 for number in shape
    ):
        wanted = " or ".join(map(str, dimensions))
        raise InvalidInput(
            f"{name} must have {wanted} dimensions, got shape {shape!s:.60} in {file}"
        )
    promised = begins + math.prod(shape) * kind.itemsize
    if promised > size:
        raise InvalidInput(
            f"{name} must be a whole file, got {file}: {promised:,} bytes promised, {size:,} there"
        )
    if promised == begins:
        return np.zeros(shape, dtype=kind)
    order: Any = "F" if fortran else "C"
    return np.memmap(file, dtype=kind, mode="r", offset=begins, shape=shape, order=order)


def _header(beginning: bytes) -> tuple[tuple[Any, ...], bool, np.dtype[Any], int]:
    """Shape, order, type, and where the numbers begin."""
    handle = io.BytesIO(beginning)
    version = npy.read_magic(handle)
    if version not in READERS:
        raise ValueError(f"format {version[0]}.{version[1]}")
    shape, fortran, kind = READERS[version](handle)
    return shape, fortran, kind, handle.tell()
