"""Topics over time, as streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow._errors import InvalidInput
from undertow.estimators.topic_parts import atlas_of
from undertow.plot import time_axis
from undertow.plot._look import check_extra, dressed
from undertow.plot.labels import label
from undertow.plot.palette import REST
from undertow.plot.topic_colours import topic_styles, tree_order

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel
    from undertow.insight import Overview
    from undertow.topics import Atlas


def over_time(
    overview: Overview, model: TopicModel, n: int | None = None, topics: Sequence[int] | None = None
) -> Figure:
    """Topics over time: the share of the documents of each stretch of time in each topic, on top of
    each other; below, how many documents there are.

    Parameters
    ----------
    overview : undertow.insight.Overview
        One whose documents have times.
    model : TopicModel
        The model that it was made with.
    n : int or None
        How many topics; None for the model's own number.
    topics : sequence of int or None
        Ids of topics, of which these alone are shown, in place of a cut.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure. A stretch without documents is left out.

    Raises
    ------
    InvalidInput
        Where documents have no times.

    Examples
    --------
    >>> import polars as pl
    >>> days = [f"2026-01-{day % 28 + 1:02}" for day in range(len(texts))]
    >>> dated = pl.DataFrame({"text": texts, "time": days})
    >>> overview = undertow.insight.overview_of_texts(model, dated)
    >>> figure = undertow.plot.over_time(overview, model, 2)
    """
    check_extra()
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    series = overview.over_time
    if series is None:
        raise InvalidInput("overview must be of documents with times, got one without")
    atlas = atlas_of(model)
    nodes = atlas.cut(n) if topics is None else _checked(topics, atlas)
    shares, names, styles = (
        series.shares(atlas, nodes),
        atlas.names_of(nodes),
        topic_styles(atlas, nodes),
    )
    middles = (series.edges[:-1] + series.edges[1:]) / 2
    filled = np.flatnonzero(series.documents)
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.8, 0.2], vertical_spacing=0.05
    )
    for place in tree_order(atlas, nodes):
        stream = Scatter(
            x=time_axis.axis_values(middles[filled], overview.time_kind),
            y=shares[filled, place],
            mode="lines",
            line={
                "width": 0.8,
                "color": "rgba(255, 255, 255, 0.7)",
                "shape": "spline",
                "smoothing": 0.6,
            },
            fillcolor=styles[place][0],
            stackgroup="topics",
            name=label(names[place], 32),
            hovertemplate="%{y:.1%} %{fullData.name}<extra></extra>",
        )
        figure.add_trace(stream, row=1, col=1)
    bars: dict[str, Any] = {"marker": {"color": REST, "opacity": 0.6}, "showlegend": False}
    x = time_axis.axis_values(middles, overview.time_kind)
    counts = Bar(x=x, y=series.documents, hovertemplate="%{y:,} documents<extra></extra>", **bars)
    figure.add_trace(counts, row=2, col=1)
    figure.update_yaxes(
        tickformat=".0%", rangemode="tozero", title="share of documents", row=1, col=1
    )
    figure.update_yaxes(title="documents", nticks=3, row=2, col=1)
    legend = {"traceorder": "reversed", "font": {"size": 12}}
    return dressed(figure, height=560, hovermode="x", legend=legend, bargap=0.1)


def _checked(topics: Sequence[int], atlas: Atlas) -> list[int]:
    """Ids of topics, none of which lies in another: a document is counted once."""
    nodes = [atlas.checked(topic, "topics") for topic in topics]
    covered = sum(len(atlas.tree.leaf_rows(node)) for node in set(nodes))
    if (
        not nodes
        or len(set(nodes)) < len(nodes)
        or covered != np.count_nonzero(atlas.tree.positions(nodes) >= 0)
    ):
        raise InvalidInput(
            f"topics must be ids of which none lies in another, got {list(topics)!r:.80}"
        )
    return nodes
