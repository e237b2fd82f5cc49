"""Where names stand on a map: beside the documents that they name, not on them, and not on each
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELLS = 200  # of the map, each way, that documents are counted in
# of the map's width: a letter's width and a line's height, at 11 pixels on 640
LETTER, LINE = 0.0112, 0.024
COVERED = 0.08  # of its own documents that a name may lie on
WAYS = 16  # directions that a name is tried in
STEPS = (1.0, 1.35, 1.8, 2.4)  # distances, in those within which half of the documents lie

# what it costs to stand one way farther, and among the documents of others
NEARER, STRANGERS = 0.01, 0.8
# share of the documents around a name from which on it would be taken for that of others
AMONG_OTHERS = 0.75

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A name and the middle of its box."""

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) * 2 < self.width + other.width
            and abs(self.y - other.y) * 2 < self.height + other.height
        )

    def inside(self) -> bool:
        return (
            min(self.x - self.width / 2, self.y - self.height / 2) >= -0.02
            and max(self.x + self.width / 2, self.y + self.height / 2) <= 1.02
        )


class _Counted:
    """How many documents lie in a box, from sums over cells."""

    def __init__(self, points: Points) -> None:
        counts = np.histogram2d(points[:, 0], points[:, 1], bins=CELLS, range=((0, 1), (0, 1)))[0]
        self._sums = np.pad(counts.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))

    def within(self, box: _Box) -> float:
        left, right = (self._cell(box.x + side * box.width / 2) for side in (-1, 1))
        low, high = (self._cell(box.y + side * box.height / 2) for side in (-1, 1))
        sums = self._sums
        return float(sums[right, high] - sums[left, high] - sums[right, low] + sums[left, low])

    def _cell(self, value: float) -> int:
        return int(np.clip(round(value * CELLS), 0, CELLS))


def places(names: list[str], groups: list[Points], most: int) -> list[Place]:
    """The names that fit, the first groups first. A name stands where the fewest documents
    lie under it.

    A name that would meet another, or lie on more than a few of its own documents, is left out; so
    is one that is there already.
    """
    if not groups:
        return []
    everything = _Counted(np.concatenate(groups))
    taken: list[_Box] = []
    found: list[Place] = []
    for name, points in zip(names, groups, strict=True):
        if len(found) == most or any(name == other.name for other in found):
            continue
        own = _Counted(points)
        free = [
            (_cost(box, own, everything, len(points)) + NEARER * number, number, box)
            for number, box in enumerate(_around(name, points))
            if own.within(box) <= COVERED * len(points)
            and not any(box.meets(other) for other in taken)
        ]
        free = [way for way in free if np.isfinite(way[0])]
        if free:
            box = min(free, key=lambda way: way[:2])[2]
            taken.append(box)
            found.append(Place(name, box.x, box.y))
    return found


def _cost(box: _Box, own: _Counted, everything: _Counted, size: int) -> float:
    """Small where few documents lie under a name, and those around it are its own; endless among
    those of others.
    """
    near = _Box(box.x, box.y, box.width + 2 * LINE, box.height + 2 * LINE)
    strangers = 1 - own.within(near) / max(everything.within(near), 1.0)
    if strangers > AMONG_OTHERS:
        return np.inf
    return (own.within(box) + everything.within(box)) / size + STRANGERS * strangers


def _around(name: str, points: Points) -> Iterator[_Box]:
    """Boxes around the thickest of the points, near ones first, those above first."""
    middle = np.array(thickest(points))
    spread = float(np.median(np.linalg.norm(points - middle, axis=1)))
    width, height = LETTER * len(name) + 0.01, LINE
    for step in STEPS:
        for way in sorted(range(WAYS), key=lambda way: abs(way - WAYS // 4)):
            angle = 2 * np.pi * way / WAYS
            reach = step * max(spread, 0.01)
            x = middle[0] + np.cos(angle) * (reach + width / 2)
            y = middle[1] + np.sin(angle) * (reach + height / 2)
            box = _Box(float(x), float(y), width, height)
            if box.inside():
                yield box


def thickest(points: Points, cells: int = 20) -> tuple[float, float]:
    """The middle of the points in the fullest cell and its neighbours."""
    counts, x_edges, y_edges = np.histogram2d(
        points[:, 0], points[:, 1], bins=cells, range=((0, 1), (0, 1))
    )
    x, y = np.unravel_index(int(counts.argmax()), counts.shape)
    low = np.array([x_edges[x], y_edges[y]]) - 1.0 / cells
    inside = ((points >= low) & (points <= low + 3.0 / cells)).all(axis=1)
    middle = np.median(points[inside], axis=0)
    return float(middle[0]), float(middle[1])
