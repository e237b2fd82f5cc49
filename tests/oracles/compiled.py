"""Functions that only kernels call, made callable from Python with the kernels' own rules of
arithmetic.

They are compiled anew in every session: numba's cache would not notice a change of what they
inline.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from undertow.kernels.cpu import philox as _philox
from undertow.kernels.cpu import vector_math
from undertow.kernels.cpu.compile import FLOAT_RULES

_exp, _squash = vector_math.exp_of_negative, vector_math.squash
_random, _below = _philox.philox, _philox.below


def _compiled(function: Any) -> Any:
    return numba.njit(function, fastmath=FLOAT_RULES, error_model="numpy")


def _exp_of_each(x: Any, out: Any) -> None:
    for i in range(x.size):
        out[i] = _exp(x[i])


def _squash_vector(x: Any) -> Any:
    return _squash(x)


def _philox_numbers(
    seed: Any, purpose: Any, stage: Any, epoch: Any, document: Any, draw: Any
) -> Any:
    return _random(seed, purpose, stage, epoch, document, draw)


def _below_of_each(bits: Any, bound: Any, out: Any) -> None:
    for i in range(bits.size):
        out[i] = _below(bits[i], bound)


exp_of_each = _compiled(_exp_of_each)
squash_vector = _compiled(_squash_vector)
below_of_each = _compiled(_below_of_each)
_philox_compiled = _compiled(_philox_numbers)


def philox_compiled(
    seed: int, purpose: int, stage: int, epoch: int, document: int, draw: int
) -> list[int]:
    """The compiled generator's four numbers."""
    arguments = (np.uint64(value) for value in (seed, purpose, stage, epoch, document, draw))
    return [int(number) for number in _philox_compiled(*arguments)]
