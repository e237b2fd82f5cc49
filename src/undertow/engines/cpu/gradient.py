"""The gradient of a minibatch as the compiled kernels leave it: W's rows in factored form, grouped
by word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from undertow.engines.protocol import Array
from undertow.kernels.cpu.rows import Entries, Grouping, RowGradient, write_rows
from undertow.kernels.cpu.update import add_scalars
from undertow.kernels.randomness import SHARD

MOST_WORKERS = 8  # of one step


@dataclass(frozen=True)
class CpuGradient:
    """Holds until the next step of its session: the arrays are used again."""

    factored: RowGradient  # of W, and the sparse part of b's
    hidden_bias: NDArray[np.float32]  # of a
    visible_bias: NDArray[np.float32] | None  # the dense part of b's (None: there is none)
    learns_visible_bias: bool
    words: int  # of the vocabulary
    loss: float
    activity: NDArray[np.float32]  # mean P(h_j | document) over the minibatch
    others: dict[str, Array] = field(default_factory=dict)  # of other arrays, by name

    @property
    def finite(self) -> bool:
        """False where training has diverged."""
        return math.isfinite(self.loss) and bool(np.isfinite(self.hidden_bias).all())

    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The touched rows of W, written out."""
        words = self.factored.touched()
        slopes = np.empty((len(words), self.factored.vectors.shape[1]), dtype=np.float32)
        write_rows(self.factored, slopes)
        return words, slopes

    def visible_slope(self) -> NDArray[np.float32]:
        """The gradient of b, sparse and dense parts together."""
        dense = self.visible_bias
        slope = np.zeros(self.words, dtype=np.float32) if dense is None else dense.copy()
        for part in range(len(self.factored.sizes)):
            add_scalars(part, self.factored, slope)
        return slope

    def dense(self) -> dict[str, Array]:
        """The gradients of all other arrays that are learned."""
        found: dict[str, Array] = {"hidden_bias": self.hidden_bias, **self.others}
        return found | ({"visible_bias": self.visible_slope()} if self.learns_visible_bias else {})


class Slots:
    """A slot per word, in parts that workers share out: what grouping by word begins with."""

    def __init__(self, vocabulary_size: int) -> None:
        self._words = vocabulary_size
        self._by_parts: dict[int, NDArray[np.int32]] = {}

    def of(self, workers: int) -> NDArray[np.int32]:
        """A part for each worker at least, and a power of two of them, so that a word's lowest bits
        name its part. Every part looks at all entries: more than that would be wasted.
        """
        bits = (workers - 1).bit_length()
        if bits not in self._by_parts:
            shape = (1 << bits, (self._words >> bits) + 1)
            self._by_parts[bits] = np.full(shape, -1, dtype=np.int32)
        return self._by_parts[bits]


def workers_for(documents: int, threads: int) -> int:
    """How many threads a minibatch is worth: each has a shard of its documents at least.

    Beyond eight, waiting for one another takes what more threads bring (docs/performance.md).
    """
    return max(min(threads, -(-documents // SHARD), MOST_WORKERS), 1)


def new_grouping(
    most: int, starts: NDArray[np.int64], slots: NDArray[np.int32], vectors: NDArray[np.float32]
) -> Grouping:
    """Space for at most `most` entries, those of shard s from starts[s] on."""
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
