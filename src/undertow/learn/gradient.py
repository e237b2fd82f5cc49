"""What a learner's step hands to the optimiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.rows import Entries, RowGradient, group_entries
from undertow.learn.workspace import Workspace


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


class EntryBuffer:
    """Collects the entries of W's factored gradient and groups them by word."""

    def __init__(self, vocabulary_size: int, workspace: Workspace) -> None:
        self._slots = np.full(vocabulary_size, -1, dtype=np.int32)
        self._workspace = workspace

    def entries(self, most: int) -> Entries:
        """Room for at most so many entries."""
        array = self._workspace.array
        return Entries(
            array("entry words", most, np.int32),
            array("entry vectors", most, np.int32),
            array("entry coefficients", most, np.float32),
        )

    def group(
        self, entries: Entries, count: int, vectors: NDArray[np.float32], scalars: NDArray[np.float32]
    ) -> RowGradient:
        """The first `count` entries grouped by word. The vectors may still be written to afterwards."""
        array = self._workspace.array
        grouped = RowGradient(
            rows=array("rows", count, np.int32),
            starts=array("row starts", count + 1, np.int64),
            vector_ids=array("row vectors", count, np.int32),
            coefficients=array("row coefficients", count, np.float32),
            vectors=vectors,
            scalars=scalars,
        )
        n_rows = group_entries(entries, count, self._slots, grouped)
        return grouped._replace(rows=grouped.rows[:n_rows], starts=grouped.starts[: n_rows + 1])
