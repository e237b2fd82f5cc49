"""How much a run of the benchmarks measures: the quick set, or everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Epochs = int | Literal["auto"]


@dataclass(frozen=True)
class Effort:
    """The defaults are the quick set; figures that both sets have are taken in the same way, so
    they compare.
    """

    name: str
    rounds: int = 7
    steps: int = 20  # in a round, fewer where one takes long
    vocabularies: tuple[int, ...] = (2_000, 20_000, 200_000, 1_000_000)
    divergence_vocabularies: tuple[int, ...] = (2_000, 20_000, 200_000)
    thread_vocabularies: tuple[int, ...] = (2_000, 200_000)
    estimator_vocabularies: tuple[int, ...] = (2_000, 200_000, 1_000_000)
    estimator_rounds: int = 1
    noises: tuple[int, ...] = (1, 5, 25, 100)
    units: tuple[int, ...] = (32, 64, 128, 256)
    starts: int = 5  # processes started, the median counts
    cold_fit: bool = True
    short_texts: int = 200_000
    reviews: int = 10_000
    documents: tuple[int, ...] = (2_500, 5_000, 10_000)
    topics: int = 128
    fits: tuple[Epochs, ...] = (2, 4, 16, "auto")  # a fit of so many epochs is a point of the curve
    systems: tuple[str, ...] = ("undertow", "LSA")
    workers: tuple[int, ...] = (1, 2)
    seconds: float = 20.0  # training time that a system may take
    probe_seconds: float = 2.0  # and for finding out with how many workers it is quicker
    due: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 20.0)  # when vectors are judged


QUICK = Effort("quick")
FULL = Effort(
    "full",
    rounds=11,
    estimator_rounds=3,
    units=(16, 32, 64, 128, 256, 512),
    noises=(1, 2, 5, 10, 25, 50, 100),
    fits=(2, 4, 8, 16, 32, "auto", 100),
    systems=(
        "undertow",
        "undertow, partial_fit",
        "LSA",
        "NMF",
        "LDA, scikit-learn",
        "LDA, gensim",
        "LDA, tomotopy",
        "RBM, scikit-learn",
    ),
    seconds=20.0,
    probe_seconds=3.0,
)
