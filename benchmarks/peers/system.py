"""What the harness knows of a library: how it trains, pass by pass, and how it encodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.effort import Epochs

Vectors = NDArray[np.float32]
Encode = Callable[[sparse.csr_array], Vectors]


@dataclass(frozen=True)
class Task:
    """What is to be trained; `fits` are lengths of fits, for systems that plan them."""

    counts: sparse.csr_array  # whole numbers, damped
    topics: int
    workers: int
    seed: int = 0
    fits: tuple[Epochs, ...] = ("auto",)


@dataclass(frozen=True)
class Checkpoint:
    """A state of the training: passes over the documents so far, and ways to make vectors, the
    usual one first.

    `trained` gives vectors of the training documents where the library has them anyway. A
    checkpoint is of use until the training goes on.
    """

    passes: float
    ways: Mapping[str, Encode]
    trained: Mapping[str, Callable[[], Vectors]] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """A library and its settings.

    `train` yields a first checkpoint when the documents are in the library's own form, without
    ways: the clock starts there. Where `restarts`, every further one is a fit of its own from the
    beginning to the end.
    """

    package: str
    settings: Mapping[str, Any]
    train: Callable[[Task], Iterator[Checkpoint]]
    restarts: bool = False


READY = Checkpoint(0, {})


def dense(vectors: Any) -> Vectors:
    """As they are compared and kept."""
    return np.ascontiguousarray(vectors, dtype=np.float32)
