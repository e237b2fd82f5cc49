"""Documents in groups of one colour: by topic, by label, or by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.estimators.topic_parts import atlas_of
from undertow.kernels.randomness import permutation
from undertow.plot import palette
from undertow.plot.topic_colours import topic_styles

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

COLOURS = ("topic", "label", "time")


@dataclass(frozen=True)
class Group:
    """Documents of one colour: their rows in the overview. The name is not escaped yet."""

    name: str
    colour: str
    symbol: str
    rows: NDArray[np.int64]
    id: int = -1  # the topic's, or the number of the label; -1 for the rest


def colourings(overview: Overview) -> list[str]:
    """What documents can be coloured by: topics always, labels and times where there are any."""
    timed = overview.times is not None and bool(np.isfinite(overview.times).any())
    there = {"topic": True, "label": bool(overview.labels), "time": timed}
    return [colour for colour in COLOURS if there[colour]]


def shown_rows(overview: Overview, most: int) -> NDArray[np.int64]:
    """Rows of documents that have a place on the map: all, or a sample of `most`, the same at each
    call.
    """
    most = _check.whole_number("most", most, at_least=1)
    rows = np.flatnonzero(np.isfinite(overview.positions).all(axis=1))
    if len(rows) <= most:
        return rows
    return np.sort(rows[permutation(0, 0, rows)[:most]])


def groups(
    overview: Overview,
    model: TopicModel,
    colour: str,
    rows: NDArray[np.int64],
    n: int | None = None,
) -> list[Group]:
    """These rows by topic of a cut or by label, the largest groups first, and what has no colour
    last, in grey.

    Every document on the map lies in a topic, unless that was dropped.
    """
    _check.one_of("colour", colour, ("topic", "label"))
    if colour not in colourings(overview):
        raise InvalidInput("colour must be 'topic' for documents without labels, got 'label'")
    if colour == "topic":
        atlas = atlas_of(model)
        nodes = atlas.cut(n)
        codes, names = overview.topics(atlas, nodes)[rows], atlas.names_of(nodes)
        return _grouped(codes, rows, names, topic_styles(atlas, nodes), "no topic", nodes)
    largest = np.bincount(overview.label_of[rows] + 1, minlength=len(overview.labels) + 1)[1:]
    styles: list[tuple[str, str] | None] = [None] * len(overview.labels)
    for number, code in enumerate(np.argsort(-largest, kind="stable").tolist()):
        styles[code] = palette.style(number)
    return _grouped(overview.label_of[rows], rows, overview.labels, styles, "other labels or none")


def _grouped(
    codes: NDArray[np.int32],
    rows: NDArray[np.int64],
    names: Sequence[str],
    styles: Sequence[tuple[str, str] | None],
    rest: str,
    ids: Sequence[int] | None = None,
) -> list[Group]:
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    found, coloured = [], np.zeros(len(rows), dtype=bool)
    for code in np.argsort(-sizes, kind="stable").tolist():
        style = styles[code]
        if style is None or not sizes[code]:
            continue
        own = codes == code
        coloured |= own
        number = code if ids is None else ids[code]
        found.append(Group(names[code], style[0], style[1], rows[own], number))
    if not coloured.all():
        found.append(Group(rest, palette.REST, palette.SYMBOLS[0], rows[~coloured]))
    return found
