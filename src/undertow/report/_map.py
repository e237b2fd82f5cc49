"""The map of documents as the report's page takes it: every point once, and the groups of each colouring by number.

Strings are escaped for plotly, as those of `undertow.plot` are; the page joins them and adds nothing of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.plot import _groups
from undertow.plot._documents import annotation, map_layout, marker_size, time_scale, title
from undertow.plot._labels import label, paragraph

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

MOST = 20_000  # points in a file
SHOWN = 150  # characters of a document under the pointer


def map_of(overview: Overview, model: TopicModel, rows: NDArray[np.int64], texts: Mapping[int, str]) -> dict[str, Any]:
    """Everything that the page needs to draw these rows of the overview."""
    from plotly.graph_objects import Figure

    from undertow.insight import topic_names

    layout = map_layout(Figure(), title(len(rows), overview)).to_plotly_json()["layout"]
    place = np.full(len(overview), -1)
    place[rows] = np.arange(len(rows))
    return {
        "x": _rounded(overview.positions[rows, 0]),
        "y": _rounded(overview.positions[rows, 1]),
        "ids": [label(overview.ids[row], 60) for row in rows],
        "texts": [paragraph(texts.get(row, ""), SHOWN, 56) for row in rows.tolist()],
        "topic_of": overview.topics[rows].tolist(),
        "label_of": overview.label_of[rows].tolist(),
        "topics": [label(name, 50) for name in topic_names(model)],
        "labels": [label(name, 50) for name in overview.labels],
        "size": marker_size(len(rows)),
        "colourings": {
            colour: _times(overview, rows) if colour == "time" else _coloured(overview, model, colour, rows, place)
            for colour in _groups.colourings(overview)
        },
        "layout": layout,
    }


def _coloured(
    overview: Overview, model: TopicModel, colour: str, rows: NDArray[np.int64], place: NDArray[np.int64]
) -> dict[str, Any]:
    found = _groups.groups(overview, model, colour, rows)
    return {
        "groups": [
            {
                "name": label(group.name, 32),
                "colour": group.colour,
                "symbol": group.symbol,
                "rest": group.id < 0,
                "rows": place[group.rows].tolist(),
            }
            for group in found
        ],
        "names": [annotation(name) for name in _groups.places(overview, found)],
    }


def _times(overview: Overview, rows: NDArray[np.int64]) -> dict[str, Any]:
    assert overview.times is not None
    times = overview.times[rows]
    known = np.isfinite(times)
    values = [round(float(time), 3) if there else None for time, there in zip(times, known, strict=True)]
    return {"times": values, "marker": time_scale(times, overview.time_kind)}


def _rounded(values: NDArray[np.float32]) -> list[float]:
    return [round(float(value), 4) for value in values]
