"""Philox-4x32-10 in torch: the same numbers as `undertow.kernels.randomness`, where the counter is
described.

torch computes with signed numbers of 64 bits. A product of two numbers of 32 bits may run over
into the sign, which changes no bit of it: the upper half is shifted down and masked.
"""

from __future__ import annotations

from typing import Any

import torch

from undertow.engines.devices import has_fused_kernels
from undertow.kernels.randomness import KEY_STEPS, LOW_32_BITS, MULTIPLIERS, ROUNDS

TO_UNIT = 2.0**-32


def philox(seed: int, purpose: int, stage: Any, epoch: Any, document: Any, draw: Any) -> Any:
    """Four uniform 32-bit numbers for each element of the broadcast arguments, of which `draw` is
    a tensor: the first axis of an int64 tensor.
    """
    c0, c1, c2, c3 = torch.broadcast_tensors(
        draw, _tensor(document, draw), _tensor(epoch, draw), _tensor(stage, draw)
    )
    c3 = c3 + (int(purpose) << 24)
    if has_fused_kernels(c0.device):
        from undertow.engines.torch.triton_draws import four_numbers  # needs Triton

        return four_numbers(seed, c0, c1, c2, c3)
    k0, k1 = seed & LOW_32_BITS, (seed >> 32) & LOW_32_BITS
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            _high(second) ^ c1 ^ k0,
            second & LOW_32_BITS,
            _high(first) ^ c3 ^ k1,
            first & LOW_32_BITS,
        )
        k0, k1 = (k0 + KEY_STEPS[0]) & LOW_32_BITS, (k1 + KEY_STEPS[1]) & LOW_32_BITS
    return torch.stack([c0, c1, c2, c3])


def below(bits: Any, bound: Any) -> Any:
    """Whole numbers in [0, bound) from 32 random bits each."""
    return (bits * bound) >> 32


def _tensor(part: Any, like: Any) -> Any:
    if isinstance(part, torch.Tensor):
        return part
    return torch.full((), int(part), dtype=torch.int64, device=like.device)


def _high(product: Any) -> Any:
    return (product >> 32) & LOW_32_BITS
