"""Philox-4x32-10, compiled: the same numbers as `undertow.kernels.randomness`, where the counter is
described.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from undertow.kernels import randomness
from undertow.kernels.cpu.compile import piece

MULTIPLIER_0, MULTIPLIER_1 = (np.uint64(multiplier) for multiplier in randomness.MULTIPLIERS)
STEP_0, STEP_1 = (np.uint64(step) for step in randomness.KEY_STEPS)
MASK = np.uint64(randomness.LOW_32_BITS)
SHIFT = np.uint64(32)
PURPOSE_SHIFT = np.uint64(24)
ROUNDS = randomness.ROUNDS


@piece
def philox(seed: Any, purpose: Any, stage: Any, epoch: Any, document: Any, draw: Any) -> Any:
    """Four uniform 32-bit numbers, each in a uint64."""
    c0, c1, c2 = np.uint64(draw), np.uint64(document), np.uint64(epoch)
    c3 = (np.uint64(purpose) << PURPOSE_SHIFT) + np.uint64(stage)
    key = np.uint64(seed)
    k0, k1 = key & MASK, key >> SHIFT
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLIER_0, c2 * MULTIPLIER_1
        c0, c1, c2, c3 = (
            (second >> SHIFT) ^ c1 ^ k0,
            second & MASK,
            (first >> SHIFT) ^ c3 ^ k1,
            first & MASK,
        )
        k0, k1 = (k0 + STEP_0) & MASK, (k1 + STEP_1) & MASK
    return c0, c1, c2, c3


@piece
def below(bits: Any, bound: Any) -> Any:
    """A whole number in [0, bound) from 32 random bits; the bias is below bound / 2^32."""
    return np.int64((bits * np.uint64(bound)) >> SHIFT)
