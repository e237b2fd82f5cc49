"""What a stretch of steps draws, in Triton: which tokens are kept, the words of noise streams, and
where noise windows begin.

The same numbers as everywhere (`kernels.randomness`). None of them depends on the parameters, so
those of many steps are drawn together, before the first of these steps.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from undertow.engines.torch.triton_kernel import kernel
from undertow.kernels.randomness import Purpose

KEEP = tl.constexpr(int(Purpose.KEEP) << 24)
WINDOW = tl.constexpr(int(Purpose.WINDOW) << 24)
STREAM = tl.constexpr(int(Purpose.STREAM) << 24)
LEVEL = tl.constexpr(int(Purpose.LEVEL) << 24)
NUMBERS = 512  # counters that a program takes
LANES = 32  # documents that a program keeps tokens of: a warp


@triton.jit
def _philox(seed, last, epoch, document, draw):
    """Four uniform 32-bit numbers for each element of `draw`; the others may be scalars."""
    zeros = draw * 0
    return tl.philox(
        seed,
        draw.to(tl.uint32),
        (zeros + document).to(tl.uint32),
        (zeros + epoch).to(tl.uint32),
        (zeros + last).to(tl.uint32),
    )


@kernel("n", "seed")
def _write_numbers(draw, document, epoch, last, out, n, seed, BLOCK: tl.constexpr):
    """out[j, i]: the j-th number of counter i."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    valid, row = at < n, n.to(tl.int64)  # three rows may be more than 32 bits hold
    own = tl.load(document + at, mask=valid, other=0)
    when = tl.load(epoch + at, mask=valid, other=0)
    what = tl.load(last + at, mask=valid, other=0)
    number = tl.load(draw + at, mask=valid, other=0)
    b0, b1, b2, b3 = _philox(seed, what, when, own, number)
    tl.store(out + at, b0.to(tl.int64), mask=valid)
    tl.store(out + row + at, b1.to(tl.int64), mask=valid)
    tl.store(out + 2 * row + at, b2.to(tl.int64), mask=valid)
    tl.store(out + 3 * row + at, b3.to(tl.int64), mask=valid)


