"""Vectors of documents whose counts lie on the card."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks.gpu.documents import DEVICE, UNITS, milliseconds, zipf_documents
from undertow.engines.torch.triton_encode import posteriors_of

DOCUMENTS = 2**20
VOCABULARIES = (2_000, 200_000, 1_000_000)


def measure(ceilings: dict[str, float], tiny: bool) -> list[dict[str, Any]]:
    """Millions of documents a second, posteriors and scores left on the card."""
    vocabularies, size = (VOCABULARIES[:1], 4) if tiny else (VOCABULARIES, DOCUMENTS)
    return [_row(words, size, ceilings) for words in vocabularies]


def _row(words: int, size: int, ceilings: dict[str, float]) -> dict[str, Any]:
    documents = zipf_documents(words, size)
    weights = torch.randn(words, UNITS, device=DEVICE) * 0.01
    own = (weights, documents.weights, torch.zeros(UNITS, device=DEVICE))
    given = (documents.starts, documents.words, documents.counts)
    taken = milliseconds(lambda: posteriors_of(*own, *given))
    rows = len(documents.words) + size
    floor = 1e3 * 4.0 * UNITS * rows / ceilings["bytes a second"]
    return {
        "words": words,
        "Mdocs/s": size / taken / 1e3,
        "ms": taken,
        "floor, ms": floor,
        "over floor": taken / floor,
    }
