"""What hidden units see of documents, in Triton: a document is taken by one program, and nothing
but its vector is written.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from undertow.engines.torch.triton_contrast import _sigmoid, _softplus

ENTRIES = 8  # rows of W that a program reads at once


@triton.jit
def encode(
    starts, words, counts, weights, word_weights, hidden_bias, out, lengths, scores,
    H: tl.constexpr, UNITS: tl.constexpr, ENTRIES: tl.constexpr, POSTERIORS: tl.constexpr,
):  # fmt: skip
    """Inputs W.u and lengths L of documents; or their posteriors and scores."""
    d = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, UNITS)
    inside = columns < H
    total = tl.zeros([UNITS], dtype=tl.float32)
    length = tl.zeros([ENTRIES], dtype=tl.float64)
    end = tl.load(starts + d + 1)
    for begin in range(tl.load(starts + d), end, ENTRIES):
        entry = begin + tl.arange(0, ENTRIES)
        valid = entry < end
        word = tl.load(words + entry, mask=valid, other=0).to(tl.int64)
        count = tl.load(counts + entry, mask=valid, other=0).to(tl.float32)
        coefficient = count * tl.load(word_weights + word, mask=valid, other=0.0)
        both = valid[:, None] & inside[None, :]
        row = tl.load(weights + word[:, None] * H + columns[None, :], mask=both, other=0.0)
        total += tl.sum(row.to(tl.float32) * coefficient[:, None], axis=0)
        length += coefficient.to(tl.float64)
    whole = tl.sum(length, axis=0)
    tl.store(lengths + d, whole)
    if POSTERIORS:
        total += whole.to(tl.float32) * tl.load(hidden_bias + columns, mask=inside, other=0.0)
        score = tl.sum(tl.where(inside, _softplus(total), 0.0).to(tl.float64), axis=0)
        tl.store(scores + d, score - H * 0.6931471805599453)
        total = _sigmoid(total)
    tl.store(out + d * H + columns, total, mask=inside)


def inputs_of(
    weights: Any, word_weights: Any, starts: Any, words: Any, counts: Any
) -> tuple[Any, Any]:
    """W.u (n, H) and L (n,) of documents, all on the device."""
    nothing = word_weights  # no bias is read
    return _encoded(weights, word_weights, nothing, starts, words, counts, squash=False)[:2]


def posteriors_of(
    weights: Any, word_weights: Any, hidden_bias: Any, starts: Any, words: Any, counts: Any
) -> tuple[Any, Any, Any]:
    """P(h | document) (n, H), lengths L (n,) and scores S(u) (n,)."""
    return _encoded(weights, word_weights, hidden_bias, starts, words, counts, squash=True)


def _encoded(
    weights: Any, word_weights: Any, hidden_bias: Any, *documents: Any, squash: bool
) -> tuple[Any, Any, Any]:
    size, units, device = len(documents[0]) - 1, weights.shape[1], weights.device
    out = torch.empty(size, units, device=device)
    lengths, scores = (torch.empty(size, dtype=torch.float64, device=device) for _ in range(2))
    padded = max(triton.next_power_of_2(units), 16)
    if size:
        with torch.cuda.device_of(out):  # Triton launches on the present card
            encode[(size,)](
                *documents, weights, word_weights, hidden_bias, out, lengths, scores, H=units,
                UNITS=padded, ENTRIES=ENTRIES, POSTERIORS=squash, num_warps=max(padded // 256, 1),
            )  # fmt: skip
    return out, lengths, scores
