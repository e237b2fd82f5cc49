"""alpha-NCE: Partial Noise Sampling with the Uniform Contrastive Estimate (section 3 of the paper).

A step reads as the algorithm: split every document into tokens kept and tokens replaced, draw the
noise that replaces them, contrast each document with its noises, and follow the gradient back to
the words.

Plain NCE is `AlphaNCE(noise_level=0, uniform=False)`; a learned log Z is `normaliser="learned"`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.kernels.cpu import partial_noise, threads
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.contrast import Objective
from undertow.kernels.cpu.shards import Documents, Key, Model, Step, contrast_together, lay_out
from undertow.learn.gradient import Extra, Gradient, new_slots
from undertow.learn.options import Options
from undertow.learn.room import Layout, Room, Sizes, new_layout
from undertow.learn.step import StepContext
from undertow.learn.visible import FrozenVisible, LearnedVisible

SHARPNESS = 10.0  # where nothing is known of the documents
SIZES_KEPT = 2  # sizes of minibatches: the usual one, and that of the last of an epoch


@dataclass(frozen=True)
class AlphaNCE(Options):
    """Options of alpha-NCE.

    `noise_level` is the share of a document that its noise keeps: a number; two numbers, between
    which each document draws its own in every epoch; or "auto", for estimators alone, which choose
    it by trials without labels. `sharpness` multiplies the log-ratio: 1 is the paper, L would be
    plain NCE; "auto" is 10, and less where an estimator finds that documents are short.
    `stream_length` is the least number of noise words that 32 documents share.
    """

    n_noise: int = 25
    noise_level: float | tuple[float, float] | Literal["auto"] = 0.5
    uniform: bool = True
    sharpness: float | Literal["auto"] = "auto"
    noise: Literal["windows", "independent"] = "windows"
    stream_length: int = 1024
    visible_bias: Literal["frozen", "learned"] = "frozen"
    normaliser: Literal["frozen", "learned"] = "frozen"

    def __post_init__(self) -> None:
        _check.whole_number("n_noise", self.n_noise, at_least=1)
        object.__setattr__(self, "noise_level", _checked_level(self.noise_level))
        if isinstance(self.sharpness, str):
            _check.one_of("sharpness", self.sharpness, ("auto",))
        else:
            _check.number("sharpness", self.sharpness, above=0.0)
        _check.one_of("noise", self.noise, ("windows", "independent"))
        _check.whole_number("stream_length", self.stream_length, at_least=1)
        _check.one_of("visible_bias", self.visible_bias, ("frozen", "learned"))
        _check.one_of("normaliser", self.normaliser, ("frozen", "learned"))

    def begin(self, context: StepContext) -> AlphaNCEStep:
        """The step of a run, with its tables and buffers."""
        if self.noise_level == "auto":
            raise InvalidInput(
                "noise_level must be chosen before a run begins, got 'auto', which estimators "
                "choose"
            )
        return AlphaNCEStep(self, context)


def _checked_level(level: object) -> Any:
    if isinstance(level, (list, tuple)):  # a list is what a tuple becomes in a model's JSON
        if len(level) != 2:
            raise InvalidInput(
                f"noise_level must be one number, two numbers or 'auto', got {len(level)} numbers"
            )
        lowest, highest = (
            _check.number("noise_level", one, at_least=0.0, below=1.0) for one in level
        )
        if lowest > highest:
            raise InvalidInput(f"noise_level must give the lower number first, got {level!r}")
        return lowest, highest
    if isinstance(level, str):
        return _check.one_of("noise_level", level, ("auto",))
    return _check.number("noise_level", level, at_least=0.0, below=1.0)


class AlphaNCEStep:
    """Turns minibatches into gradients. State that has to survive a resume: the learned corrections
    of log Z.
    """

    def __init__(self, options: AlphaNCE, context: StepContext) -> None:
        self._options = options
        self._context = context
        self._slots = new_slots(context.parameters.words, context.threads)
        self._table = build_alias_table(context.noise_distribution)
        visible = LearnedVisible if options.visible_bias == "learned" else FrozenVisible
        self._visible = visible(context.parameters, context.noise_distribution)
        sharpness = SHARPNESS if options.sharpness == "auto" else options.sharpness
        self._objective = (math.log(options.n_noise), sharpness, options.uniform)
        self._program = threads.Program(contrast_together, context.threads)
        self._layouts: dict[
            int, Layout
        ] = {}  # by the number of documents: the last minibatch of an epoch has fewer
        self._rooms: dict[int, Room] = {}
        self.corrections = np.zeros(
            context.longest + 1
        )  # c_D: log Z of D tokens less the frozen one; c_0 = 0

    @property
    def state(self) -> dict[str, NDArray[np.float64]]:
        """Arrays that a checkpoint holds; they are restored in place."""
        return {"corrections": self.corrections}

    def gradient(self, batch: CountBatch, *, epoch: int, number: int) -> Gradient:
        """The gradient of J on one minibatch, number `number` of its epoch."""
        parameters = self._context.parameters
        documents = Documents(batch.document_ids, batch.starts, batch.words, batch.counts)
        room = self._prepare(documents, epoch)
        step = Step(
            Key(self._context.seed, epoch, number),
            documents,
            room.kept,
            Model(
                parameters.weights,
                parameters.word_weights,
                parameters.hidden_bias,
                self._visible.gains(),
            ),
            room.stream,
            room.split,
            room.noise,
            Objective(*self._objective, 1.0 / batch.size),
            self._context.sparsity.pressure,
            room.result,
            room.sums,
            *room.grouping,
        )
        self._program(step)
        dense = self._visible.gradient(room)
        return Gradient(
            rows=room.grouping.rows,
            hidden_bias=room.sums.hidden_bias,
            visible_bias=dense,
            learns_visible_bias=dense is not None,
            loss=float(room.sums.losses.sum()),
            activity=room.sums.activity,
            extras=self._correction_gradient(room),
        )

    def _prepare(self, documents: Documents, epoch: int) -> Room:
        """Lays the minibatch out, and finds it room."""
        options, size = self._options, len(documents.ids)
        layout = self._layout(size)
        if isinstance(options.noise_level, tuple):
            levels = (*options.noise_level, layout.kept.levels)
            partial_noise.draw_levels(self._context.seed, epoch, documents.ids, *levels)
        largest = lay_out(documents, *layout, options.stream_length, options.n_noise)
        rows, entries = int(layout.stream.row_starts[-1]), int(layout.entry_starts[-1])
        sizes = Sizes(size, len(documents.words), rows, largest, entries)
        room = self._rooms.get(size)
        if room is None or not sizes.within(room.sizes):
            self._rooms[size] = room = Room(
                sizes.with_some_to_spare(),
                layout,
                slots=self._slots,
                units=self._context.parameters.units,
                n_noise=options.n_noise,
                n_threads=self._context.threads,
            )
        if options.normaliser == "learned":
            np.subtract(
                self.corrections[layout.kept.tokens],
                self.corrections[layout.kept.to_keep],
                out=room.split.corrections,
            )
        return room

    def _layout(self, size: int) -> Layout:
        """For so many documents; those of the last few sizes are kept."""
        if size not in self._layouts:
            if len(self._layouts) == SIZES_KEPT:
                oldest = next(iter(self._layouts))
                del self._layouts[oldest]
                self._rooms.pop(oldest, None)
            layout = new_layout(
                size,
                self._options.n_noise,
                self._table,
                independent=self._options.noise == "independent",
            )
            if not isinstance(self._options.noise_level, tuple):
                layout.kept.levels[:] = self._options.noise_level
            self._layouts[size] = layout
        return self._layouts[size]

    def _correction_gradient(self, room: Room) -> tuple[Extra, ...]:
        """-dJ/d(log-ratio) for c_D and its opposite for c_{D_r}; c_0 stays 0, since no words need
        no normaliser.
        """
        if self._options.normaliser == "frozen":
            return ()
        factors = room.result.data_factors + room.result.noise_factors.sum(axis=1)
        gradient = np.zeros_like(self.corrections)
        np.subtract.at(gradient, room.kept.tokens, factors)
        np.add.at(gradient, room.kept.to_keep, factors)
        gradient[0] = 0.0
        return (Extra("corrections", self.corrections, gradient),)
