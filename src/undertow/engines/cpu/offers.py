"""What words are drawn from, as kernels take it: made once, when a step asks for it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from undertow.engines.protocol import Start
from undertow.kernels.cpu.alias import AliasTable, build_alias_table
from undertow.kernels.cpu.model_arrays import ModelArrays
from undertow.model.parameters import Parameters


class Offers:
    """p, of the words that replace others."""

    def __init__(self, start: Start) -> None:
        self._shares = start.noise_distribution

    @cached_property
    def _table(self) -> AliasTable:
        return build_alias_table(self._shares)

    @cached_property
    def _log_shares(self) -> NDArray[np.float32]:
        return np.log(self._shares).astype(np.float32)

    def beside(self, parameters: Parameters) -> ModelArrays:
        """A model with what its words are drawn from."""
        return ModelArrays(
            parameters.weights,
            parameters.hidden_bias,
            parameters.visible_bias,
            parameters.word_weights,
            self._log_shares,
            self._table,
        )
