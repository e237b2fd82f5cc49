"""Replicas of this machine meet in place: no row is copied out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.engines.protocol import WordLists
from undertow.kernels.cpu import pool
from undertow.kernels.cpu.means import mean_rows_together

Arrays = Sequence[Sequence[NDArray[Any]]]


def meet(arrays: Arrays, words: WordLists, threads: int) -> bool:
    """Brings rows to their mean; arrays[a][m] is array a of member m. False where they are not of
    a kind that the kernel knows.
    """
    first = [alike[0] for alike in arrays]
    for one, alike in zip(first, arrays, strict=True):
        if any(array.shape != one.shape or not _is_plain(array) for array in alike):
            return False
    starts = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(own) for own in words], out=starts[1:])
    if not starts[-1]:
        return True
    addresses = np.array([[array.ctypes.data for array in alike] for alike in arrays])
    widths = np.array([one.size // len(one) for one in first])
    everything = (np.concatenate(list(words)), starts, addresses, widths, len(first[0]))
    pool.run_program(mean_rows_together, threads, *everything)
    return True


def _is_plain(array: NDArray[Any]) -> bool:
    return array.dtype == np.float32 and array.flags.c_contiguous
