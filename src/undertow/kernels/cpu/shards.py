"""A minibatch in shards of a few documents, each worked through from the draws to the gradient by
one thread.

A shard has a noise stream of its own, so it shares nothing with the others, and its tables (a row
of H for every word of its stream, twice) stay in the cache of the core that works on it. The number
of documents in a shard is fixed: it decides which documents share noise, and so the result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import partial_noise, program, windows
from undertow.kernels.cpu.compile import kernel, section, shared
from undertow.kernels.cpu.contrast import (
    ContrastResult,
    NoiseTable,
    Objective,
    Pressure,
    SplitDocuments,
    contrast,
    press_towards_target,
)
from undertow.kernels.cpu.documents import document_inputs
from undertow.kernels.cpu.rows import (
    Grouping,
    document_entries,
    group_part,
    split_entries,
    stream_entries,
)
from undertow.kernels.randomness import SHARD

SHARDS, GROUPS = 0, 1  # what workers share out
UNITS = 64  # hidden units that are summed over the minibatch at a time


class Key(NamedTuple):
    """What the random numbers of a minibatch are keyed by, with the documents' ids."""

    seed: int
    epoch: int
    number: int  # of the minibatch in its epoch


class MinibatchCounts(NamedTuple):
    """A minibatch of B documents with E distinct words in all."""

    ids: NDArray[np.int64]  # (B,)
    starts: NDArray[np.int64]  # (B + 1,)
    words: NDArray[np.int32]  # (E,)
    counts: NDArray[np.int32]  # (E,)


class Kept(NamedTuple):
    """Which tokens of the documents are kept."""

    levels: NDArray[np.float64]  # (B,): alpha
    tokens: NDArray[np.int64]  # (B,): D
    to_keep: NDArray[np.int64]  # (B,): D_r
    replaced: NDArray[np.int64]  # (B,): D - D_r
    counts: NDArray[np.int32]  # (E,): how many tokens of each word


class Model(NamedTuple):
    """What energies are made of."""

    weights: NDArray[np.float32]  # (K, H)
    word_weights: NDArray[np.float32]  # (K,)
    hidden_bias: NDArray[np.float32]  # (H,)
    gains: NDArray[np.float64]  # (K,), or empty where all are zero


class Stream(NamedTuple):
    """The noise words. Shard s owns rows row_starts[s] to row_starts[s + 1] of the noise table."""

    words: NDArray[np.int32]
    row_starts: NDArray[np.int64]  # (S + 1,)
    noise_starts: NDArray[
        np.int64
    ]  # empty for windows; else where the words of each noise document begin, (B k + 1,)
    ones: NDArray[np.int32]  # as many as words where there are noise_starts
    alias: NDArray[np.uint32]  # the table that words are drawn with


class Sums(NamedTuple):
    """What is summed over the minibatch."""

    activity: NDArray[np.float32]  # (H,): mean P(h | V_d)
    hidden_bias: NDArray[np.float32]  # (H,): the gradient of a
    losses: NDArray[
        np.float64
    ]  # (1 + blocks of units,): of the documents, and of the pressure on the units


class StepArrays(NamedTuple):
    """All that the gradient of a minibatch is computed from, but for its key and its documents, and
    where it goes.

    Compiled code copies a tuple number by number where it is handed on: programs take it apart
    once, and hand parts on (docs/design_notes.md, A first fit).
    """

    kept: Kept
    model: Model
    stream: Stream
    split: SplitDocuments
    noise: NoiseTable
    objective: Objective
    pressure: Pressure
    result: ContrastResult
    sums: Sums
    grouping: Grouping


@shared
def lay_out(
    documents: Any, kept: Any, stream: Any, entry_starts: Any, least: int, n_noise: int
) -> int:
    """Counts the tokens, and gives every shard its rows of the noise table and its entries of W's
    gradient; returns how many rows the largest shard has.

    A shard's stream has `least` words, but twice its longest window, so that even the longest
    document sees different windows; it has one row more. Independent noise takes a row for each
    noise document, and one that is zero.
    """
    partial_noise.count_tokens(
        documents.starts, documents.counts, kept.levels, kept.tokens, kept.to_keep, kept.replaced
    )
    size, independent = documents.ids.size, stream.noise_starts.size > 0
    stream.row_starts[0] = 0
    largest = noise_words = 0
    for shard in range(stream.row_starts.size - 1):
        first, last = shard * SHARD, min((shard + 1) * SHARD, size)
        rows = least
        if independent:
            rows = (last - first) * n_noise
        entry_starts[shard] = 2 * documents.starts[first] + noise_words
        for d in range(first, last):
            if independent:
                for n in range(n_noise):
                    stream.noise_starts[d * n_noise + n] = noise_words
                    noise_words += kept.replaced[d]
            else:
                rows = max(rows, 2 * kept.replaced[d])
        if not independent:
            noise_words += rows + 1
        stream.row_starts[shard + 1] = stream.row_starts[shard] + rows + 1
        largest = max(largest, rows + 1)
    if independent:
        stream.noise_starts[size * n_noise] = noise_words
    entry_starts[stream.row_starts.size - 1] = 2 * documents.starts[size] + noise_words
    return largest


