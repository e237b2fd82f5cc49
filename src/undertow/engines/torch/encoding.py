"""What hidden units see of documents on a card: one kernel, where Triton is there."""

from __future__ import annotations

from typing import Any

import torch
import triton

from undertow.engines.torch.triton_encode import encode

ENTRIES = 8  # rows of W that a program reads at once


def inputs_of(
    weights: Any, word_weights: Any, starts: Any, words: Any, counts: Any
) -> tuple[Any, Any]:
    """W.u (n, H) and L (n,) of documents, all on the device."""
    nothing = word_weights  # no bias is read
    return _encoded(weights, word_weights, nothing, starts, words, counts, squash=False)[:2]


def posteriors_of(
    weights: Any, word_weights: Any, hidden_bias: Any, starts: Any, words: Any, counts: Any
) -> tuple[Any, Any]:
    """P(h | document) (n, H) and scores S(u) (n,)."""
    found = _encoded(weights, word_weights, hidden_bias, starts, words, counts, squash=True)
    return found[0], found[2]


def _encoded(
    weights: Any, word_weights: Any, hidden_bias: Any, *documents: Any, squash: bool
) -> tuple[Any, Any, Any]:
    starts = documents[0]
    size, units, device = len(starts) - 1, weights.shape[1], weights.device
    out = torch.empty(size, units, device=device)
    lengths, scores = (torch.empty(size, dtype=torch.float64, device=device) for _ in range(2))
    padded = max(triton.next_power_of_2(units), 16)
    if size:
        encode[(size,)](
            *documents, weights, word_weights, hidden_bias, out, lengths, scores, H=units,
            UNITS=padded, ENTRIES=ENTRIES, POSTERIORS=squash, num_warps=max(padded // 256, 1),
        )  # fmt: skip
    return out, lengths, scores
