"""A gradient that a learner of one's own computed, as the kernels of optimizers take it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from undertow.engines.cpu.gradient import CpuGradient, Slots, new_grouping
from undertow.engines.protocol import Array
from undertow.kernels.cpu import pool
from undertow.kernels.cpu.rows import group_entries


def gathered(
    words: NDArray[np.int32],
    slopes: Array,
    dense: Mapping[str, Array],
    *,
    loss: float,
    activity: Array,
    slots: Slots,
    vocabulary: int,
    workers: int,
) -> CpuGradient:
    """One entry for each row of slopes, grouped by word."""
    number = len(words)
    vectors = np.ascontiguousarray(slopes, dtype=np.float32)
    grouping = new_grouping(number, np.array([0, number]), slots.of(workers), vectors)
    entries = grouping.entries
    entries.words[:], entries.vectors[:] = words, np.arange(number)
    entries.coefficients[:], entries.counts[0] = 1.0, number
    pool.run_program(group_entries, workers, *grouping)
    grouping.rows.scalars[:] = 0.0
    others = dict(dense)
    visible = others.pop("visible_bias", None)
    nothing = np.zeros(vectors.shape[1], dtype=np.float32)
    return CpuGradient(
        factored=grouping.rows,
        hidden_bias=others.pop("hidden_bias", nothing).astype(np.float32),
        visible_bias=None if visible is None else visible.astype(np.float32),
        learns_visible_bias=visible is not None,
        words=vocabulary,
        loss=loss,
        activity=np.asarray(activity, dtype=np.float32),
        others=others,
    )
