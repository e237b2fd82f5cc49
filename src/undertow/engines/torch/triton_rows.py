"""The gradient of every touched row of W, and its step of Adam, in Triton.

The entries of a step (a word, a row of `vectors`, coefficients) were sorted by word when the
stretch was laid out, and cut into chunks. `move_rows` sums a chunk; where that is all of a word, it
moves the row, and else leaves the sum for `move_frequent_rows`. A row's gradient is never written
to memory but for words of several chunks, and no two programs write the same row: no atomic
operations, and the same order of summation every time.
"""

from __future__ import annotations

import triton
import triton.language as tl

from undertow.engines.torch.triton_kernel import kernel


@triton.jit
def _retained(since, until, turn, log_decay):
    """d_{since+1} * ... * d_{until} (see `kernels.cpu.update.retained`)."""
    share = 1.0
    end = tl.minimum(until, turn)
    for i in tl.static_range(4):
        ratio = (since + i).to(tl.float64) / tl.maximum(end + i, 1).to(tl.float64)
        share *= tl.where((since < turn) & (end + i > 0), ratio, 1.0)
    beyond = tl.maximum(until - tl.maximum(since, turn), 0)
    return (share * tl.exp(beyond.to(tl.float64) * log_decay)).to(tl.float32)


@triton.jit
def _state(word, columns, weights, moments, averages, seen, H: tl.constexpr,
           AVERAGING: tl.constexpr):  # fmt: skip
    """What a step of a row reads; asked for early, since it may lie in memory. The assembler would
    move that below the sums, where it is used, were it not for the barrier.
    """
    inside = columns < H
    here = word.to(tl.int64) * H + columns
    row = tl.load(weights + here, mask=inside, other=0.0)
    mean, since = row, 0
    if AVERAGING:
        mean = tl.load(averages + here, mask=inside, other=0.0)
        since = tl.load(seen + word).to(tl.int32)
    second, ones = tl.load(moments + 2 * word), tl.load(moments + 2 * word + 1)
    tl.debug_barrier()
    return row, mean, since, second, ones


@triton.jit
def _move(
    word, slope, columns, row, mean, since, second, ones,
    weights, moments, averages, seen, rate, step, decay, l2, turn, log_decay,
    H: tl.constexpr, AVERAGING: tl.constexpr,
):  # fmt: skip
    """A step of Adam with a second moment for the row, after its average was brought up to date."""
    inside = columns < H
    here = word.to(tl.int64) * H + columns
    total = slope + l2 * row
    square = tl.sum(tl.where(inside, total * total, 0.0), axis=0) / H
    second = decay * second + (1.0 - decay) * square
    ones = decay * ones + (1.0 - decay)
    tl.debug_barrier()  # every warp has read what is written now
    tl.store(moments + 2 * word, second)
    tl.store(moments + 2 * word + 1, ones)
    length = rate / (tl.sqrt(second / ones) + 1e-12)
    tl.store(weights + here, row - length * total, mask=inside)
    if AVERAGING:
        behind = step - 1 > since
        stays = _retained(since, step - 1, turn, log_decay)
        mean = stays * mean + (1.0 - stays) * row
        tl.store(averages + here, mean, mask=columns < tl.where(behind, H, 0))
        tl.store(seen + word, step - 1, mask=behind)


@kernel("vocabulary", "turn")
def move_rows(
    at, first_chunks, chunk_starts, chunk_words, opens, slots, entry_rows, rest_counts, kept_counts,
    vectors, kept_vectors, partials, weights, moments, averages, seen, rates, steps,
    vocabulary, decay, l2, turn, log_decay,
    H: tl.constexpr, UNITS: tl.constexpr, ENTRIES: tl.constexpr, AVERAGING: tl.constexpr,
):  # fmt: skip
    """Sums chunks; a word's only chunk moves its row."""
    now = tl.load(at)
    first, last = tl.load(first_chunks + now), tl.load(first_chunks + now + 1)
    rate, step = tl.load(rates + now), tl.load(steps + now)
    columns = tl.arange(0, UNITS)
    inside = columns < H
    for chunk in range(first + tl.program_id(0), last, tl.num_programs(0)):
        word = tl.load(chunk_words + chunk)
        if word < vocabulary:
            end = tl.load(chunk_starts + chunk + 1)
            row, mean, since, second, ones = _state(
                word, columns, weights, moments, averages, seen, H, AVERAGING
            )
            slope = tl.zeros([UNITS], dtype=tl.float32)
            for begin in range(tl.load(chunk_starts + chunk), end, ENTRIES):
                entry = begin + tl.arange(0, ENTRIES)
                valid = entry < end
                source = tl.load(entry_rows + entry, mask=valid, other=0).to(tl.int64)
                rest = tl.load(rest_counts + entry, mask=valid, other=0.0)
                kept = tl.load(kept_counts + entry, mask=valid, other=0.0)
                here = source[:, None] * H + columns[None, :]
                both = (rest != 0.0)[:, None] & inside[None, :]
                part = tl.load(vectors + here, mask=both, other=0.0)
                slope += tl.sum(part * rest[:, None], axis=0)
                both = (kept != 0.0)[:, None] & inside[None, :]
                part = tl.load(kept_vectors + here, mask=both, other=0.0)
                slope += tl.sum(part * kept[:, None], axis=0)
            alone = (tl.load(opens + chunk) != 0) & (tl.load(opens + chunk + 1) != 0)
            if alone:
                _move(
                    word, slope, columns, row, mean, since, second, ones,
                    weights, moments, averages, seen, rate, step,
                    decay, l2, turn, log_decay, H, AVERAGING,
                )  # fmt: skip
            else:
                into = partials + tl.load(slots + chunk).to(tl.int64) * H + columns
                tl.store(into, slope, mask=inside)


@kernel("n_slots", "vocabulary", "turn")
def move_frequent_rows(
    at, first_frequent, frequent, frequent_chunks, chunk_words, slots, partials, n_slots,
    weights, moments, averages, seen, rates, steps, vocabulary, decay, l2, turn, log_decay,
    H: tl.constexpr, UNITS: tl.constexpr, CHUNKS: tl.constexpr, AVERAGING: tl.constexpr,
):  # fmt: skip
    """Sums the chunks of words that have several, and moves their rows."""
    now = tl.load(at)
    first, last = tl.load(first_frequent + now), tl.load(first_frequent + now + 1)
    rate, step = tl.load(rates + now), tl.load(steps + now)
    columns = tl.arange(0, UNITS)
    inside = columns < H
    for number in range(first + tl.program_id(0), last, tl.num_programs(0)):
        chunk = tl.load(frequent + number)
        word = tl.load(chunk_words + chunk)
        if word < vocabulary:
            slope = tl.zeros([UNITS], dtype=tl.float32)
            count = tl.load(frequent_chunks + number)
            slot = tl.load(slots + chunk)
            row, mean, since, second, ones = _state(
                word, columns, weights, moments, averages, seen, H, AVERAGING
            )
            for begin in range(0, count, CHUNKS):
                own = begin + tl.arange(0, CHUNKS)
                both = (own < count)[:, None] & inside[None, :]
                here = ((slot + own) % n_slots).to(tl.int64)[:, None] * H + columns[None, :]
                slope += tl.sum(tl.load(partials + here, mask=both, other=0.0), axis=0)
            _move(
                word, slope, columns, row, mean, since, second, ones,
                weights, moments, averages, seen, rate, step,
                decay, l2, turn, log_decay, H, AVERAGING,
            )  # fmt: skip
