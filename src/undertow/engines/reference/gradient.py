"""The gradient of a minibatch, written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.engines import protocol
from undertow.kernels.reference.energies import Array


@dataclass(frozen=True)
class ReferenceGradient:
    """Rows of W that no word of the minibatch touches are zero, and stay as they are."""

    weights: Array  # (K, H)
    touched: NDArray[np.int64]  # words
    others: dict[str, Array]  # of everything else, by name
    loss: float
    activity: Array
    lazy_visible_bias: bool = False  # only the biases of touched words move

    @property
    def finite(self) -> bool:
        """False where training has diverged."""
        return bool(np.isfinite(self.loss)) and bool(np.isfinite(self.weights).all())

    def rows(self) -> tuple[NDArray[np.int32], Array]:
        """The touched rows of W."""
        return self.touched.astype(np.int32), self.weights[self.touched]

    def dense(self) -> dict[str, protocol.Array]:
        """Everything else."""
        return dict(self.others)
