"""Documents in groups of one colour: by topic, by label, or by time. Shared by figures and the report's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.kernels.randomness import permutation
from undertow.plot import _palette

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

COLOURS = ("topic", "label", "time")
TOPIC_GROUPS = 24  # colours times symbols that topics get; the documents of others are grey
NAMES_SHOWN = 24  # on the map itself


@dataclass(frozen=True)
class Group:
    """Documents of one colour: their rows in the overview. The name is not escaped yet."""

    name: str
    colour: str
    symbol: str
    rows: NDArray[np.int64]
    id: int = -1  # the topic's, or the number of the label; -1 for the rest


@dataclass(frozen=True)
class Place:
    """A name on the map, where the documents of its group lie closest."""

    name: str
    x: float
    y: float


def colourings(overview: Overview) -> list[str]:
    """What documents can be coloured by: topics always, labels and times where there are any."""
    timed = overview.times is not None and bool(np.isfinite(overview.times).any())
    there = {"topic": True, "label": bool(overview.labels), "time": timed}
    return [colour for colour in COLOURS if there[colour]]


def shown_rows(overview: Overview, most: int) -> NDArray[np.int64]:
    """Rows of documents that have a place on the map: all, or a sample of `most`, the same at each call."""
    most = _check.whole_number("most", most, at_least=1)
    rows = np.flatnonzero(np.isfinite(overview.positions).all(axis=1))
    if len(rows) <= most:
        return rows
    return np.sort(rows[permutation(0, 0, rows)[:most]])


def groups(overview: Overview, model: TopicModel, colour: str, rows: NDArray[np.int64]) -> list[Group]:
    """These rows by topic or by label; the largest groups first, and what has no colour of its own last, in grey."""
    _check.one_of("colour", colour, ("topic", "label"))
    if colour not in colourings(overview):
        raise InvalidInput("colour must be 'topic' for documents without labels, got 'label'")
    if colour == "topic":
        from undertow.insight import topic_names

        return _grouped(overview.topics[rows], rows, topic_names(model), TOPIC_GROUPS, "other topics or none")
    return _grouped(overview.label_of[rows], rows, overview.labels, len(overview.labels), "other labels or none")


def _grouped(codes: NDArray[np.int32], rows: NDArray[np.int64], names: Any, most: int, rest: str) -> list[Group]:
    sizes = np.bincount(codes[codes >= 0], minlength=1)
    largest = [int(code) for code in np.argsort(-sizes, kind="stable")[:most] if sizes[code]]
    found, coloured = [], np.zeros(len(rows), dtype=bool)
    for number, code in enumerate(largest):
        style = _palette.style(number)
        if style is None:
            break
        own = codes == code
        coloured |= own
        found.append(Group(names[code], *style, rows[own], code))
    if not coloured.all():
        found.append(Group(rest, _palette.REST, _palette.SYMBOLS[0], rows[~coloured]))
    return found


def places(overview: Overview, shown: list[Group], most: int = NAMES_SHOWN) -> list[Place]:
    """Names of groups where their documents lie closest, leaving out those that would cover or repeat one there."""
    found: list[Place] = []
    for group in shown:
        if group.id < 0 or len(found) == most:
            continue
        x, y = _thickest(overview.positions[group.rows].astype(np.float64))
        far = all(abs(x - other.x) > 0.17 or abs(y - other.y) > 0.045 for other in found)
        if far and all(group.name != other.name for other in found):
            found.append(Place(group.name, x, y))
    return found


def _thickest(points: NDArray[np.float64], cells: int = 20) -> tuple[float, float]:
    """The middle of the points in the fullest cell and its neighbours."""
    if len(points) == 1:
        return float(points[0, 0]), float(points[0, 1])
    counts, x_edges, y_edges = np.histogram2d(points[:, 0], points[:, 1], bins=cells, range=((0, 1), (0, 1)))
    x, y = np.unravel_index(int(counts.argmax()), counts.shape)
    low = np.array([x_edges[x], y_edges[y]]) - 1.0 / cells
    inside = ((points >= low) & (points <= low + 3.0 / cells)).all(axis=1)
    middle = np.median(points[inside], axis=0)
    return float(middle[0]), float(middle[1])
