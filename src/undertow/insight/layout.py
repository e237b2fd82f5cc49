"""The map: a place in the plane for each document, near those that it is like, by t-SNE on cosine
distances.

At most 15,000 documents are laid out; the others are placed among the neighbours that they have
there. What was compared and why it is so stands in docs/design_notes.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from undertow import _extras
from undertow.insight import _nearest_rows
from undertow.kernels import randomness
from undertow.vectors.joining import unit

MOST_LAID_OUT = 15_000
FEWEST = 10  # of fewer, the two directions in which they differ most say as much
PERPLEXITY, NEIGHBOURS = 30, 90
EARLY, LATE = 125, 250  # iterations; twice as many look the same
EARLY_PULL, LATE_PULL = 12.0, 1.5  # exaggeration; 1.5 at the end opens gaps between groups
# that forces are interpolated on: half as fine as is usual
GRID = {
    "ints_in_interval": 2,
    "min_num_intervals": 20,
}
GRID_FROM = 1000  # documents: with fewer, a tree is quicker
EVERY = 25  # iterations between two reports of progress
PLACED_BY = 10  # neighbours that a document is placed by
# how far documents are moved at random, in distances to the next document
LAID_OUT_NUDGE, PLACED_NUDGE = 0.1, 0.5

Progress = Callable[[int, int], None]
Places = NDArray[np.float64]


def positions(
    vectors: NDArray[np.floating], *, seed: int = 0, progress: Progress | None = None
) -> NDArray[np.float32]:
    """(n, 2) Places of vectors, compared by their directions; each axis within [0, 1]; nan for a
    row of nan.

    The same bits for the same vectors and seed. `progress` is told how much is done, of how much.
    """
    places = np.full((len(vectors), 2), np.nan, dtype=np.float32)
    known = np.flatnonzero(np.isfinite(vectors).all(axis=1))
    chosen = np.sort(randomness.permutation(seed, 0, np.arange(len(known)))[:MOST_LAID_OUT])
    others = np.setdiff1d(np.arange(len(known)), chosen, assume_unique=True)
    # so that equal vectors part
    nudges = randomness.normals(seed, randomness.Purpose.MAP, len(known), 2)
    steps = _Steps(len(chosen), len(others), progress)
    if len(known):
        held = unit(vectors[known[chosen]].astype(np.float32))
        laid_out = _laid_out(held, nudges[chosen], steps)
        flat, nudge = np.empty((len(known), 2)), _spacing(laid_out) * nudges
        flat[chosen] = laid_out + LAID_OUT_NUDGE * nudge[chosen]
        if len(others):
            flat[others] = (
                _placed(vectors, known[others], held, laid_out, steps)
                + PLACED_NUDGE * nudge[others]
            )
        places[known] = within_one(flat)
    steps.finish()
    return places


def check_extra() -> None:
    """What lays out a map is installed; said before any work is done."""
    _extras.require("a map", "explorer", "openTSNE")


def within_one(places: Places) -> NDArray[np.float32]:
    """Moved and shrunk, both axes by one factor, so that each lies within [0, 1]."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max())
    centred = (places - (low + high) / 2) / (span if span > 0 else 1.0)
    inside: NDArray[np.float32] = np.clip(0.5 + centred, 0.0, 1.0).astype(np.float32)
    return inside


class _Steps:
    """Progress over all parts of the work, each weighted by about the time that it takes."""

    def __init__(self, laid_out: int, placed: int, progress: Progress | None) -> None:
        self._progress, self._done = progress, 0
        self._total = _nearest_rows.blocks(laid_out) + EARLY + LATE + _nearest_rows.blocks(placed)

    def add(self, number: int = 1) -> None:
        self._done = min(self._done + number, self._total)
        if self._progress is not None:
            self._progress(self._done, self._total)

    def finish(self) -> None:
        self.add(self._total)


def _laid_out(vectors: NDArray[np.float32], nudges: NDArray[np.float32], steps: _Steps) -> Places:
    begin = _principal(vectors)
    spread = float(begin.std(axis=0).max())
    begin = begin / (spread if spread > 0 else 1.0) + 0.01 * nudges
    return begin if len(vectors) < FEWEST else _by_tsne(vectors, begin, steps)


def _principal(vectors: NDArray[np.float32]) -> Places:
    """(n, 2) The two directions of largest variance; which way an axis points is fixed by its
    largest entry.
    """
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    flat = np.zeros((len(vectors), 2))
    flat[:, : axes.shape[1]] = centred @ axes
    return flat


def _by_tsne(vectors: NDArray[np.float32], begin: Places, steps: _Steps) -> Places:
    check_extra()
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    k = min(NEIGHBOURS, len(vectors) - 1)
    rows, cosines = _nearest_rows.nearest(vectors, vectors, k, same=True, done=steps.add)
    distances = np.maximum(1.0 - cosines.astype(np.float64), 0.0)
    affinities = PerplexityBasedNN(
        knn_index=PrecomputedNeighbors(rows, distances), perplexity=min(PERPLEXITY, k / 3)
    )

    def report(iteration: int, error: float, embedding: object) -> None:
        steps.add(EVERY)

    embedding = TSNEEmbedding(
        1e-4 * begin,
        affinities,
        negative_gradient_method="fft" if len(vectors) >= GRID_FROM else "bh",
        # a second thread saves a fifth, and loses much more where other programs need the cores
        n_jobs=1,
        **GRID,
        callbacks=[report],
        callbacks_every_iters=EVERY,
    )
    embedding = embedding.optimize(n_iter=EARLY, exaggeration=EARLY_PULL, momentum=0.5)
    embedding = embedding.optimize(n_iter=LATE, exaggeration=LATE_PULL, momentum=0.8)
    return np.array(embedding, dtype=np.float64)


def _placed(
    vectors: NDArray[np.floating],
    rows: NDArray[np.int64],
    held: NDArray[np.float32],
    laid_out: Places,
    steps: _Steps,
) -> Places:
    """Places of the rows that were not laid out."""
    places = np.empty((len(rows), 2))
    k, many = min(PLACED_BY, len(held)), 64 * _nearest_rows.BLOCK
    for first in range(0, len(rows), many):  # so that not all are in memory as float32
        part = slice(first, first + many)
        found = _nearest_rows.nearest(
            unit(vectors[rows[part]].astype(np.float32)), held, k, done=steps.add
        )[0]
        places[part] = amid(laid_out[found])
    return places


def amid(neighbours: NDArray[np.float64]) -> Places:
    """(n, 2) A place amid the neighbours (n, k, 2) of each: the mean of the half that is closest to
    their medoid.

    The mean of all would lie between two groups where the neighbours are of both.
    """
    apart = np.linalg.norm(neighbours[:, :, None] - neighbours[:, None], axis=-1)
    rows = np.arange(len(neighbours))
    from_medoid = apart[rows, apart.sum(axis=2).argmin(axis=1)]
    near = np.argsort(from_medoid, axis=1, kind="stable")[:, : -(-neighbours.shape[1] // 2)]
    middle: Places = np.take_along_axis(neighbours, near[:, :, None], axis=1).mean(axis=1)
    return middle


def _spacing(places: Places) -> float:
    """How far a document is from the next, as a rule; where most are in one place, what would be
    little.
    """
    from scipy.spatial import cKDTree

    if len(places) < 2:
        return 1.0
    apart = np.asarray(cKDTree(places).query(places, 2)[0])[:, 1]
    little = 0.1 * float(np.ptp(places, axis=0).max()) / math.sqrt(len(places))
    return max(float(np.median(apart)), little)
