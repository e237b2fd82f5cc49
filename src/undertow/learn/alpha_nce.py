"""alpha-NCE: Partial Noise Sampling with the Uniform Contrastive Estimate (section 3 of the paper).

A step reads as the algorithm: split every document into tokens kept and tokens replaced, draw the noise that replaces
them, contrast each document with its noises, and follow the gradient back to the words.

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
from undertow.kernels.cpu.contrast import ContrastResult, Objective, SplitDocuments, contrast
from undertow.kernels.cpu.rows import RowGradient, split_entries
from undertow.learn.gradient import EntryBuffer, Extra, Gradient
from undertow.learn.noise import IndependentNoise, Noise, WindowNoise
from undertow.learn.options import Options
from undertow.learn.sparsity import Sparsity, press_towards_target
from undertow.learn.step import StepContext
from undertow.learn.visible import FrozenVisible, LearnedVisible
from undertow.learn.workspace import Workspace


@dataclass(frozen=True)
class AlphaNCE(Options):
    """Options of alpha-NCE.

    `noise_level` is the share of a document that its noise keeps: a number; two numbers, between which each document
    draws its own in every epoch; or "auto", for estimators alone, which choose it by trials without labels.
    `sharpness` multiplies the log-ratio: 1 is the paper, L would be plain NCE.
    """

    n_noise: int = 25
    noise_level: float | tuple[float, float] | Literal["auto"] = 0.5
    uniform: bool = True
    sharpness: float = 10.0
    noise: Literal["windows", "independent"] = "windows"
    stream_length: int = 4096
    visible_bias: Literal["frozen", "learned"] = "frozen"
    normaliser: Literal["frozen", "learned"] = "frozen"

    def __post_init__(self) -> None:
        _check.whole_number("n_noise", self.n_noise, at_least=1)
        object.__setattr__(self, "noise_level", _checked_level(self.noise_level))
        _check.number("sharpness", self.sharpness, above=0.0)
        _check.one_of("noise", self.noise, ("windows", "independent"))
        _check.whole_number("stream_length", self.stream_length, at_least=1)
        _check.one_of("visible_bias", self.visible_bias, ("frozen", "learned"))
        _check.one_of("normaliser", self.normaliser, ("frozen", "learned"))

    def begin(self, context: StepContext) -> AlphaNCEStep:
        """The step of a run, with its tables and buffers."""
        if self.noise_level == "auto":
            raise InvalidInput("noise_level must be chosen before a run begins, got 'auto', which estimators choose")
        return AlphaNCEStep(self, context)


def _checked_level(level: object) -> Any:
    if isinstance(level, (list, tuple)):  # a list is what a tuple becomes in a model's JSON
        if len(level) != 2:
            raise InvalidInput(f"noise_level must be one number, two numbers or 'auto', got {len(level)} numbers")
        lowest, highest = (_check.number("noise_level", one, at_least=0.0, below=1.0) for one in level)
        if lowest > highest:
            raise InvalidInput(f"noise_level must give the lower number first, got {level!r}")
        return lowest, highest
    if isinstance(level, str):
        return _check.one_of("noise_level", level, ("auto",))
    return _check.number("noise_level", level, at_least=0.0, below=1.0)


class AlphaNCEStep:
    """Turns minibatches into gradients. State that has to survive a resume: the learned corrections of log Z."""

    def __init__(self, options: AlphaNCE, context: StepContext) -> None:
        self._options = options
        self._context = context
        self._workspace = Workspace()
        self._buffer = EntryBuffer(context.parameters.words, self._workspace)
        self._table = build_alias_table(context.noise_distribution)
        visible = LearnedVisible if options.visible_bias == "learned" else FrozenVisible
        self._visible = visible(context.parameters, context.noise_distribution)
        self.corrections = np.zeros(context.longest + 1)  # c_D: log Z of D tokens less the frozen one; c_0 = 0

    @property
    def state(self) -> dict[str, NDArray[np.float64]]:
        """Arrays that a checkpoint holds; they are restored in place."""
        return {"corrections": self.corrections}

    def gradient(self, batch: CountBatch, *, epoch: int, number: int) -> Gradient:
        """The gradient of J on one minibatch, number `number` of its epoch."""
        options, context = self._options, self._context
        tokens = np.add.reduceat(batch.counts, batch.starts[:-1]).astype(np.int64)
        to_keep = partial_noise.kept_tokens(tokens, self._levels(batch, epoch))
        kept = self._workspace.array("kept", len(batch.words), np.int32)
        kind = WindowNoise if options.noise == "windows" else IndependentNoise
        noise = kind(options.n_noise, options.stream_length, self._table, context, self._workspace)

        draws = [*noise.draw(batch, tokens - to_keep, epoch=epoch, number=number)]
        keep = (context.seed, epoch, batch.document_ids, batch.starts, batch.counts, tokens, to_keep, kept)
        draws += threads.split(partial_noise.keep_tokens, batch.size, context.threads, *keep)
        threads.run(draws, context.threads)

        gains = self._visible.gains()
        split = self._split(batch, kept, tokens, to_keep, gains)
        noise_tasks = noise.sum_inputs(gains)
        threads.run([*self._input_tasks(batch, kept, split), *noise_tasks], context.threads)

        vectors = self._workspace.array(
            "vectors", (2 * batch.size + noise.vectors, context.parameters.units), np.float32
        )
        result = self._result(batch.size, vectors, noise)
        rows = self._contrast(batch, kept, split, noise, vectors, result)
        threads.run(noise.vectors_of_words(result.noise_vectors, vectors[2 * batch.size :]), context.threads)
        return self._gather(batch, tokens, to_keep, split, noise, result, rows)

    def _levels(self, batch: CountBatch, epoch: int) -> float | NDArray[np.float64]:
        """The noise level of all documents, or that of each."""
        level = self._options.noise_level
        if not isinstance(level, tuple):
            return float(level)
        levels = self._workspace.array("levels", batch.size, np.float64)
        partial_noise.draw_levels(self._context.seed, epoch, batch.document_ids, *level, levels)
        return levels

    def _split(
        self,
        batch: CountBatch,
        kept: NDArray[np.int32],
        tokens: NDArray[np.int64],
        to_keep: NDArray[np.int64],
        gains: NDArray[np.float64] | None,
    ) -> SplitDocuments:
        array, shape = self._workspace.array, (batch.size, self._context.parameters.units)
        if gains is None:
            rest_gains = np.zeros(batch.size)
        else:
            rest_gains = np.add.reduceat(gains[batch.words] * (batch.counts - kept), batch.starts[:-1])
        return SplitDocuments(
            kept_inputs=array("kept inputs", shape, np.float32),
            rest_inputs=array("rest inputs", shape, np.float32),
            kept_lengths=array("kept lengths", batch.size, np.float64),
            rest_lengths=array("rest lengths", batch.size, np.float64),
            rest_gains=rest_gains,
            corrections=self.corrections[tokens] - self.corrections[to_keep],
        )

    def _input_tasks(self, batch: CountBatch, kept: NDArray[np.int32], split: SplitDocuments) -> list[threads.Task]:
        parameters = self._context.parameters
        documents = (batch.starts, batch.words, batch.counts, kept, parameters.weights, parameters.word_weights)
        return [*threads.split(partial_noise.split_inputs, batch.size, self._context.threads, *documents, *split[:4])]

    def _result(self, documents: int, vectors: NDArray[np.float32], noise: Noise) -> ContrastResult:
        array, shape = self._workspace.array, (documents, vectors.shape[1])
        noises = documents * self._options.n_noise
        return ContrastResult(
            rest_vectors=vectors[:documents],
            kept_vectors=vectors[documents : 2 * documents],
            noise_vectors=noise.buffer(noises, vectors[2 * documents :]),
            hidden_bias=array("bias rows", shape, np.float32),
            posteriors=array("posteriors", shape, np.float32),
            data_factors=array("data factors", documents, np.float64),
            noise_factors=array("noise factors", noises, np.float64),
            losses=array("losses", documents, np.float64),
        )

    def _contrast(
        self,
        batch: CountBatch,
        kept: NDArray[np.int32],
        split: SplitDocuments,
        noise: Noise,
        vectors: NDArray[np.float32],
        result: ContrastResult,
    ) -> RowGradient:
        """Energies, losses and gradients of all documents; beside them, which rows of W the gradient touches."""
        options, context = self._options, self._context
        objective = Objective(math.log(options.n_noise), options.sharpness, options.uniform, 1.0 / batch.size)
        arguments = (split, noise.table(), context.parameters.hidden_bias, objective, result)
        grouped: list[RowGradient] = []

        def index() -> None:
            entries = self._buffer.entries(2 * len(batch.words) + noise.words)
            weights = context.parameters.word_weights
            count = split_entries(batch.starts, batch.words, batch.counts, kept, weights, entries)
            count = noise.add_entries(entries, count, first_vector=2 * batch.size)
            scalars = self._workspace.array("scalars", len(vectors), np.float32)
            grouped.append(self._buffer.group(entries, count, vectors, scalars))

        tasks: list[threads.Task] = [(index, ())]
        tasks += threads.split(contrast, batch.size, context.threads, *arguments)
        threads.run(tasks, context.threads)
        return grouped[0]

    def _gather(
        self,
        batch: CountBatch,
        tokens: NDArray[np.int64],
        to_keep: NDArray[np.int64],
        split: SplitDocuments,
        noise: Noise,
        result: ContrastResult,
        rows: RowGradient,
    ) -> Gradient:
        """Everything that sums over the minibatch."""
        documents = batch.size
        parts = rows.vectors[: 2 * documents].reshape(2, documents, -1)
        lengths = split.kept_lengths + split.rest_lengths
        sparsity: Sparsity = self._context.sparsity
        penalty, activity = press_towards_target(sparsity, result.posteriors, lengths, parts, result.hidden_bias)
        dense = self._visible.gradient(documents, split, noise, result, rows.scalars)
        return Gradient(
            rows=rows,
            hidden_bias=result.hidden_bias.sum(axis=0),
            visible_bias=dense,
            learns_visible_bias=dense is not None,
            loss=float(result.losses.sum()) + penalty,
            activity=activity,
            extras=self._correction_gradient(tokens, to_keep, result),
        )

    def _correction_gradient(
        self, tokens: NDArray[np.int64], to_keep: NDArray[np.int64], result: ContrastResult
    ) -> tuple[Extra, ...]:
        """-dJ/d(log-ratio) for c_D and its opposite for c_{D_r}; c_0 stays 0, since no words need no normaliser."""
        if self._options.normaliser == "frozen":
            return ()
        factors = result.data_factors + result.noise_factors.reshape(len(tokens), -1).sum(axis=1)
        gradient = np.zeros_like(self.corrections)
        np.subtract.at(gradient, tokens, factors)
        np.add.at(gradient, to_keep, factors)
        gradient[0] = 0.0
        return (Extra("corrections", self.corrections, gradient),)
