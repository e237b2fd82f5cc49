"""What hidden units see of documents, in Triton: a document is taken by one program, and nothing
but its vector is written.
"""

from __future__ import annotations

import triton
import triton.language as tl

from undertow.engines.torch.triton_contrast import _sigmoid, _softplus


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
