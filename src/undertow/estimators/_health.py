"""Says when a model has learned little: units that tell no documents apart."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow._errors import TrainingDiverged
from undertow.counts import CountBatch
from undertow.engines import Engine
from undertow.model import Parameters
from undertow.vectors import posteriors

logger = logging.getLogger("undertow")

MOST_IDLE = 0.5  # share of the units
MOST_DEAD = 0.1  # share of the units that goes without a word
DEAD = 1e-3  # a probability that no document brings further from 0, or from 1
# before, units are the same for all documents because they have learned nothing yet
FEWEST_STEPS = 100
LISTED = 10  # units in a warning
ADVICE = (
    "a smaller learning rate (optimizer=Adam(learning_rate=...)), fewer units (n_components), "
    "sparsity_cost=0 or more documents may help"
)


@dataclass(frozen=True)
class Seen:
    """What units do in some documents. Those without a word that counts tell nothing of units."""

    activity: NDArray[np.float64]  # (units,) share of all documents that switch a unit on
    lowest: NDArray[np.float32]  # (units,) probabilities of units, in documents that count
    highest: NDArray[np.float32]
    differ: bool  # whether two of the documents that count do

    @classmethod
    def of(cls, parameters: Parameters, blocks: Iterable[CountBatch], engine: Engine) -> Seen:
        """What they do in the documents of these blocks."""
        on = np.zeros(parameters.units)
        lowest = np.full(parameters.units, np.inf, dtype=np.float32)
        highest = np.full(parameters.units, -np.inf, dtype=np.float32)
        documents, differing = 0, _Differing()
        for block in blocks:
            found = posteriors(parameters, block, engine=engine)
            known = differing.see(parameters, block)
            on += (found > 0.5).sum(axis=0)
            if known.any():
                lowest = np.minimum(lowest, found[known].min(axis=0))
                highest = np.maximum(highest, found[known].max(axis=0))
            documents += block.size
        return cls(on / max(documents, 1), lowest, highest, differing.found)

    @property
    def dead(self) -> NDArray[np.intp]:
        """The units that are off, or on, in every document, whatever it holds."""
        told = self.lowest <= self.highest  # there was a document
        return np.flatnonzero(told & ((self.highest < DEAD) | (self.lowest > 1.0 - DEAD)))


class _Differing:
    """Finds out which documents hold a word that counts, and whether two of these differ."""

    def __init__(self) -> None:
        self.found = False
        self._first: tuple[bytes, bytes] | None = None

    def see(self, parameters: Parameters, block: CountBatch) -> NDArray[np.bool_]:
        """Which documents of the block count."""
        counted = parameters.word_weights[block.words] > 0
        rows = np.repeat(np.arange(block.size), np.diff(block.starts))[counted]
        known: NDArray[np.bool_] = np.bincount(rows, minlength=block.size) > 0
        for row in np.flatnonzero(known).tolist():
            if self.found:
                break
            own = slice(block.starts[row], block.starts[row + 1])
            kept = counted[own]
            said = block.words[own][kept].tobytes(), block.counts[own][kept].tobytes()
            self._first = self._first or said
            self.found = said != self._first
        return known


def check_alive(seen: Seen) -> None:
    """Refuses a model all of whose units are dead, though its documents differ: it has learned to
    say nothing.
    """
    if seen.differ and len(seen.dead) == len(seen.activity):
        raise TrainingDiverged(
            f"all {len(seen.activity)} hidden units are dead: each is off, or on, in every "
            f"document, though documents differ. Too large a learning rate is the likely cause; "
            f"{ADVICE}"
        )


def idle_units(activity: NDArray[np.float64]) -> int:
    """How many units are on in no document, or in all."""
    return int(((activity <= 0.0) | (activity >= 1.0)).sum())


def warn_of_dead_units(
    activity: NDArray[np.float64], steps: int, dead: NDArray[np.intp] | None = None
) -> None:
    """Logs a warning where many units are dead, or most are the same for every document after so
    many steps of training.

    `activity` is that of documents with a word that counts: a unit that is always on is off in the
    others.
    """
    units, idle = len(activity), idle_units(activity)
    if dead is not None and len(dead) > MOST_DEAD * units:
        shown = ", ".join(map(str, dead[:LISTED])) + (", ..." if len(dead) > LISTED else "")
        logger.warning(
            "%d of %d hidden units are dead, off or on in every document (%s): %s. "
            "`dead_units_` lists them, and `revive()` starts them anew",
            *(len(dead), units, shown, ADVICE),
        )
    elif steps >= FEWEST_STEPS and idle > MOST_IDLE * units:
        logger.warning(
            "%d of %d hidden units are on in no document or in all: the model tells documents "
            "apart poorly: %s",
            *(idle, units, ADVICE),
        )
