"""Factored gradients of a few rows, and the optimizers' textbook forms in float64."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.oracles.engine import row_entries
from undertow.kernels.cpu.rows import RowGradient

Array = NDArray[np.float64]

MOST_ENTRIES, PARTS = 4, 2
# Coefficients and vectors lie in [0.8, 1.2] and a step has one sign, so that no gradient is lost to
# cancellation.
SMALLEST_GRADIENT, LARGEST_GRADIENT = 0.8**2, MOST_ENTRIES * 1.2**2


def make_gradient(
    generator: np.random.Generator, rows: NDArray[np.int32], units: int, sign: float
) -> RowGradient:
    """Random entries, one to four for each of the rows, that share a few vectors.

    Rows are in the part of their lowest bit. What lies behind a part's rows and entries is wrong on
    purpose.
    """
    most = MOST_ENTRIES * len(rows) + 1
    coefficients = np.full((PARTS, most), np.nan, dtype=np.float32)
    made = RowGradient(
        sizes=np.zeros(PARTS, dtype=np.int64),
        rows=np.full((PARTS, most), -1, dtype=np.int32),
        starts=np.full((PARTS, most + 1), -1, dtype=np.int64),
        vector_ids=generator.integers(0, 6, (PARTS, most)).astype(np.int32),
        coefficients=coefficients,
        vectors=generator.uniform(0.8, 1.2, (6, units)).astype(np.float32),
        scalars=generator.uniform(0.8, 1.2, 6).astype(np.float32),
    )
    for part in range(PARTS):
        mine = rows[rows % PARTS == part]
        ends = np.cumsum(generator.integers(1, MOST_ENTRIES + 1, len(mine)))
        n = ends[-1] if len(mine) else 0
        made.sizes[part], made.rows[part, : len(mine)] = len(mine), mine
        made.starts[part, 0], made.starts[part, 1 : len(mine) + 1] = 0, ends
        coefficients[part, :n] = sign * generator.uniform(0.8, 1.2, n)
    return made


def dense_gradient(gradient: RowGradient, words: int) -> Array:
    """W's gradient written out; the last column is that of the visible bias."""
    columns = np.column_stack([gradient.vectors, gradient.scalars]).astype(np.float64)
    dense = np.zeros((words, columns.shape[1]))
    for word, coefficient, vector in row_entries(gradient):
        dense[word] += coefficient * columns[vector]
    return dense


@dataclass
class TextbookAdam:
    """Kingma and Ba's algorithm 1 on the rows that are given, each with a step count of its own.

    With `per_row` the second moment is of the mean square of a row.
    """

    rate: float
    momentum: float
    decay: float
    l2: float
    per_row: bool
    steps: dict[int, int] = field(default_factory=dict)
    first: dict[int, Array] = field(default_factory=dict)
    second: dict[int, Array] = field(default_factory=dict)

    def apply(self, weights: Array, gradient: Array, rows: NDArray[np.int32]) -> None:
        """One step, in place."""
        for row in rows.tolist():
            slope = gradient[row] + self.l2 * weights[row]
            square = np.full_like(slope, np.mean(slope**2)) if self.per_row else slope**2
            t = self.steps[row] = self.steps.get(row, 0) + 1
            m = self.first[row] = (
                self.momentum * self.first.get(row, 0.0 * slope) + (1 - self.momentum) * slope
            )
            v = self.second[row] = (
                self.decay * self.second.get(row, 0.0 * slope) + (1 - self.decay) * square
            )
            weights[row] -= (
                self.rate * (m / (1 - self.momentum**t)) / np.sqrt(v / (1 - self.decay**t))
            )