def four_numbers(seed: int, draw: Any, document: Any, epoch: Any, last: Any) -> Any:
    """Four uniform 32-bit numbers for each counter, of tensors of one shape: in one kernel what is
    more than a hundred operations of torch.
    """
    out = torch.empty(4, *draw.shape, dtype=torch.int64, device=draw.device)
    n = draw.numel()
    if n:
        parts = (part.contiguous() for part in (draw, document, epoch, last))
        with torch.cuda.device_of(out):  # Triton launches on the present card, wherever things lie
            _write_numbers[(-(-n // NUMBERS),)](*parts, out, n, seed, BLOCK=NUMBERS)
    return out


@triton.jit
def _one_of(number, b0, b1, b2, b3):
    """The number-th of four."""
    return tl.where(number == 0, b0, tl.where(number == 1, b1, tl.where(number == 2, b2, b3)))


@triton.jit
def _below(bits, bound):
    """A whole number in [0, bound)."""
    return ((bits.to(tl.uint64) * bound.to(tl.uint64)) >> 32).to(tl.int32)


@kernel("n", "seed", "epoch")
def draw_shares(ids, shares, n, seed, epoch, BLOCK: tl.constexpr):
    """shares[d]: where between the lowest and the highest the noise level of a document is."""
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = tl.load(ids + d, mask=d < n, other=0)
    b0, b1, _, _ = _philox(seed, LEVEL, epoch, own, d * 0)
    top = (b0.to(tl.uint64) << 21) | (b1.to(tl.uint64) >> 11)
    share = top.to(tl.float64) * 1.1102230246251565e-16  # 2^-53
    tl.store(shares + d, share, mask=d < n)


@kernel("n", "seed", "epoch")
def keep_tokens(ids, starts, counts, tokens, to_keep, kept, n, seed, epoch, BLOCK: tl.constexpr):
    """kept[e]: how many of the counts[e] tokens of a document are kept: selection sampling, a
    document in each lane.
    """
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = d < n
    own = tl.load(ids + d, mask=valid, other=0)
    begin = tl.load(starts + d, mask=valid, other=0)
    end = tl.load(starts + d + 1, mask=valid, other=0)
    left = tl.load(tokens + d, mask=valid, other=0).to(tl.int32)
    needed = tl.load(to_keep + d, mask=valid, other=0).to(tl.int32)
    position = d * 0
    for i in range(0, tl.max(end - begin)):
        here = begin + i < end
        count = tl.load(counts + begin + i, mask=here, other=0)
        before = needed
        for t in range(0, tl.max(count)):
            drawn = t < count
            b0, b1, b2, b3 = _philox(seed, KEEP, epoch, own, position >> 2)
            bits = _one_of(position & 3, b0, b1, b2, b3)
            chosen = drawn & (_below(bits, left) < needed)
            needed -= chosen.to(tl.int32)
            left -= drawn.to(tl.int32)
            position += drawn.to(tl.int32)
        tl.store(kept + begin + i, before - needed, mask=here)


def kept_of(
    ids: Any, starts: Any, counts: Any, tokens: Any, to_keep: Any, seed: int, epoch: int
) -> Any:
    """(E,) How many of the counts of each entry are kept, all on the device."""
    n, kept = len(ids), torch.empty_like(counts)
    with torch.cuda.device_of(kept):  # Triton launches on the present card
        keep_tokens[(-(-n // LANES),)](
            ids, starts, counts, tokens, to_keep, kept, n, seed, epoch, BLOCK=LANES, num_warps=1
        )
    return kept


@kernel("size", "shards", "seed", "epoch")
def draw_streams(
    words, table, size, first_rows, lengths, numbers, shards, seed, epoch, BLOCK: tl.constexpr
):
    """The words of the noise stream of every shard of every step: program (shard, part)."""
    group = tl.program_id(0)
    length = tl.load(lengths + group)
    call = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(1) * BLOCK * 2 < length:
        number = tl.load(numbers + group // shards)
        b0, b1, b2, b3 = _philox(seed, STREAM + group % shards, epoch, number, call)
        into = words + tl.load(first_rows + group) + 2 * call
        tl.store(into, _word(table, size, b0, b1), mask=2 * call < length)
        tl.store(into + 1, _word(table, size, b2, b3), mask=2 * call + 1 < length)


@triton.jit
def _word(table, size, high, low):
    """The words that two random numbers choose, by the alias method (see `kernels.cpu.alias`)."""
    wide = size.to(tl.uint64)
    product = high.to(tl.uint64) * wide + ((low.to(tl.uint64) * wide) >> 32)
    column = (product >> 32).to(tl.int64)
    threshold = tl.load(table + 2 * column).to(tl.uint64)
    alias = tl.load(table + 2 * column + 1)
    return tl.where((product & 0xFFFFFFFF) < threshold, column, alias).to(tl.int32)


@kernel("n", "seed", "epoch", "BATCH")
def draw_windows(
    ids, replaced, lengths, begins, n, seed, epoch, BATCH, K: tl.constexpr, BLOCK: tl.constexpr
):
    """begins[d, j]: where in the stream of its shard a document's j-th noise window begins. The
    shards of a step are those of `BATCH` documents.
    """
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d, j = at // K, at % K
    valid = d < n
    own = tl.load(ids + d, mask=valid, other=0)
    b0, b1, b2, b3 = _philox(seed, WINDOW, epoch, own, j >> 2)
    bits = _one_of(j & 3, b0, b1, b2, b3)
    group = (d // BATCH) * ((BATCH + 31) // 32) + (d % BATCH) // 32
    places = tl.load(lengths + group, mask=valid, other=1) - tl.load(
        replaced + d, mask=valid, other=0
    )
    tl.store(begins + at, _below(bits, places + 1), mask=valid)


@triton.jit
def sum_lengths(words, word_weights, first_rows, lengths, sums, BLOCK: tl.constexpr):
    """sums[r]: the sum of the weights of a stream's words before row r. In double precision, and
    always in the same order.
    """
    group = tl.program_id(0)
    first, length = tl.load(first_rows + group), tl.load(lengths + group)
    total = tl.zeros([1], dtype=tl.float64)
    tl.store(sums + first + tl.arange(0, 1), total)
    for begin in range(0, length, BLOCK):
        position = begin + tl.arange(0, BLOCK)
        valid = position < length
        word = tl.load(words + first + position, mask=valid, other=0)
        weight = tl.load(word_weights + word, mask=valid, other=0.0).to(tl.float64)
        upto = total + tl.cumsum(weight, axis=0)
        tl.store(sums + first + position + 1, upto, mask=valid)
        total += tl.sum(weight, axis=0)


@kernel("n", "BATCH", "shards")
def measure_windows(
    begins, replaced, first_rows, sums, noise_lengths, n, BATCH, shards,
    K: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The weighted length of every noise window."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = at // K
    valid = d < n
    group = (d // BATCH) * shards + (d % BATCH) // 32
    place = tl.load(first_rows + group, mask=valid, other=0)
    place += tl.load(begins + at, mask=valid, other=0)
    before = tl.load(sums + place, mask=valid, other=0.0)
    window = tl.load(replaced + d, mask=valid, other=0)
    after = tl.load(sums + place + window, mask=valid, other=0.0)
    tl.store(noise_lengths + at, (after - before).to(tl.float32), mask=valid)
