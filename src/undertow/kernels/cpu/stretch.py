"""Many steps of alpha-NCE with Adam per row in one call, by one thread that needs nobody.

Each step is made of the same pieces as one by one (`shards`, `update`), so it gives the same bits.
What is saved is coming back to Python between them, whose lock threads would share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.kernels.cpu import partial_noise
from undertow.kernels.cpu.compile import kernel
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
    """Some minibatches of B documents each, put together."""

    documents: MinibatchCounts  # ids (S B,); starts (S (B + 1),), from 0 in each minibatch
    entries: NDArray[np.int64]  # (S + 1,): where the words of each minibatch begin
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
    units, parts = arrays.model.hidden_bias.size, arrays.slots.shape[0]
    sums, model = arrays.sums, arrays.model
    least = capacity.stream_length
    while step < rules.rates.size:
        begin, end = minibatches.entries[step], minibatches.entries[step + 1]
        joined = minibatches.documents
        documents = MinibatchCounts(
            joined.ids[step * size : (step + 1) * size],
            joined.starts[step * (size + 1) : (step + 1) * (size + 1)],
            joined.words[begin:end],
            joined.counts[begin:end],
        )
        key = Key(arrays.key.seed, minibatches.places[step, 0], minibatches.places[step, 1])
        if levels.drawn:
            partial_noise.draw_levels(
                key.seed,
                key.epoch,
                documents.ids,
                levels.lowest,
                levels.highest,
                arrays.kept.levels,
            )
        else:
            arrays.kept.levels[:] = levels.lowest
        starts = arrays.entries.starts
        largest = lay_out(documents, arrays.kept, arrays.stream, starts, least, n_noise)
        shards = arrays.entries.counts.size
        if (
            largest > capacity.largest
            or arrays.stream.row_starts[shards] > capacity.rows
            or starts[shards] > capacity.entries
            or end - begin > capacity.words
        ):
            return step
        one = StepArrays(
            key,
            documents,
            arrays.kept,
            model,
            arrays.stream,
            arrays.split,
            arrays.noise,
            arrays.objective,
            arrays.pressure,
            arrays.result,
            sums,
            arrays.entries,
            arrays.slots,
            arrays.found,
            arrays.grouped,
        )
        for shard in range(shards):
            if arrays.stream.noise_starts.size:
                contrast_with_independent_noise(shard, one, arrays.noise.inputs[0])
            else:
                contrast_with_windows(shard, one, arrays.noise.inputs[0])
        for part in range(parts):
            group_part(arrays.entries, part, arrays.slots, arrays.found, arrays.grouped)
        for first in range(0, units, UNITS):
            sum_over_shards(first, min(first + UNITS, units), arrays.pressure, arrays.result, sums)
        loss = 0.0
        for block in range(sums.losses.size):
            loss += sums.losses[block]
        seen.loss[0] += size * loss
        if not (np.isfinite(loss) and np.isfinite(sums.hidden_bias).all()):
            seen.loss[0] = np.nan
            return step
        for j in range(units):
            seen.activity[j] += size * np.float64(sums.activity[j])
        for part in range(parts):
            n = arrays.grouped.sizes[part]
            adam_per_row(
                part,
                0,
                n,
                arrays.grouped,
                model.weights,
                moving.row_moments,
                rules.rates[step],
                rules.decay,
                rules.l2,
            )
            for row in range(n):
                moving.moved[arrays.grouped.rows[part, row]] = 1
        adam_dense(
            model.hidden_bias,
            sums.hidden_bias,
            moving.bias_moments,
            rules.bias_rates[step],
            rules.decay,
            rules.masses[step],
        )
        step += 1
    return step
