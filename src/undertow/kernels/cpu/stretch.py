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
from undertow.kernels.cpu.rows import group_part
from undertow.kernels.cpu.shards import (
    UNITS,
    Key,
    MinibatchCounts,
    StepArrays,
    contrast_with_independent_noise,
    contrast_with_windows,
    lay_out,
    sum_over_shards,
)
from undertow.kernels.cpu.update import BLOCK, adam_dense, adam_per_row, average_dense, average_rows

SHARDS, GROUPS, PARTS = 0, 1, 2  # what workers share out


class Minibatches(NamedTuple):
    """Some minibatches of B documents each, as rows of a compressed sparse matrix."""

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
    steps: NDArray[np.int64]  # (S,): their numbers, for averages
    shares: NDArray[np.float32]  # (S,): of a step in the average of what every step moves
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


class Moving(NamedTuple):
    """What the steps change, beside the weights and the bias of the model."""

    row_moments: NDArray[np.float32]  # (K, 2)
    bias_moments: NDArray[np.float64]  # (H,)
    moved: NDArray[np.uint8]  # (K,): 1 where a row was moved


class Averages(NamedTuple):
    """Running averages, all empty where there are none."""

    weights: NDArray[np.float32]  # (K, H)
    until: NDArray[np.int64]  # (K,)
    hidden_bias: NDArray[np.float32]  # (H,)
    decay: float


class Seen(NamedTuple):
    """What steps saw, and how far they came."""

    losses: NDArray[np.float64]  # (S, 1 + blocks of units): as in `Sums`
    activity: NDArray[np.float32]  # (S, H)
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
def _key(step: int, minibatches: Any, arrays: Any) -> Any:
    return Key(arrays.key.seed, minibatches.places[step, 0], minibatches.places[step, 1])


@section
def _lay_out(step: int, minibatches: Any, levels: Any, arrays: Any, room: Any) -> bool:
    """Takes a minibatch out and lays it out; False where the arrays are too small for it. Nobody
    who still moves rows reads what is written here.
    """
    fits = _take_out(minibatches.firsts[step], minibatches, room) <= room.words.size
    if fits:
        documents, key = _documents(step, minibatches, room), _key(step, minibatches, arrays)
        _fill_levels(levels, key, documents.ids, arrays.kept.levels)
        n_noise, starts, stream = arrays.noise.begins.shape[1], arrays.entries.starts, arrays.stream
        largest = lay_out(documents, arrays.kept, stream, starts, room.stream_length, n_noise)
        shards = arrays.entries.counts.size
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
    arrays: Any,
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
                fits = _lay_out(step, minibatches, levels, arrays, room)
            seen.last[0], seen.last[1] = step, TAKEN if fits else LEFT
        program.start_again(worker, SHARDS)
        program.start_again(worker, GROUPS)
    program.barrier(worker, 3 * taken + 1)
    if number == 0:
        program.start_again(worker, PARTS)
    return bool(seen.last[1] == TAKEN)


@section
def _of_step(step: int, minibatches: Any, arrays: Any, room: Any) -> Any:
    """The arrays of one step, once its minibatch is laid out."""
    return StepArrays(
        _key(step, minibatches, arrays),
        _documents(step, minibatches, room),
        arrays.kept,
        arrays.model,
        arrays.stream,
        arrays.split,
        arrays.noise,
        arrays.objective,
        arrays.pressure,
        arrays.result,
        arrays.sums,
        arrays.entries,
        arrays.slots,
        arrays.found,
        arrays.grouped,
    )


@section
def _group_and_sum(worker: Any, arrays: Any) -> None:
    """What follows the shards, word by word and unit by unit."""
    units, parts = arrays.model.hidden_bias.size, arrays.slots.shape[0]
    blocks = (units + UNITS - 1) // UNITS
    item = program.next_item(worker, GROUPS)
    while item < parts + blocks:
        if item < parts:
            group_part(arrays.entries, item, arrays.slots, arrays.found, arrays.grouped)
        else:
            first = (item - parts) * UNITS
            last = min(first + UNITS, units)
            sum_over_shards(first, last, arrays.pressure, arrays.result, arrays.sums)
        item = program.next_item(worker, GROUPS)


