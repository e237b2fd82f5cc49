"""The map of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.estimators.topic_parts import atlas_of
from undertow.plot import colour_groups, time_axis
from undertow.plot._look import check_extra, dressed
from undertow.plot._places import Place, places
from undertow.plot.labels import label, paragraph, shortened
from undertow.plot.palette import REST, SYMBOLS, TIME

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scattergl

    from undertow.estimators import TopicModel
    from undertow.insight import Overview

MOST = 50_000
NAMES_SHOWN = 60
HALO = ", ".join(f"{x}px {y}px 2px #ffffff" for x in (-1, 0, 1) for y in (-1, 0, 1))

Rows = NDArray[np.int64]


def map(
    overview: Overview,
    model: TopicModel,
    n: int | None = None,
    *,
    colour: str = "topic",
    texts: Sequence[str] | None = None,
    most: int = MOST,
) -> Figure:
    """The map of an overview: a point for each document, near each other where they are about the
    same.

    Names of the largest groups, as far as they fit, stand beside their documents.

    Parameters
    ----------
    overview : undertow.insight.Overview
        What `overview_of_texts` or `overview_of_index` gives.
    model : TopicModel
        The model that it was made with.
    n : int or None
        How many topics; None for the model's own number.
    colour : {"topic", "label", "time"}
        What colours say.
    texts : sequence of str or None
        One for each document of the overview, shown under the pointer beside ids, labels and
        topics.
    most : int
        Points shown; of more documents a sample is drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> overview = undertow.insight.overview_of_texts(model, texts)
    >>> figure = undertow.plot.map(overview, model, 2, texts=texts)
    """
    check_extra()
    from plotly.graph_objects import Figure

    _check.one_of("colour", colour, colour_groups.COLOURS)
    if colour not in colour_groups.colourings(overview):
        raise InvalidInput(
            f"colour must be something that the documents have, got {colour!r}, which they lack"
        )
    if texts is not None and len(texts) != len(overview):
        raise InvalidInput(
            f"texts must hold {len(overview)} texts, one for each document, got {len(texts)}"
        )
    rows = colour_groups.shown_rows(overview, most)
    hover = dict(zip(rows.tolist(), hover_texts(overview, model, rows, texts, n), strict=True))
    if colour == "time":
        figure = Figure(_by_time(overview, rows, hover))
    else:
        found = colour_groups.groups(overview, model, colour, rows, n)
        figure = Figure([_by_group(overview, group, len(rows), hover) for group in reversed(found)])
        figure.update_layout(annotations=[_annotation(place) for place in _named(overview, found)])
    return map_layout(figure, title(len(rows), overview))


def _named(overview: Overview, groups: list[colour_groups.Group]) -> list[Place]:
    named = [group for group in groups if group.id >= 0]
    points = [overview.positions[group.rows].astype(np.float64) for group in named]
    return places([shortened(group.name, 32) for group in named], points, NAMES_SHOWN)


def map_layout(figure: Figure, heading: str) -> Figure:
    """The look of a map: no axes, one scale for both, dragging moves it."""
    bare = {"showgrid": False, "showticklabels": False, "zeroline": False}
    figure.update_xaxes(**bare)
    figure.update_yaxes(scaleanchor="x", **bare)
    return dressed(
        figure,
        height=680,
        title=heading,
        legend={"traceorder": "reversed", "font": {"size": 12}},
        margin={"l": 8, "r": 8, "t": 44, "b": 8},
        dragmode="pan",
    )


def title(shown: int, overview: Overview) -> str:
    """How many documents are on the map, and whether that is all of them."""
    return f"{shown:,} documents" + (
        f" of {overview.sampled_from:,}" if shown < overview.sampled_from else ""
    )


def hover_texts(
    overview: Overview, model: TopicModel, rows: Rows, texts: Sequence[str] | None, n: int | None
) -> list[str]:
    """What is shown under the pointer for each of these rows, escaped."""
    atlas = atlas_of(model)
    nodes = atlas.cut(n)
    names, topics = (
        [label(name, 50) for name in atlas.names_of(nodes)],
        overview.topics(atlas, nodes),
    )
    labels = [label(name, 50) for name in overview.labels]
    found = []
    for row in rows.tolist():
        topic, own = int(topics[row]), int(overview.label_of[row])
        lines = [f"<b>{label(overview.ids[row], 60)}</b>"]
        lines += [labels[own]] if own >= 0 else []
        lines += [f"topic: {names[topic]}"] if topic >= 0 else []
        lines += [paragraph(texts[row])] if texts is not None else []
        found.append("<br>".join(lines))
    return found


def _annotation(place: Place) -> dict[str, Any]:
    """A name on the map, dark with a white halo: read on any ground."""
    return {
        "x": round(place.x, 4),
        "y": round(place.y, 4),
        "text": label(place.name, 32),
        "showarrow": False,
        "font": {"size": 11, "color": "#1c2026", "shadow": HALO},
        "captureevents": False,
    }


def marker_size(shown: int) -> float:
    """Smaller the more there are."""
    return float(np.clip(9.0 - 1.8 * np.log10(max(shown, 1) / 30), 3.0, 9.0).round(1))


def time_scale(times: NDArray[np.float64], kind: str | None) -> dict[str, Any]:
    """The colours of times, and the bar beside the map that explains them: parts of a marker."""
    values, words = time_axis.scale_ticks(times, kind)
    bar = {"tickvals": values, "ticktext": words, "thickness": 12, "outlinewidth": 0}
    return {"colorscale": [list(stop) for stop in TIME], "colorbar": bar}


def _by_group(
    overview: Overview, group: colour_groups.Group, shown: int, hover: dict[int, str]
) -> Scattergl:
    marker = {
        "color": group.colour,
        "symbol": group.symbol,
        "opacity": 0.35 if group.id < 0 else 0.8,
    }
    return _points(
        overview, group.rows, hover, name=label(group.name, 32), marker=marker, shown=shown
    )


def _by_time(overview: Overview, rows: Rows, hover: dict[int, str]) -> list[Scattergl]:
    assert overview.times is not None
    times = overview.times[rows]
    known = np.isfinite(times)
    dated = {"color": times[known], "opacity": 0.8, **time_scale(times, overview.time_kind)}
    undated = {"color": REST, "symbol": SYMBOLS[0], "opacity": 0.35}
    parts = ((rows[~known], undated, "without a time"), (rows[known], dated, "with a time"))
    return [
        _points(overview, part, hover, name=name, marker=marker, shown=len(rows))
        for part, marker, name in parts
        if len(part)
    ]


def _points(
    overview: Overview,
    rows: Rows,
    hover: dict[int, str],
    *,
    name: str,
    marker: dict[str, Any],
    shown: int,
) -> Scattergl:
    from plotly.graph_objects import Scattergl

    return Scattergl(
        x=overview.positions[rows, 0],
        y=overview.positions[rows, 1],
        mode="markers",
        name=name,
        marker={"size": marker_size(shown), "line": {"width": 0}, **marker},
        customdata=[hover[row] for row in rows.tolist()],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend="colorscale" not in marker,
    )
