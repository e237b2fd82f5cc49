"""The order of an epoch, compiled: that of `undertow.kernels.randomness.permutation`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.kernels import randomness
from undertow.kernels.cpu.compile import kernel
from undertow.kernels.cpu.philox import philox

SHUFFLE = int(randomness.Purpose.SHUFFLE)


@kernel
def _draw_keys(seed: Any, epoch: int, ids: Any, keys: Any) -> None:
    for d in range(ids.size):
        b0, b1, _, _ = philox(seed, SHUFFLE, 0, epoch, ids[d], 0)
        keys[d] = (b0 << np.uint64(32)) | b1


def permutation(seed: int, epoch: int, document_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of `document_ids`, sorted by a number drawn for each document."""
    keys = np.empty(len(document_ids), dtype=np.uint64)
    _draw_keys(seed, epoch, document_ids, keys)
    return randomness.sorted_by(keys)
