"""Buffers that are kept from step to step: fresh memory costs more than the arithmetic done in
it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Workspace:
    """Named arrays that grow when needed and are otherwise reused; their contents are whatever was
    there.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[Any]] = {}

    def array(self, name: str, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised array; the next call with the same name may hand out the same memory."""
        size = shape if isinstance(shape, int) else math.prod(shape)
        buffer = self._buffers.get(name)
        if buffer is None or buffer.size < size or buffer.dtype != dtype:
            # a quarter more, so that a little growth costs nothing
            buffer = np.empty(size + size // 4, dtype=dtype)
            self._buffers[name] = buffer
        return buffer[:size].reshape(shape)
