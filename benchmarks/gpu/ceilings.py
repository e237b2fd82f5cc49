"""What a card does when it does nothing else: bytes, exponentials, and kernels in a row."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.gpu.documents import DEVICE, HAS_CARD, milliseconds

BLOCK, ROUNDS = 1024, 512
KERNELS = 200


@triton.jit
def _exponentials(out, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = -0.001 * tl.arange(0, BLOCK).to(tl.float32)
    for _ in range(ROUNDS):
        x = tl.exp(x) - 1.0
    tl.store(out + at, x)


def measure(tiny: bool) -> dict[str, float]:
    """Bytes and exponentials a second, and the seconds of a kernel that has nothing to do."""
    return {
        "bytes a second": _bytes(2**14 if tiny else 2**30),
        "exponentials a second": _exponentials_a_second(2 if tiny else 132 * 64),
        "seconds a kernel": _kernel(),
    }


def _bytes(size: int) -> float:
    """Read and written, in copying."""
    source = torch.randn(size, dtype=torch.float32, device=DEVICE)
    target = torch.empty_like(source)
    moved = 2.0 * source.numel() * source.element_size()
    return moved / milliseconds(lambda: target.copy_(source)) * 1e3


def _exponentials_a_second(programs: int) -> float:
    out = torch.empty(programs * BLOCK, device=DEVICE)
    rounds = ROUNDS if HAS_CARD else 2

    def work() -> None:
        _exponentials[(programs,)](out, BLOCK=BLOCK, ROUNDS=rounds, num_warps=4)

    return 1e3 * programs * BLOCK * rounds / milliseconds(work)


def _kernel() -> float:
    """In a graph, as steps are."""
    number = torch.zeros(1, device=DEVICE)

    def work() -> None:
        for _ in range(KERNELS):
            number.add_(1.0)

    if not HAS_CARD:
        return milliseconds(work) / KERNELS / 1e3
    work()
    graph: Any = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return milliseconds(graph.replay) / KERNELS / 1e3