@section
def _split(
    first: int,
    last: int,
    key: Any,
    documents: Any,
    kept: Any,
    model: Any,
    split: Any,
    entries: Any,
    n: int,
) -> int:
    """Draws the kept tokens of documents `first` to `last`, writes their entries at n, and sums the
    two parts of each document; returns where the entries end.
    """
    starts, words, counts = documents.starts, documents.words, documents.counts
    drawn = (kept.tokens, kept.to_keep, kept.counts)
    partial_noise.keep_tokens(
        first, last, key.seed, key.epoch, documents.ids, starts, counts, *drawn
    )
    n = split_entries(
        first, last, documents, kept.counts, model.word_weights, split.spans, entries, n
    )
    partial_noise.sum_parts(first, last, model.weights, entries, n, split)
    if model.gains.size:
        for d in range(first, last):
            split.rest_gains[d] = 0.0
            for i in range(starts[d], starts[d + 1]):
                split.rest_gains[d] += model.gains[words[i]] * (counts[i] - kept.counts[i])
    return n


@section
def contrast_with_windows(
    shard: int, key: Any, documents: Any, step: Any, noise_inputs: Any
) -> None:
    """The gradient of a shard of these documents, with noise cut from its stream."""
    kept, model, stream = step.kept, step.model, step.stream
    split, noise, result, entries = step.split, step.noise, step.result, step.grouping.entries
    size, at = documents.ids.size, entries.starts[shard]
    first, last = shard * SHARD, min((shard + 1) * SHARD, size)
    top, bottom = stream.row_starts[shard], stream.row_starts[shard + 1]
    n = _split(first, last, key, documents, kept, model, split, entries, at)

    words = stream.words[top : bottom - 1]
    partial_noise.draw_stream(key.seed, key.epoch, key.number, shard, stream.alias, words)
    windows.prefix_rows(words, model.weights, model.word_weights, noise_inputs)
    windows.prefix_scalars(words, model.word_weights, noise.lengths[top:bottom])
    if model.gains.size:
        windows.prefix_scalars(words, model.gains, noise.gains[top:bottom])
    places = (documents.ids, kept.replaced, words.size, top, noise.begins, noise.ends)
    partial_noise.draw_windows(first, last, key.seed, key.epoch, *places)

    changes = result.noise_vectors[top:bottom]
    changes[:, :] = np.float32(0.0)
    contrast(
        first,
        last,
        shard,
        top,
        split,
        noise,
        noise_inputs,
        model.hidden_bias,
        step.objective,
        result,
    )
    covering = np.empty(bottom - top, dtype=np.int32)
    windows.cover(noise.begins[first:last], noise.ends[first:last], top, covering)
    windows.sweep(covering, changes)
    n = stream_entries(words, covering, model.word_weights, 2 * size + top, entries, n)
    entries.counts[shard] = n - at


@section
def contrast_with_independent_noise(
    shard: int, key: Any, documents: Any, step: Any, noise_inputs: Any
) -> None:
    """The same with words of its own for every noise document: noise m = d k + j of the minibatch
    has the words from noise_starts[m] on, and row m + shard of the table. The last row of a shard
    stays zero.
    """
    kept, model, stream = step.kept, step.model, step.stream
    split, noise, result, entries = step.split, step.noise, step.result, step.grouping.entries
    (size, n_noise), at = noise.begins.shape, entries.starts[shard]
    first, last = shard * SHARD, min((shard + 1) * SHARD, size)
    top, bottom = stream.row_starts[shard], stream.row_starts[shard + 1]
    n = _split(first, last, key, documents, kept, model, split, entries, at)

    drawn = (stream.noise_starts, n_noise, stream.alias, stream.words)
    partial_noise.draw_independent(
        first, last, key.seed, key.epoch, documents.ids, kept.replaced, *drawn
    )
    for d in range(first, last):
        noise.begins[d, :] = bottom - 1
        for j in range(n_noise):
            noise.ends[d, j] = d * n_noise + j + shard
    first_noise, last_noise = first * n_noise, last * n_noise
    starts = stream.noise_starts[first_noise : last_noise + 1]
    lengths = noise.lengths[top:bottom]
    document_inputs(
        0,
        starts.size - 1,
        starts,
        stream.words,
        stream.ones,
        model.weights,
        model.word_weights,
        noise_inputs,
        lengths,
    )
    noise_inputs[bottom - 1 - top, :] = np.float32(0.0)
    noise.lengths[bottom - 1] = 0.0
    if model.gains.size:
        noise.gains[bottom - 1] = 0.0
        for m in range(first_noise, last_noise):
            noise.gains[m + shard] = 0.0
            for i in range(stream.noise_starts[m], stream.noise_starts[m + 1]):
                noise.gains[m + shard] += model.gains[stream.words[i]]

    result.noise_vectors[top:bottom, :] = np.float32(0.0)
    contrast(
        first,
        last,
        shard,
        top,
        split,
        noise,
        noise_inputs,
        model.hidden_bias,
        step.objective,
        result,
    )
    words = (stream.noise_starts, stream.words, stream.ones)
    n = document_entries(
        first_noise, last_noise, *words, model.word_weights, 2 * size + shard, entries, n
    )
    entries.counts[shard] = n - at


