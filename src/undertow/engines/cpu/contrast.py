"""alpha-NCE on the CPU: keeping words, drawing noise and contrasting are one compiled program.

What the verbs before `contrast` return says only what is to be drawn, and where it will lie: draws
are made in the program, by whichever worker has the documents. See `kernels.cpu.shards`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.cpu.gradient import CpuGradient, Slots, workers_for
from undertow.engines.cpu.minibatch import Layout, MinibatchArrays, Sizes, new_layout
from undertow.engines.cpu.visible_bias import FrozenVisible, LearnedVisible
from undertow.engines.protocol import Noise, Objective, Place, Pressure, Start
from undertow.kernels.cpu import contrast as kernels
from undertow.kernels.cpu import partial_noise
from undertow.kernels.cpu.alias import AliasTable, build_alias_table
from undertow.kernels.cpu.choosing import ChosenProgram
from undertow.kernels.cpu.shards import (
    Key,
    MinibatchCounts,
    Model,
    StepArrays,
    contrast_independently_together,
    contrast_together,
    lay_out,
)
from undertow.model.parameters import Parameters

SIZES_KEPT = 2  # sizes of minibatches: the usual one, and that of the last of an epoch


@dataclass(frozen=True)
class Kept:
    """Which share of its tokens each document keeps."""

    batch: CountBatch
    place: Place
    level: float | tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """A minibatch laid out, with the arrays that it takes."""

    documents: MinibatchCounts
    place: Place
    noise: Noise
    arrays: MinibatchArrays


class Contrast:
    """The steps of a session, and the arrays that they share."""

    def __init__(self, parameters: Parameters, start: Start, slots: Slots, threads: int) -> None:
        self._parameters, self._start = parameters, start
        self._slots, self._threads = slots, threads
        self.seed = start.seed
        self._programs = {
            False: ChosenProgram(contrast_together),
            True: ChosenProgram(contrast_independently_together),
        }
        # by the number of documents (the last minibatch of an epoch has fewer) and the noise
        self._layouts: dict[tuple[int, Noise], Layout] = {}
        self._arrays: dict[tuple[int, Noise], MinibatchArrays] = {}
        self._visible: dict[bool, FrozenVisible | LearnedVisible] = {}

    @cached_property
    def _table(self) -> AliasTable:
        return build_alias_table(self._start.noise_distribution)

    def keep_words(
        self, batch: CountBatch, place: Place, level: float | tuple[float, float]
    ) -> Kept:
        """Says what to draw; the program draws it."""
        return Kept(batch, place, level)

    def draw_noise(self, kept: Kept, noise: Noise) -> Drawn:
        """Lays the minibatch out, and finds the arrays for it; the program draws the words."""
        batch = kept.batch
        documents = MinibatchCounts(batch.document_ids, batch.starts, batch.words, batch.counts)
        form = (batch.size, noise)
        layout = self._layout(form)
        if isinstance(kept.level, tuple):
            partial_noise.draw_levels(
                self.seed, kept.place.epoch, documents.ids, *kept.level, layout.kept.levels
            )
        else:
            layout.kept.levels[:] = kept.level
        largest = lay_out(documents, *layout, noise.stream_length, noise.documents)
        rows, entries = int(layout.stream.row_starts[-1]), int(layout.entry_starts[-1])
        sizes = Sizes(batch.size, len(documents.words), rows, largest, entries)
        arrays = self._arrays.get(form)
        if arrays is None or not sizes.within(arrays.sizes):
            self._arrays[form] = arrays = MinibatchArrays(
                sizes.with_some_to_spare(),
                layout,
                slots=self._slots.of(workers_for(batch.size, self._threads)),
                units=self._parameters.units,
                n_noise=noise.documents,
                n_threads=workers_for(batch.size, self._threads),
            )
        return Drawn(documents, kept.place, noise, arrays)

    def contrast(
        self,
        drawn: Drawn,
        objective: Objective,
        pressure: Pressure,
        corrections: NDArray[np.float64] | None,
    ) -> CpuGradient:
        """Draws, contrasts, and leads the gradient back to the words."""
        parameters, arrays = self._parameters, drawn.arrays
        step = self.step_arrays(drawn, objective, pressure, corrections)
        program = self._programs[drawn.noise.independent]
        key = Key(self.seed, *drawn.place)
        workers = workers_for(len(drawn.documents.ids), self._threads)
        program(workers, key, drawn.documents, step)
        visible = self._visible_bias(objective.learns_visible_bias)
        dense = visible.gradient(arrays)
        return CpuGradient(
            factored=arrays.grouping.rows,
            hidden_bias=arrays.sums.hidden_bias,
            visible_bias=dense,
            learns_visible_bias=dense is not None,
            words=parameters.words,
            loss=float(arrays.sums.losses.sum()),
            activity=arrays.sums.activity,
            others={}
            if corrections is None
            else {str(objective.corrections): _of_corrections(corrections, arrays)},
        )

    def step_arrays(
        self,
        drawn: Drawn,
        objective: Objective,
        pressure: Pressure,
        corrections: NDArray[np.float64] | None = None,
    ) -> StepArrays:
        """All that a step is computed from but its documents, as kernels take it."""
        parameters, arrays = self._parameters, drawn.arrays
        gains = self._visible_bias(objective.learns_visible_bias).gains()
        arrays.begin(gains, corrections)
        model = (parameters.weights, parameters.word_weights, parameters.hidden_bias, gains)
        size = len(drawn.documents.ids)
        return StepArrays(
            arrays.kept,
            Model(*model),
            arrays.stream,
            arrays.split,
            arrays.noise,
            kernels.Objective(
                math.log(drawn.noise.documents),
                objective.sharpness,
                objective.uniform,
                1.0 / size,
            ),
            kernels.Pressure(pressure.target, pressure.cost),
            arrays.result,
            arrays.sums,
            arrays.grouping,
        )

    def _layout(self, form: tuple[int, Noise]) -> Layout:
        """For so many documents; those of the last few sizes are kept."""
        if form not in self._layouts:
            if len(self._layouts) == SIZES_KEPT:
                oldest = next(iter(self._layouts))
                del self._layouts[oldest]
                self._arrays.pop(oldest, None)
            size, noise = form
            self._layouts[form] = new_layout(
                size, noise.documents, self._table, independent=noise.independent
            )
        return self._layouts[form]

    def _visible_bias(self, learned: bool) -> FrozenVisible | LearnedVisible:
        if learned not in self._visible:
            kind = LearnedVisible if learned else FrozenVisible
            self._visible[learned] = kind(self._parameters, self._start.noise_distribution)
        return self._visible[learned]


def _of_corrections(
    corrections: NDArray[np.float64], arrays: MinibatchArrays
) -> NDArray[np.float64]:
    """-dJ/d(log-ratio) for c_D and its opposite for c_{D_r}; c_0 stays 0, since no words need no
    normaliser.
    """
    factors = arrays.result.data_factors + arrays.result.noise_factors.sum(axis=1)
    gradient = np.zeros_like(corrections)
    np.subtract.at(gradient, arrays.kept.tokens, factors)
    np.add.at(gradient, arrays.kept.to_keep, factors)
    gradient[0] = 0.0
    return gradient
