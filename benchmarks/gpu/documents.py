"""Documents made up on the card: 84 tokens each from a Zipf law, as in `benchmarks.step`."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

TOKENS, ZIPF_SHIFT, UNITS, NOISE = 84, 2.7, 128, 25
HAS_CARD = torch.cuda.is_available()
DEVICE = torch.device("cuda" if HAS_CARD else "cpu")  # the CPU only tries the scripts out


class ZipfDocuments(NamedTuple):
    """On the device, but for p."""

    starts: Any
    words: Any
    counts: Any
    weights: Any  # idf
    p: NDArray[np.float64]

    @property
    def size(self) -> int:
        """How many."""
        return len(self.starts) - 1


def zipf_documents(words: int, documents: int) -> ZipfDocuments:
    """So many documents over so many words."""
    generator = torch.Generator(device=DEVICE).manual_seed(0)
    p = 1.0 / (torch.arange(words, device=DEVICE, dtype=torch.float64) + ZIPF_SHIFT)
    shape = (documents * TOKENS,)
    drawn = torch.rand(*shape, generator=generator, device=DEVICE, dtype=torch.float64)
    upto = torch.cumsum(p, 0)
    tokens = torch.searchsorted(upto, drawn * upto[-1]).clamp(max=words - 1)
    owners = torch.arange(documents, device=DEVICE).repeat_interleave(TOKENS)
    keys, counts = torch.unique(owners * words + tokens, return_counts=True)
    starts = torch.zeros(documents + 1, dtype=torch.int64, device=DEVICE)
    torch.cumsum(torch.bincount(keys // words, minlength=documents), 0, out=starts[1:])
    found = (keys % words).int()
    holding = torch.bincount(found.long(), minlength=words).clamp(min=1)
    weights = torch.log(documents / holding.double()).clamp(min=0.0).float()
    return ZipfDocuments(starts, found, counts.int(), weights, (p / p.sum()).cpu().numpy())


def milliseconds(work: Any, rounds: int = 5) -> float:
    """The median time on the device, after one round that does not count."""
    times = [_once(work) for _ in range(rounds + 1 if HAS_CARD else 1)]
    return float(np.median(times[1:] or times))


def _once(work: Any) -> float:
    if not HAS_CARD:
        began = time.perf_counter()
        work()
        return 1e3 * (time.perf_counter() - began)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end))


def wait() -> None:
    """Until the card has done what it was asked."""
    if HAS_CARD:
        torch.cuda.synchronize()
