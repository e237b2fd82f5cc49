"""Ratio matching on the CPU: one kernel draws neighbours and writes the gradient in factored form,
then entries are grouped by word as for every learner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.cpu.gradient import CpuGradient, Slots, new_grouping, workers_for
from undertow.engines.cpu.offers import Offers
from undertow.engines.cpu.workspace import Workspace
from undertow.engines.protocol import Neighbours, Place, Pressure, Start
from undertow.kernels.cpu import contrast as kernels
from undertow.kernels.cpu import pool, ratios
from undertow.kernels.cpu.rows import Grouping, document_entries, group_entries
from undertow.kernels.cpu.splitting import split
from undertow.model.parameters import Parameters


class Ratios:
    """The steps of a session, and the arrays that they share."""

    def __init__(self, parameters: Parameters, start: Start, slots: Slots, threads: int) -> None:
        self._parameters, self._seed = parameters, start.seed
        self._slots, self._threads = slots, threads
        self._workspace, self._offers = Workspace(), Offers(start)

    def match(
        self, batch: CountBatch, place: Place, neighbours: Neighbours, pressure: Pressure
    ) -> CpuGradient:
        """The mean over documents, and over what was drawn for them."""
        size, m, units = batch.size, neighbours.replacements, self._parameters.units
        vectors = self._workspace.array("vectors", (size + size * m, units), np.float32)
        workers = workers_for(size, self._threads)
        most = len(batch.words) + 2 * size * m
        grouping = new_grouping(most, np.array([0, most]), self._slots.of(workers), vectors)
        matched = self._matched(batch, m, grouping)
        documents = ratios.Documents(batch.document_ids, batch.starts, batch.words, batch.counts)
        model = self._offers.beside(self._parameters)
        given = (self._seed, place.epoch, documents, neighbours.uniform, model, matched)
        pool.run(split(ratios.match_ratios, size, self._threads, *given), self._threads)
        self._add_documents(batch, matched, grouping)
        hidden_bias = matched.lengths.astype(np.float32) @ vectors[:size]
        hidden_bias += matched.changes @ vectors[size:]
        activity = matched.posteriors.mean(axis=0)
        penalty = _press(pressure, activity, matched, hidden_bias)
        pool.run_program(group_entries, workers, *grouping)
        return CpuGradient(
            factored=grouping.rows,
            hidden_bias=hidden_bias,
            visible_bias=None,
            learns_visible_bias=neighbours.learns_visible_bias,
            words=self._parameters.words,
            loss=float(matched.losses.sum()) / (size * m) + penalty,
            activity=activity,
        )

    def _matched(self, batch: CountBatch, m: int, grouping: Grouping) -> ratios.Matched:
        """What the kernel fills in: the entries of replacements come before those of documents."""
        size, units, entries = batch.size, self._parameters.units, grouping.entries
        pairs, array = slice(0, 2 * size * m), self._workspace.array
        return ratios.Matched(
            posteriors=array("posteriors", (size, units), np.float32),
            lengths=array("lengths", size, np.float64),
            losses=array("losses", size, np.float64),
            vectors=grouping.rows.vectors,
            slopes=grouping.rows.scalars[size:],
            changes=array("changes", size * m, np.float32),
            words=entries.words[pairs],
            vector_ids=entries.vectors[pairs],
            coefficients=entries.coefficients[pairs],
        )

    def _add_documents(
        self, batch: CountBatch, matched: ratios.Matched, grouping: Grouping
    ) -> None:
        """The entries of whole documents, whose biases are the same in their neighbours."""
        size, entries = batch.size, grouping.entries
        rows = (batch.starts, batch.words, batch.counts, self._parameters.word_weights)
        entries.counts[0] = document_entries(0, size, *rows, 0, entries, len(matched.words))
        grouping.rows.scalars[:size] = 0.0


def _press(
    pressure: Pressure,
    activity: NDArray[np.float32],
    matched: ratios.Matched,
    hidden_bias: NDArray[np.float32],
) -> float:
    """Adds the gradient of the pressure on units, and returns what it costs."""
    if pressure.cost <= 0.0:
        return 0.0
    size, units = matched.posteriors.shape
    kernels.press_towards_target(
        0,
        units,
        kernels.Pressure(pressure.target, pressure.cost),
        activity,
        matched.posteriors,
        matched.lengths,
        matched.vectors[:size],
        matched.vectors[:0],
        hidden_bias,
    )
    return pressure.cost * float(np.square(activity - pressure.target, dtype=np.float64).sum())
