"""Training steps of alpha-NCE on a card, laid out and taken, beside what their bytes would take."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from benchmarks.gpu.documents import (
    DEVICE,
    HAS_CARD,
    NOISE,
    TOKENS,
    UNITS,
    ZipfDocuments,
    milliseconds,
    zipf_documents,
)
from undertow.engines import AdamRule, Noise, Objective, Pressure, Steps
from undertow.engines.torch.stretch import State, Stretches
from undertow.engines.torch.stretch_layout import Documents
from undertow.kernels.cpu.alias import build_alias_table

FORMS = (  # words, documents of a minibatch, steps of a stretch, hidden units
    (2_000, 4096, 16, UNITS),
    (200_000, 4096, 16, UNITS),
    (1_000_000, 4096, 16, UNITS),
    (2_000, 1024, 64, UNITS),
    (2_000, 128, 512, UNITS),
    (200_000, 128, 512, UNITS),
    (1_000_000, 128, 512, UNITS),
    (2_000, 4096, 16, 256),
    (50_000, 4096, 16, 512),
)
TINY = ((50, 3, 2, 16),)
LEVEL, STREAM = 0.5, 1024
STRETCHES = 4 if HAS_CARD else 1  # in one go, for in an epoch the host is ahead of the card


def measure(ceilings: dict[str, float], tiny: bool) -> list[dict[str, Any]]:
    """A row for each form."""
    return [row(*form, ceilings) for form in (TINY if tiny else FORMS)]


def row(
    words: int, batch: int, count: int, units: int, ceilings: dict[str, float]
) -> dict[str, Any]:
    """Tokens a second, and the floor."""
    documents = zipf_documents(words, batch * count)
    stretches = Stretches(_state(documents, units), _table(documents), 7)
    given = _given(documents, batch, count)
    done = 0

    def take() -> None:
        nonlocal done
        for _ in range(STRETCHES):
            steps = _steps(done * count, count)
            stretches.take(given, stretches.shape(given, steps), done, steps)
            done += 1

    taken = milliseconds(take) / count / STRETCHES
    moving = 1e3 * floor_bytes(documents, batch, count, units) / ceilings["bytes a second"]
    computing = 1e3 * batch * (NOISE + 2) * units / ceilings["exponentials a second"]
    floor = max(moving, computing)
    found = {
        "words": words,
        "units": units,
        "batch": batch,
        "ms": taken,
        "Mtok/s": batch * TOKENS / taken / 1e3,
        "floor, ms": floor,
        "exponentials, ms": computing,
        "over floor": taken / floor,
    }
    print(found, flush=True)
    return found


def floor_bytes(documents: ZipfDocuments, batch: int, count: int, units: int) -> float:
    """What one step has to read and write at least, if every kernel did so once: rows of the
    documents and of the streams, prefix sums, two of their rows for each noise document, its
    gradient there and back, gradients of positions there and back, those of documents for every
    entry, and the rows that move, with their averages, there and back.
    """
    entries = len(documents.words) / count
    shards = -(-batch // 32)
    streams, noises = shards * STREAM, batch * NOISE
    moved = _rows_moved(documents, batch, streams)
    rows = entries + streams + streams + 2 * noises + 2 * noises + 2 * streams
    rows += 2 * batch + 2 * entries + 4 * moved
    return 4.0 * units * rows


def _rows_moved(documents: ZipfDocuments, batch: int, streams: int) -> float:
    """How many different words a step meets, as p has it."""
    drawn = batch * TOKENS + streams
    return float((1.0 - np.exp(drawn * np.log1p(-documents.p))).sum())


def _state(documents: ZipfDocuments, units: int) -> State:
    words = len(documents.p)

    def zeros(*shape: int, dtype: Any = torch.float32) -> Any:
        return torch.zeros(shape, dtype=dtype, device=DEVICE)

    torch.manual_seed(0)
    weights = torch.randn(words, units, device=DEVICE) * 0.01
    moments = zeros(words, 2), zeros(units, dtype=torch.float64)
    averages = weights.clone(), zeros(words, dtype=torch.int64), zeros(units)
    flags = zeros(words, dtype=torch.bool)
    return State(weights, flags, documents.weights, zeros(units), *moments, *averages)


def _table(documents: ZipfDocuments) -> Any:
    return torch.from_numpy(build_alias_table(documents.p).astype(np.int64)).to(DEVICE)


def _given(documents: ZipfDocuments, batch: int, count: int) -> Documents:
    size = documents.size
    return Documents(
        torch.arange(size, device=DEVICE),
        documents.starts,
        documents.words,
        documents.counts,
        torch.full((size,), TOKENS, device=DEVICE),
        np.full(count, batch),
        np.full(size, TOKENS),
        np.arange(count),
    )


def _steps(first: int, count: int) -> Steps:
    rules = tuple(AdamRule(0.01, 0.01, 0.999, 0.0, 1e-4, first + n + 1) for n in range(count))
    noise, objective = Noise(NOISE, False, STREAM), Objective(True, 10.0)
    return Steps(LEVEL, noise, objective, Pressure(0.1, 1.0), rules, 0.999)
