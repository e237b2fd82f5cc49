"""Standard normal numbers by the million: the generator compiled, and blocks of rows on all cores.

The same bits as `undertow.kernels.randomness.normals`: logarithm, cosine and sine are NumPy's, on
blocks of the same shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cores import thread_count
from undertow.kernels.cpu import pool
from undertow.kernels.cpu.compile import kernel
from undertow.kernels.cpu.philox import philox
from undertow.kernels.randomness import ROWS, box_muller


def normals(
    seed: int, purpose: int, rows: int, columns: int, *, first: int = 0
) -> NDArray[np.float32]:
    """Rows `first` to `rows` of the numbers of this purpose."""
    out = np.empty((rows - first, columns), dtype=np.float32)
    workers = thread_count(None)
    begins = range(first - first % ROWS, rows, ROWS)
    tasks = [(_fill, (seed, int(purpose), begin, rows, first, out)) for begin in begins]
    pool.run(tasks, workers)
    return out


def _fill(
    seed: int, purpose: int, begin: int, rows: int, first: int, out: NDArray[np.float32]
) -> None:
    """The rows of one block, as far as they are asked for."""
    end, columns = min(begin + ROWS, rows), out.shape[1]
    bits = np.empty((end - begin, (columns + 1) // 2, 2), dtype=np.uint64)
    _draw(seed, purpose, begin, bits)
    wanted = max(begin, first)
    out[wanted - first : end - first] = box_muller(bits, columns)[wanted - begin :]


@kernel
def _draw(seed: Any, purpose: Any, begin: int, bits: Any) -> None:
    for row in range(bits.shape[0]):
        for pair in range(bits.shape[1]):
            b0, b1, _, _ = philox(seed, purpose, 0, 0, begin + row, pair)
            bits[row, pair, 0], bits[row, pair, 1] = b0, b1
