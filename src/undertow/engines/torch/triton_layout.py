"""Laying a stretch out, in Triton: entries of the gradient of W with their keys, and the chunks
that sorted entries are cut into.

What only some elements write is written by those alone: thousands of writers to one place that
nobody reads took half of the time.
"""

from __future__ import annotations

import triton
import triton.language as tl

from undertow.engines.torch.triton_kernel import kernel


@kernel("BATCH", "wide")
def place_documents(
    starts, words, counts, kept, word_weights, rest_counts, kept_counts, keys, rows,
    BATCH, wide, BLOCK: tl.constexpr,
):  # fmt: skip
    """The entries of a document: their keys, and what they pull at."""
    d = tl.program_id(0)
    end = tl.load(starts + d + 1)
    for begin in range(tl.load(starts + d), end, BLOCK):
        entry = begin + tl.arange(0, BLOCK)
        valid = entry < end
        word = tl.load(words + entry, mask=valid, other=0)
        count = tl.load(counts + entry, mask=valid, other=0)
        stays = tl.load(kept + entry, mask=valid, other=0)
        weight = tl.load(word_weights + word, mask=valid, other=0.0)
        tl.store(rest_counts + entry, weight * (count - stays).to(tl.float32), mask=valid)
        tl.store(kept_counts + entry, weight * stays.to(tl.float32), mask=valid)
        tl.store(keys + entry, (d // BATCH).to(tl.int64) * wide + word, mask=valid)
        tl.store(rows + entry, entry * 0 + d % BATCH, mask=valid)


@kernel("n", "BATCH", "shards")
def cover(begins, replaced, first_rows, changes, n, BATCH, shards, K: tl.constexpr,
          BLOCK: tl.constexpr):  # fmt: skip
    """Where windows begin and end: sums of these say how many cover a row."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = at // K
    valid = d < n
    group = (d // BATCH) * shards + (d % BATCH) // 32
    place = tl.load(first_rows + group, mask=valid, other=0)
    place += tl.load(begins + at, mask=valid, other=0)
    window = tl.load(replaced + d, mask=valid, other=0)
    moves = valid & (window > 0)
    tl.atomic_add(changes + place, 1, mask=moves, sem="relaxed")  # nobody reads before the end
    tl.atomic_add(changes + place + window, -1, mask=moves, sem="relaxed")


@kernel(
    "rest_counts", "kept_counts", "keys", "rows", "n", "BATCH", "per_step", "vocabulary"
)  # those of streams begin where those of documents end
def place_streams(
    stream, covering, word_weights, rest_counts, kept_counts, keys, rows,
    n, BATCH, per_step, vocabulary, BLOCK: tl.constexpr,
):  # fmt: skip
    """The entries of noise words; those that no window covers come last in their step."""
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = r < n
    word = tl.load(stream + r, mask=valid, other=0)
    covered = tl.load(covering + r, mask=valid, other=0) > 0
    word = tl.where(covered, word, vocabulary)
    weight = tl.load(word_weights + word, mask=valid & covered, other=0.0)
    tl.store(rest_counts + r, weight, mask=valid)
    tl.store(kept_counts + r, weight * 0.0, mask=valid)
    tl.store(keys + r, (r // per_step).to(tl.int64) * (vocabulary + 1) + word, mask=valid)
    tl.store(rows + r, BATCH + r % per_step, mask=valid)


@kernel("n")
def take_entries(
    order, keys, rows, rest_counts, kept_counts, entry_rows, entry_rest, entry_kept, new,
    n, BLOCK: tl.constexpr,
):  # fmt: skip
    """Entries in the order of their keys; new[i]: whether entry i is the first of its word."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    source = tl.load(order + i, mask=valid, other=0)
    tl.store(entry_rows + i, tl.load(rows + source, mask=valid, other=0), mask=valid)
    tl.store(entry_rest + i, tl.load(rest_counts + source, mask=valid, other=0.0), mask=valid)
    tl.store(entry_kept + i, tl.load(kept_counts + source, mask=valid, other=0.0), mask=valid)
    key = tl.load(keys + i, mask=valid, other=0)
    before = tl.load(keys + i - 1, mask=valid & (i > 0), other=-1)
    tl.store(new + i, (key != before).to(tl.int32), mask=valid)


@kernel("n")
def begin_words(words, word_starts, n, BLOCK: tl.constexpr):
    """word_starts[w]: the first entry of the w-th word; words[i] counts from 1."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    word = tl.load(words + i, mask=valid, other=0)
    before = tl.load(words + i - 1, mask=valid & (i > 0), other=0)
    tl.store(word_starts + word - 1, i, mask=valid & (word != before))


@triton.jit
def _of_word(words, word_starts, i, valid):
    """Where the word of an entry begins and ends."""
    word = tl.load(words + i, mask=valid, other=1)
    first = tl.load(word_starts + word - 1, mask=valid, other=0)
    return first, tl.load(word_starts + word, mask=valid, other=0)


@kernel("n")
def begin_chunks(words, word_starts, begins, shared, n, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    """Whether an entry begins a chunk; if so, whether its word has several (in the upper half), and
    whether it is the first of these (in the lower half).
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    first, end = _of_word(words, word_starts, i, valid)
    begin = (i - first) % CHUNK == 0
    several = begin & (end - first > CHUNK)
    tl.store(begins + i, begin.to(tl.int32), mask=valid)
    both = (several.to(tl.int64) << 32) + (several & (i == first)).to(tl.int64)
    tl.store(shared + i, both, mask=valid)


@kernel("n", "wide", "n_slots")
def cut(
    keys, words, word_starts, chunks, shared,
    chunk_starts, chunk_words, opens, slots, frequent, frequent_chunks, flags,
    n, wide, n_slots, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Writes the chunks, and a flag for every word that has any; `chunks` and `shared` are sums of
    what `begin_chunks` wrote.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    first, end = _of_word(words, word_starts, i, valid)
    chunk = tl.load(chunks + i, mask=valid, other=1) - 1
    begin = valid & ((i - first) % CHUNK == 0)
    tl.store(chunk_starts + chunk, i, mask=begin)
    word = (tl.load(keys + i, mask=begin, other=0) % wide).to(tl.int32)
    tl.store(chunk_words + chunk, word, mask=begin)
    tl.store(opens + chunk, (i == first).to(tl.int8), mask=begin)
    tl.store(flags + word, begin, mask=begin & (i == first) & (word < wide - 1))
    both = tl.load(shared + i, mask=valid, other=0)
    several = begin & (end - first > CHUNK)
    tl.store(slots + chunk, (((both >> 32) - 1) % n_slots).to(tl.int32), mask=several)
    number = (both & 0xFFFFFFFF) - 1
    several = several & (i == first)
    tl.store(frequent + number, chunk, mask=several)
    tl.store(frequent_chunks + number, (end - first + CHUNK - 1) // CHUNK, mask=several)
