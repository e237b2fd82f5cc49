"""A model and the distribution of its words, as kernels take them that offer words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu.alias import AliasTable


class ModelArrays(NamedTuple):
    """Parameters, and p, which words are drawn from."""

    weights: NDArray[np.float32]  # W (K, H)
    hidden_bias: NDArray[np.float32]  # a (H,)
    visible_bias: NDArray[np.float32]  # b (K,)
    word_weights: NDArray[np.float32]  # w (K,)
    log_shares: NDArray[np.float32]  # log p (K,)
    table: AliasTable  # of p
