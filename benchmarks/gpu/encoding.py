"""Vectors of documents whose counts lie on the card."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks.gpu.documents import UNITS, milliseconds, zipf_documents
from undertow.engines.torch.encoding import posteriors_of

DOCUMENTS = 2**20
VOCABULARIES = (2_000, 200_000, 1_000_000)


def measure() -> list[dict[str, Any]]:
    """Millions of documents a second, posteriors and scores left on the card."""
    found = []
    for words in VOCABULARIES:
        documents = zipf_documents(words, DOCUMENTS)
        weights = torch.randn(words, UNITS, device="cuda") * 0.01
        bias = torch.zeros(UNITS, device="cuda")
        given = (documents.starts, documents.words, documents.counts)

        def encode(given: Any = given, own: Any = (weights, documents.weights, bias)) -> None:
            posteriors_of(*own, *given)

        found.append({"words": words, "Mdocs/s": DOCUMENTS / milliseconds(encode) / 1e3})
    return found
