"""Says when a model has learned little: units that tell no documents apart."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger("undertow")

MOST_IDLE = 0.5  # share of the units
FEWEST_STEPS = (
    100  # before, units are the same for all documents because they have learned nothing yet
)


def idle_units(activity: NDArray[np.float64]) -> int:
    """How many units are on in no document, or in all."""
    return int(((activity <= 0.0) | (activity >= 1.0)).sum())


def warn_of_dead_units(activity: NDArray[np.float64], steps: int) -> None:
    """Logs a warning where most units are the same for every document after so many steps of
    training.

    `activity` is that of documents with a word that counts: a unit that is always on is off in the
    others.
    """
    idle = idle_units(activity)
    if steps >= FEWEST_STEPS and idle > MOST_IDLE * len(activity):
        logger.warning(
            "%d of %d hidden units are on in no document or in all: the model tells documents "
            "apart poorly. Fewer "
            "units (n_components), a smaller learning rate (optimizer=Adam(learning_rate=...)) or "
            "sparsity_cost=0 may "
            "help; so do more documents",
            idle,
            len(activity),
        )
