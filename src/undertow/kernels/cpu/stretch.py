"""Many steps of alpha-NCE with Adam per row in one call, as programs: by one thread, or by several
that share each step.

Each step is made of the same pieces as one by one (`shards`, `update`), so it gives the same bits.
What is saved is coming back to Python between them, whose lock threads would share.

A step has three barriers. Worker 0 lays a minibatch out while the others still move rows; then all
contrast shards, group entries by word, and move rows, part after part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import partial_noise, program
from undertow.kernels.cpu.compile import kernel, section
from undertow.kernels.cpu.shards import (
    GROUPS,
    SHARDS,
    Key,
    MinibatchCounts,
    contrast_with_independent_noise,
    contrast_with_windows,
    group_and_sum,
    is_finite,
    lay_out,
)
from undertow.kernels.cpu.update import adam_dense, adam_per_row

PARTS = 2  # what workers share out after shards and groups


class Minibatches(NamedTuple):
    """Some minibatches of B documents each, as rows of a compressed sparse matrix."""

    seed: int
    ids: NDArray[np.int64]  # (n,)
    rows: NDArray[np.int64]  # (n,)
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.int32]
    firsts: NDArray[np.int64]  # (S,): the first document of each minibatch
    places: NDArray[np.int64]  # (S, 2): epoch and number


class Levels(NamedTuple):
    """The share of tokens that documents keep."""

    lowest: float
    highest: float
    drawn: bool  # for each document, between the two; else all have the lowest


class Rules(NamedTuple):
    """How each step moves the parameters."""

    rates: NDArray[np.float64]  # (S,)
    bias_rates: NDArray[np.float64]  # (S,)
    masses: NDArray[np.float64]  # (S,): the decaying sum of ones
    decay: float
    l2: float


class Room(NamedTuple):
    """Where a minibatch is taken out to, what the arrays of a step have room for, and how long a
    noise stream is at least.
    """

    starts: NDArray[np.int64]  # (B + 1,)
    words: NDArray[np.int32]
    counts: NDArray[np.int32]
    rows: int  # for noise
    largest: int  # rows of the largest shard
    entries: int
    stream_length: int
    n_noise: int


class Moving(NamedTuple):
    """What the steps change, beside the weights and the bias of the model."""

    row_moments: NDArray[np.float32]  # (K, 2)
    bias_moments: NDArray[np.float64]  # (H,)
    moved: NDArray[np.uint8]  # (K,): 1 where a row was moved


class Seen(NamedTuple):
    """Sums over the documents of all minibatches, and how far steps came."""

    loss: NDArray[np.float64]  # (1,)
    activity: NDArray[np.float64]  # (H,)
    last: NDArray[np.int64]  # (2,): the step laid out last, and what became of it


TAKEN, LEFT, DIVERGED = 1, 0, -1


@section
def _take_out(first: int, minibatches: Any, room: Any) -> int:
    """Copies the documents from number `first` on, as many as there are starts for, as far as there
    is room; returns how many words they have.
    """
    starts, words, counts = room.starts, room.words, room.counts
    starts[0] = 0
    for d in range(starts.size - 1):
        row = minibatches.rows[first + d]
        begin, end = minibatches.indptr[row], minibatches.indptr[row + 1]
        starts[d + 1] = starts[d] + end - begin
        if starts[d + 1] <= words.size:
            for i in range(begin, end):
                words[starts[d] + i - begin] = minibatches.indices[i]
                counts[starts[d] + i - begin] = minibatches.data[i]
    return int(starts[starts.size - 1])


@section
def _fill_levels(levels: Any, key: Any, ids: Any, filled: Any) -> None:
    """The share of tokens that each document keeps."""
    if levels.drawn:
        partial_noise.draw_levels(key.seed, key.epoch, ids, levels.lowest, levels.highest, filled)
    else:
        filled[:] = levels.lowest


@section
def _documents(step: int, minibatches: Any, room: Any) -> Any:
    """The minibatch that was taken out."""
    size = room.starts.size - 1
    first, found = minibatches.firsts[step], room.starts[size]
    ids = minibatches.ids[first : first + size]
    return MinibatchCounts(ids, room.starts, room.words[:found], room.counts[:found])


@section
def _key(step: int, minibatches: Any) -> Any:
    return Key(minibatches.seed, minibatches.places[step, 0], minibatches.places[step, 1])


@section
def _lay_out(step: int, minibatches: Any, levels: Any, layout: Any, room: Any) -> bool:
    """Takes a minibatch out and lays it out; False where the arrays are too small for it. Nobody
    who still moves rows reads what is written here.
    """
    fits = _take_out(minibatches.firsts[step], minibatches, room) <= room.words.size
    if fits:
        kept, stream, starts = layout
        documents, key = _documents(step, minibatches, room), _key(step, minibatches)
        _fill_levels(levels, key, documents.ids, kept.levels)
        largest = lay_out(documents, kept, stream, starts, room.stream_length, room.n_noise)
        shards = starts.size - 1
        fits = (
            largest <= room.largest
            and stream.row_starts[shards] <= room.rows
            and starts[shards] <= room.entries
        )
    return bool(fits)


@section
def _begin(
    worker: Any,
    number: int,
    taken: int,
    step: int,
    minibatches: Any,
    levels: Any,
    layout: Any,
    room: Any,
    seen: Any,
) -> bool:
    """Worker 0 lays the step out, and all wait for it; False where it is not to be taken: it is
    beyond the last one, or the arrays are too small for it, or training has diverged.
    """
    if number == 0:
        if seen.last[1] != DIVERGED:
            fits = step < minibatches.firsts.size
            if fits:
                fits = _lay_out(step, minibatches, levels, layout, room)
            seen.last[0], seen.last[1] = step, TAKEN if fits else LEFT
        program.start_again(worker, SHARDS)
        program.start_again(worker, GROUPS)
    program.barrier(worker, 3 * taken + 1)
    if number == 0:
        program.start_again(worker, PARTS)
    return bool(seen.last[1] == TAKEN)


@section
def _count_in(size: int, sums: Any, seen: Any) -> None:
    """Adds what a minibatch of this size saw; the loss is NaN where training has diverged."""
    if is_finite(sums):
        for block in range(sums.losses.size):
            seen.loss[0] += size * sums.losses[block]
        for j in range(sums.activity.size):
            seen.activity[j] += size * np.float64(sums.activity[j])
    else:
        seen.loss[0] = np.nan


@section
def _move_bias(step: int, rules: Any, model: Any, sums: Any, moving: Any) -> None:
    """Adam over the hidden bias."""
    rate, mass = rules.bias_rates[step], rules.masses[step]
    adam_dense(model.hidden_bias, sums.hidden_bias, moving.bias_moments, rate, rules.decay, mass)


@section
def _move_rows(worker: Any, step: int, rules: Any, weights: Any, grouped: Any, moving: Any) -> None:
    """Adam over the rows that the gradient touches."""
    rate, decay, moments = rules.rates[step], rules.decay, moving.row_moments
    part = program.next_item(worker, PARTS)
    while part < grouped.sizes.size:
        n = grouped.sizes[part]
        adam_per_row(part, 0, n, grouped, weights, moments, rate, decay, rules.l2)
        for row in range(n):
            moving.moved[grouped.rows[part, row]] = 1
        part = program.next_item(worker, PARTS)


@section
def _finish(
    worker: Any,
    number: int,
    taken: int,
    step: int,
    rules: Any,
    model: Any,
    contrasted: Any,
    grouping: Any,
    moving: Any,
    seen: Any,
) -> None:
    """What follows once a worker finds no more shards: sums over them, and the step itself, which
    is left out where training has diverged.
    """
    pressure, result, sums = contrasted
    program.barrier(worker, 3 * taken + 2)
    group_and_sum(worker, grouping, pressure, result, sums)
    program.barrier(worker, 3 * taken + 3)
    finite = is_finite(sums)
    if number == 0:
        _count_in(result.posteriors.shape[0], sums, seen)
        if finite:
            _move_bias(step, rules, model, sums, moving)
        else:
            seen.last[1] = DIVERGED
    if finite:
        _move_rows(worker, step, rules, model.weights, grouping.rows, moving)


@kernel
def take_steps(
    worker: Any,
    step: int,
    minibatches: Any,
    levels: Any,
    rules: Any,
    arrays: Any,
    room: Any,
    moving: Any,
    seen: Any,
) -> None:
    """Takes steps from number `step` on, with noise cut from streams: a program. It ends with the
    last one, or where the arrays are too small for one, or a loss is not finite: `Seen` tells.

    `arrays` is the `StepArrays` of minibatches of as many documents.
    """
    number, taken = program.join(worker), 0
    if number < 0:
        return
    model, inputs, grouping = arrays.model, arrays.noise.inputs[number], arrays.grouping
    contrasted = (arrays.pressure, arrays.result, arrays.sums)
    layout = (arrays.kept, arrays.stream, grouping.entries.starts)
    while _begin(worker, number, taken, step + taken, minibatches, levels, layout, room, seen):
        now = step + taken
        key, documents = _key(now, minibatches), _documents(now, minibatches, room)
        shard = program.next_item(worker, SHARDS)
        while shard < grouping.entries.counts.size:
            contrast_with_windows(shard, key, documents, arrays, inputs)
            shard = program.next_item(worker, SHARDS)
        _finish(worker, number, taken, now, rules, model, contrasted, grouping, moving, seen)
        taken += 1
    program.leave(worker, 3 * taken + 2)


@kernel
def take_steps_independently(
    worker: Any,
    step: int,
    minibatches: Any,
    levels: Any,
    rules: Any,
    arrays: Any,
    room: Any,
    moving: Any,
    seen: Any,
) -> None:
    """The same with independent noise: a program of its own, so that nobody waits for the one to be
    compiled who only uses the other.
    """
    number, taken = program.join(worker), 0
    if number < 0:
        return
    model, inputs, grouping = arrays.model, arrays.noise.inputs[number], arrays.grouping
    contrasted = (arrays.pressure, arrays.result, arrays.sums)
    layout = (arrays.kept, arrays.stream, grouping.entries.starts)
    while _begin(worker, number, taken, step + taken, minibatches, levels, layout, room, seen):
        now = step + taken
        key, documents = _key(now, minibatches), _documents(now, minibatches, room)
        shard = program.next_item(worker, SHARDS)
        while shard < grouping.entries.counts.size:
            contrast_with_independent_noise(shard, key, documents, arrays, inputs)
            shard = program.next_item(worker, SHARDS)
        _finish(worker, number, taken, now, rules, model, contrasted, grouping, moving, seen)
        taken += 1
    program.leave(worker, 3 * taken + 2)
