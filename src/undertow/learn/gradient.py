"""What a learner's step hands to the optimiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.rows import Entries, RowGradient


@dataclass(frozen=True)
class Extra:
    """A parameter of the learner's own (a learned normaliser), and its gradient."""

    name: str
    values: NDArray[np.float64]
    gradient: NDArray[np.float64]


@dataclass(frozen=True)
class Gradient:
    """The gradient of the loss of one minibatch, and what was seen on the way."""

    rows: RowGradient  # of W, and the sparse part of b's
    hidden_bias: NDArray[np.float32]  # of a
    visible_bias: NDArray[np.float32] | None  # the dense part of b's (None: there is none)
    learns_visible_bias: bool
    loss: float
    activity: NDArray[np.float32]  # mean P(h_j | document) over the minibatch
    extras: tuple[Extra, ...] = ()


class Grouping(NamedTuple):
    """Room for the entries of W's factored gradient, and for the same entries grouped by word, as
    kernels take it.
    """

    entries: Entries
    slots: NDArray[np.int32]
    found: NDArray[np.int32]
    rows: RowGradient


def new_slots(vocabulary_size: int, n_threads: int) -> NDArray[np.int32]:
    """A slot per word, in parts that threads share out.

    At least a part per thread, and a power of two of them, so that a word's lowest bits name its
    part.
    """
    bits = (n_threads - 1).bit_length()
    return np.full((1 << bits, (vocabulary_size >> bits) + 1), -1, dtype=np.int32)


def new_grouping(
    most: int, starts: NDArray[np.int64], slots: NDArray[np.int32], vectors: NDArray[np.float32]
) -> Grouping:
    """Room for at most `most` entries, those of shard s from starts[s] on."""
    parts = len(slots)
    entries = Entries(
        words=np.empty(most, dtype=np.int32),
        vectors=np.empty(most, dtype=np.int32),
        coefficients=np.empty(most, dtype=np.float32),
        starts=starts,
        counts=np.zeros(len(starts) - 1, dtype=np.int64),
    )
    rows = RowGradient(
        sizes=np.zeros(parts, dtype=np.int64),
        rows=np.empty((parts, most), dtype=np.int32),
        starts=np.empty((parts, most + 1), dtype=np.int64),
        vector_ids=np.empty((parts, most), dtype=np.int32),
        coefficients=np.empty((parts, most), dtype=np.float32),
        vectors=vectors,
        scalars=np.empty(len(vectors), dtype=np.float32),
    )
    return Grouping(entries, slots, np.empty((parts, most + 1, 2), dtype=np.int32), rows)
