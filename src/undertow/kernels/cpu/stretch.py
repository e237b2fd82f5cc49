"""Many steps of alpha-NCE with Adam per row in one call, by one thread that needs nobody.

Each step is made of the same pieces as one by one (`shards`, `update`), so it gives the same bits.
What is saved is coming back to Python between them, whose lock threads would share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import partial_noise
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
from undertow.kernels.cpu.update import adam_dense, adam_per_row


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
    decay: float
    l2: float


class Moving(NamedTuple):
    """What the steps change, beside the weights and the bias of the model."""

    row_moments: NDArray[np.float32]  # (K, 2)
    bias_moments: NDArray[np.float64]  # (H,)
    moved: NDArray[np.uint8]  # (K,): 1 where a row was moved


class Seen(NamedTuple):
    """Sums over the documents of all minibatches."""

    loss: NDArray[np.float64]  # (1,)
    activity: NDArray[np.float64]  # (H,)


@section
def _take_out(first: int, minibatches: Any, starts: Any, words: Any, counts: Any) -> int:
    """Copies the documents from number `first` on, as many as `starts` is for, as far as there is
    room; returns how many words they have.
    """
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
def _contrast(arrays: Any, units: int) -> None:
    """The gradient of a minibatch, grouped by word, and sums over its documents."""
    for shard in range(arrays.entries.counts.size):
        if arrays.stream.noise_starts.size:
            contrast_with_independent_noise(shard, arrays, arrays.noise.inputs[0])
        else:
            contrast_with_windows(shard, arrays, arrays.noise.inputs[0])
    for part in range(arrays.slots.shape[0]):
        group_part(arrays.entries, part, arrays.slots, arrays.found, arrays.grouped)
    for first in range(0, units, UNITS):
        last = min(first + UNITS, units)
        sum_over_shards(first, last, arrays.pressure, arrays.result, arrays.sums)


@section
def _count_in(sums: Any, size: int, seen: Any) -> bool:
    """Adds what a minibatch of this size saw; False where it is not finite."""
    loss = 0.0
    for block in range(sums.losses.size):
        loss += sums.losses[block]
    seen.loss[0] += size * loss
    finite = np.isfinite(loss) and np.isfinite(sums.hidden_bias).all()
    if finite:
        for j in range(sums.activity.size):
            seen.activity[j] += size * np.float64(sums.activity[j])
    else:
        seen.loss[0] = np.nan
    return bool(finite)


@section
def _move(step: int, rules: Any, arrays: Any, moving: Any) -> None:
    """Adam over the rows that the gradient touches, and over the hidden bias."""
    model, grouped = arrays.model, arrays.grouped
    rate, decay = rules.rates[step], rules.decay
    for part in range(arrays.slots.shape[0]):
        n = grouped.sizes[part]
        adam_per_row(part, 0, n, grouped, model.weights, moving.row_moments, rate, decay, rules.l2)
        for row in range(n):
            moving.moved[grouped.rows[part, row]] = 1
    bias, moments = arrays.sums.hidden_bias, moving.bias_moments
    adam_dense(model.hidden_bias, bias, moments, rules.bias_rates[step], decay, rules.masses[step])


@kernel
def take_steps(
    step: int,
    minibatches: Any,
    levels: Any,
    rules: Any,
    arrays: Any,
    capacity: Any,
    moving: Any,
    seen: Any,
) -> int:
    """Takes steps from number `step` on; returns the number of the first that was not taken: all
    are, or the arrays are too small for it, or its loss is not finite, which `seen.loss` then
    shows.

    `arrays` is the `StepArrays` of any minibatch of as many documents. `capacity`: the rows that
    the arrays have for noise, those of the largest shard, and the entries.
    """
    size, n_noise = arrays.noise.begins.shape
    units, shards = arrays.model.hidden_bias.size, arrays.entries.counts.size
    stream, starts = arrays.stream, arrays.entries.starts
    offsets = np.empty(size + 1, dtype=np.int64)
    words = np.empty(capacity.words, dtype=np.int32)
    counts = np.empty(capacity.words, dtype=np.int32)
    while step < rules.rates.size:
        first = minibatches.firsts[step]
        found = _take_out(first, minibatches, offsets, words, counts)
        if found > capacity.words:
            return step
        ids = minibatches.ids[first : first + size]
        documents = MinibatchCounts(ids, offsets, words[:found], counts[:found])
        key = Key(arrays.key.seed, minibatches.places[step, 0], minibatches.places[step, 1])
        _fill_levels(levels, key, documents.ids, arrays.kept.levels)
        least = capacity.stream_length
        largest = lay_out(documents, arrays.kept, stream, starts, least, n_noise)
        if (
            largest > capacity.largest
            or stream.row_starts[shards] > capacity.rows
            or starts[shards] > capacity.entries
        ):
            return step
        one = StepArrays(
            key,
            documents,
            arrays.kept,
            arrays.model,
            stream,
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
        _contrast(one, units)
        if not _count_in(arrays.sums, size, seen):
            return step
        _move(step, rules, arrays, moving)
        step += 1
    return step
