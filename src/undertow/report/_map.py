"""The map of documents as the report's script takes it: arrays of small numbers as base64, and
short texts.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.estimators.topic_parts import atlas_of
from undertow.plot import colour_groups, palette, time_axis
from undertow.plot.labels import shortened
from undertow.topics.excerpts import title_of

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

MOST = 20_000  # points in a file
LETTERS = 1_200_000  # of all documents under the pointer
FEWEST, LONGEST = 40, 160  # of one
NONE = 65_535  # in an array of numbers


def map_of(
    overview: Overview,
    model: TopicModel,
    n: int | None,
    rows: NDArray[np.int64],
    texts: Mapping[int, str],
) -> dict[str, Any]:
    """Everything that the page needs to draw these rows of the overview; texts are plain, not
    escaped.
    """
    atlas = atlas_of(model)
    most = int(np.clip(LETTERS // max(len(rows), 1), FEWEST, LONGEST))
    colourings = colour_groups.colourings(overview)
    return {
        "points": len(rows),
        "positions": _packed(np.round(overview.positions[rows] * (NONE - 1)).ravel()),
        "ids": [shortened(overview.ids[row], 40) for row in rows.tolist()],
        "titles": [shortened(title_of(texts.get(row, "")), most) for row in rows.tolist()],
        "topic": _packed(overview.topics(atlas, atlas.cut(n))[rows]),
        "label": _labels(overview, rows) if "label" in colourings else None,
        "time": _moments(overview, rows) if "time" in colourings else None,
        "colourings": colourings,
    }


def _packed(numbers: NDArray[Any]) -> str:
    """Numbers from 0 to 65,534 as bytes, low one first; what is below 0 or no number is 65,535."""
    known = np.isfinite(numbers) & (numbers >= 0)
    return base64.b64encode(np.where(known, numbers, NONE).astype("<u2").tobytes()).decode("ascii")


def _labels(overview: Overview, rows: NDArray[np.int64]) -> dict[str, Any]:
    """The label of each point, by the place of its group; the largest groups first."""
    sizes = np.bincount(overview.label_of[rows] + 1, minlength=len(overview.labels) + 1)[1:]
    order = [code for code in np.argsort(-sizes, kind="stable").tolist() if sizes[code]]
    place = np.full(len(overview.labels) + 1, -1)
    groups = []
    for number, code in enumerate(order):
        style = palette.style(number)
        if style is None:
            break
        place[code] = number
        groups.append(
            {"name": shortened(overview.labels[code], 60), "colour": style[0], "symbol": style[1]}
        )
    return {"of": _packed(place[overview.label_of[rows]]), "groups": groups}


def _moments(overview: Overview, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Times between the first and the last, all but outlying ones, as whole numbers; and words
    beside the scale.
    """
    assert overview.times is not None
    times = overview.times[rows]
    edges = None if overview.over_time is None else overview.over_time.edges
    known = times[np.isfinite(times)]
    low, high = (
        (float(known.min()), float(known.max()))
        if edges is None
        else (float(edges[0]), float(edges[-1]))
    )
    scaled = np.clip((times - low) / max(high - low, 1e-300), 0.0, 1.0) * (NONE - 1)
    _, words = time_axis.scale_ticks(np.array([low, high]), overview.time_kind)
    return {
        "of": _packed(np.round(scaled)),
        "words": words,
        "colours": [colour for _, colour in palette.TIME],
    }
