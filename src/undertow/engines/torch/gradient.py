"""The gradient of a minibatch, on the device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.engines.protocol import Array
from undertow.engines.torch.documents import to_host


@dataclass(frozen=True)
class TorchGradient:
    """What is on the device is read when it is asked for."""

    words: Any  # (n,) whose rows are touched, each once
    slopes: Any  # (n, H) of these rows of W
    others: dict[str, Any]  # of everything else, by name
    seen_loss: Any  # float64
    seen_activity: Any  # (H,)
    vocabulary: int
    lazy_visible: Any | None = None  # (n,) of b, where only the biases of touched words move

    @cached_property
    def loss(self) -> float:
        """Of the minibatch, a mean over its documents."""
        return float(self.seen_loss)

    @cached_property
    def activity(self) -> Array:
        """(H,) mean P(h_j | document)."""
        return to_host(self.seen_activity)

    @cached_property
    def finite(self) -> bool:
        """False where training has diverged."""
        sound = torch.isfinite(self.seen_loss) & torch.isfinite(self.slopes).all()
        if "hidden_bias" in self.others:
            sound = sound & torch.isfinite(self.others["hidden_bias"]).all()
        return bool(sound)

    def rows(self) -> tuple[NDArray[np.int32], Array]:
        """The touched rows of W."""
        return to_host(self.words).astype(np.int32), to_host(self.slopes)

    def dense(self) -> dict[str, Array]:
        """Everything else."""
        return {name: to_host(slope) for name, slope in self.dense_slopes().items()}

    def dense_slopes(self) -> dict[str, Any]:
        """Everything else, on the device: what is lazy is written out."""
        if self.lazy_visible is None:
            return self.others
        slope = self.lazy_visible.new_zeros(self.vocabulary)
        slope[self.words] = self.lazy_visible
        return self.others | {"visible_bias": slope}
