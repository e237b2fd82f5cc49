"""What is recorded of each epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

DEAD = 1e-3  # a unit on (or off) in less than this share of the documents tells nothing about them


@dataclass(frozen=True)
class EpochRecord:
    """One line of a run's history.

    Parameters
    ----------
    epoch : int
        Its number, from 0 on.
    loss : float
        The mean over the documents of the epoch.
    seconds, tokens : float, int
        How long it took, and how many words were seen.
    activity : float
        The mean over units and documents of P(h | document).
    dead_units : int
        Units that are always off or always on.
    split_half : float or None
        Retrieval of held-out halves, where it was measured.
    waited : float
        Of the seconds, those in which the next minibatch was not there yet.

    Examples
    --------
    >>> [record.epoch for record in run.history]
    [0, 1]
    """

    epoch: int
    loss: float
    seconds: float
    tokens: int
    activity: float
    dead_units: int
    split_half: float | None = None
    waited: float = 0.0


@dataclass
class Tally:
    """Sums over the part of an epoch that is done; a checkpoint holds them."""

    units: int
    loss: float = 0.0
    documents: int = 0
    tokens: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    activity: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.activity = np.zeros(self.units)

    def add(
        self, *, loss: float, documents: int, tokens: int, activity: NDArray[np.float32]
    ) -> None:
        """Counts a minibatch in."""
        self.loss += loss * documents
        self.documents += documents
        self.tokens += tokens
        self.activity += documents * activity.astype(np.float64)

    def include(self, other: Tally) -> None:
        """Counts in what another counted; its seconds are of the same clock, and left out."""
        self.loss += other.loss
        self.documents += other.documents
        self.tokens += other.tokens
        self.activity += other.activity

    def record(self, epoch: int, split_half: float | None) -> EpochRecord:
        """The line of a whole epoch."""
        activity = self.activity / max(self.documents, 1)
        return EpochRecord(
            epoch=epoch,
            loss=self.loss / max(self.documents, 1),
            seconds=self.seconds,
            tokens=self.tokens,
            activity=float(activity.mean()),
            dead_units=int(np.count_nonzero((activity < DEAD) | (activity > 1.0 - DEAD))),
            split_half=split_half,
            waited=self.waited,
        )