@section
def _is_finite(sums: Any) -> bool:
    """False where training has diverged."""
    loss = 0.0
    for block in range(sums.losses.size):
        loss += sums.losses[block]
    return bool(np.isfinite(loss) and np.isfinite(sums.hidden_bias).all())


@section
def _move_rows(worker: Any, step: int, rules: Any, arrays: Any, moving: Any, averages: Any) -> None:
    """Adam over the rows that the gradient touches, whose averages are brought up to date before;
    both by blocks, so that a row that has to come from main memory comes once.
    """
    model, grouped = arrays.model, arrays.grouped
    rate, decay, before = rules.rates[step], rules.decay, rules.steps[step] - 1
    part = program.next_item(worker, PARTS)
    while part < arrays.slots.shape[0]:
        n = grouped.sizes[part]
        rows = grouped.rows[part, :n]
        for first in range(0, n, BLOCK):
            last = min(first + BLOCK, n)
            if averages.decay > 0.0:
                means, until = averages.weights, averages.until
                average_rows(rows, first, last, model.weights, means, until, before, averages.decay)
            moments = moving.row_moments
            adam_per_row(part, first, last, grouped, model.weights, moments, rate, decay, rules.l2)
        for row in range(n):
            moving.moved[rows[row]] = 1
        part = program.next_item(worker, PARTS)


@section
def _move_bias(step: int, rules: Any, arrays: Any, moving: Any, averages: Any) -> None:
    """Adam over the hidden bias, and its average."""
    values, slopes, moments = arrays.model.hidden_bias, arrays.sums.hidden_bias, moving.bias_moments
    adam_dense(values, slopes, moments, rules.bias_rates[step], rules.decay, rules.masses[step])
    if averages.decay > 0.0:
        average_dense(values, averages.hidden_bias, rules.shares[step])


@section
def _finish(
    worker: Any,
    number: int,
    taken: int,
    step: int,
    rules: Any,
    arrays: Any,
    moving: Any,
    averages: Any,
    seen: Any,
) -> None:
    """What follows once a worker finds no more shards: sums, and the step itself, which is left out
    where training has diverged.
    """
    program.barrier(worker, 3 * taken + 2)
    _group_and_sum(worker, arrays)
    program.barrier(worker, 3 * taken + 3)
    finite = _is_finite(arrays.sums)
    if number == 0:
        for block in range(arrays.sums.losses.size):
            seen.losses[step, block] = arrays.sums.losses[block]
        for j in range(arrays.sums.activity.size):
            seen.activity[step, j] = arrays.sums.activity[j]
        if finite:
            _move_bias(step, rules, arrays, moving, averages)
        else:
            seen.last[1] = DIVERGED
    if finite:
        _move_rows(worker, step, rules, arrays, moving, averages)


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
    averages: Any,
    seen: Any,
) -> None:
    """Takes steps from number `step` on, with noise cut from streams: a program. It ends with the
    last one, or where the arrays are too small for one, or a loss is not finite: `Seen` tells.

    `arrays` is the `StepArrays` of any minibatch of as many documents.
    """
    number, taken = program.join(worker), 0
    if number < 0:
        return
    while _begin(worker, number, taken, step + taken, minibatches, levels, arrays, room, seen):
        one = _of_step(step + taken, minibatches, arrays, room)
        shard = program.next_item(worker, SHARDS)
        while shard < arrays.entries.counts.size:
            contrast_with_windows(shard, one, arrays.noise.inputs[number])
            shard = program.next_item(worker, SHARDS)
        _finish(worker, number, taken, step + taken, rules, arrays, moving, averages, seen)
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
    averages: Any,
    seen: Any,
) -> None:
    """The same with independent noise: a program of its own, so that nobody waits for the one to be
    compiled who only uses the other.
    """
    number, taken = program.join(worker), 0
    if number < 0:
        return
    while _begin(worker, number, taken, step + taken, minibatches, levels, arrays, room, seen):
        one = _of_step(step + taken, minibatches, arrays, room)
        shard = program.next_item(worker, SHARDS)
        while shard < arrays.entries.counts.size:
            contrast_with_independent_noise(shard, one, arrays.noise.inputs[number])
            shard = program.next_item(worker, SHARDS)
        _finish(worker, number, taken, step + taken, rules, arrays, moving, averages, seen)
        taken += 1
    program.leave(worker, 3 * taken + 2)