@section
def sum_over_shards(first: int, last: int, pressure: Any, result: Any, sums: Any) -> None:
    """Mean activity, losses and the gradient of a, for units `first` to `last`, and what the
    pressure on them adds.
    """
    activity, bias = sums.activity, sums.hidden_bias
    activity[first:last] = np.float32(0.0)
    bias[first:last] = np.float32(0.0)
    for shard in range(result.activity.shape[0]):
        for j in range(first, last):
            activity[j] += result.activity[shard, j]
            bias[j] += result.hidden_bias[shard, j]
    for j in range(first, last):
        activity[j] /= np.float32(result.posteriors.shape[0])
    block = first // UNITS
    sums.losses[1 + block] = 0.0
    if block == 0:
        sums.losses[0] = result.losses.sum()
    if pressure.cost > 0.0:
        for j in range(first, last):
            sums.losses[1 + block] += (
                pressure.cost * (np.float64(activity[j]) - pressure.target) ** 2
            )
        seen = (activity, result.posteriors, result.lengths)
        press_towards_target(
            first, last, pressure, *seen, result.rest_vectors, result.kept_vectors, bias
        )


@section
def group_and_sum(worker: Any, grouping: Any, pressure: Any, result: Any, sums: Any) -> None:
    """What follows the shards, word by word and unit by unit."""
    entries, slots, found, rows = grouping
    units, parts = sums.activity.size, slots.shape[0]
    blocks = (units + UNITS - 1) // UNITS
    item = program.next_item(worker, GROUPS)
    while item < parts + blocks:
        if item < parts:
            group_part(entries, item, slots, found, rows)
        else:
            first = (item - parts) * UNITS
            sum_over_shards(first, min(first + UNITS, units), pressure, result, sums)
        item = program.next_item(worker, GROUPS)


@section
def is_finite(sums: Any) -> bool:
    """False where training has diverged."""
    loss = 0.0
    for block in range(sums.losses.size):
        loss += sums.losses[block]
    return bool(np.isfinite(loss) and np.isfinite(sums.hidden_bias).all())


@kernel
def contrast_together(worker: Any, key: Any, documents: Any, step: Any) -> None:
    """The gradient of a minibatch, with noise cut from streams: a program. First shard by shard,
    then unit by unit and word by word.
    """
    number = program.join(worker)
    if number < 0:
        return
    inputs, grouping, pressure = step.noise.inputs[number], step.grouping, step.pressure
    result, sums = step.result, step.sums
    shard = program.next_item(worker, SHARDS)
    while shard < grouping.entries.counts.size:
        contrast_with_windows(shard, key, documents, step, inputs)
        shard = program.next_item(worker, SHARDS)
    program.barrier(worker, 1)
    group_and_sum(worker, grouping, pressure, result, sums)
    program.leave(worker, 2)


@kernel
def contrast_independently_together(worker: Any, key: Any, documents: Any, step: Any) -> None:
    """The same with independent noise: a program of its own, so that nobody waits for the one to be
    compiled who only uses the other.
    """
    number = program.join(worker)
    if number < 0:
        return
    inputs, grouping, pressure = step.noise.inputs[number], step.grouping, step.pressure
    result, sums = step.result, step.sums
    shard = program.next_item(worker, SHARDS)
    while shard < grouping.entries.counts.size:
        contrast_with_independent_noise(shard, key, documents, step, inputs)
        shard = program.next_item(worker, SHARDS)
    program.barrier(worker, 1)
    group_and_sum(worker, grouping, pressure, result, sums)
    program.leave(worker, 2)
