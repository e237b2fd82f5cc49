"""A gradient that a learner of one's own computed, as the verbs of optimizers take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.engines.protocol import Array
from undertow.engines.torch.documents import to_device
from undertow.engines.torch.gradient import TorchGradient
from undertow.engines.torch.sums import grouped_by, grouped_rows


def gathered(
    words: NDArray[np.int32],
    slopes: Array,
    dense: Mapping[str, Array],
    *,
    loss: float,
    activity: Array,
    vocabulary: int,
    device: Any,
) -> TorchGradient:
    """Rows of words that repeat are added up."""
    groups = grouped_by(to_device(np.asarray(words), device, torch.int64))
    table = to_device(np.asarray(slopes), device, torch.float32)
    rows = torch.arange(len(table), device=device)
    others = {name: to_device(np.asarray(slope), device) for name, slope in dense.items()}
    return TorchGradient(
        groups.keys,
        grouped_rows(groups, table, rows, None),
        others,
        torch.tensor(loss, dtype=torch.float64, device=device),
        to_device(np.array(activity, dtype=np.float32), device),
        vocabulary,
    )
