"""What whoever leads a fit on a cluster and its workers tell each other.

It is apart from what they do, which needs what reads texts: a model of counts does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import WordTotals
from undertow.learn import Settings
from undertow.learn.history import Tally
from undertow.model import Parameters

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class PartFacts:
    """What there is in a part: sums of its counts, how many numbers they are, whether they are in
    memory, and what they take on disk.
    """

    totals: WordTotals
    entries: int
    held: bool
    bytes_on_disk: int


@dataclass(frozen=True)
class Place:
    """Where a part stands in the whole: the number of its first document, and the numbers of
    documents of the whole that are not trained on.

    `renumbered`: documents are numbered without those, as they are where all are in memory.
    """

    first: int
    left_out: NDArray[np.int64]
    renumbered: bool


@dataclass(frozen=True)
class Beginning:
    """What all workers begin their runs with."""

    parameters: Parameters
    noise_distribution: NDArray[np.float64]
    settings: Settings
    documents: int
    longest: int
    word_weights: NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Where all workers stand after a meeting: the arrays of a run, how many epochs and steps are
    behind it, how many meetings of this epoch (of one worker: minibatches), and of all; and what
    one worker has seen of the epoch.
    """

    arrays: Arrays
    epoch: int
    steps: int
    met: int
    standing: int
    tally: Tally


@dataclass(frozen=True)
class Note:
    """What a worker did since the last meeting: its steps and sums over its minibatches; the bytes
    it brings to the meeting; the minibatches of the epoch that are done, and whether all are.
    """

    steps: int
    tally: Tally
    nbytes: int
    batch: int
    finished: bool
