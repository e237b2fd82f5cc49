"""Topics over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow._errors import InvalidInput
from undertow.plot import _times
from undertow.plot._labels import label
from undertow.plot._look import check_extra, dressed
from undertow.plot._palette import PALETTE, REST

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel
    from undertow.insight import Overview, TopicsOverTime

LINES = ("solid", "dash", "dot")


def over_time(overview: Overview, model: TopicModel, topics: Sequence[int] | None = None) -> Figure:
    """The share of the documents of each stretch of time that switch a topic on, and how many documents there are.

    Of the given topics, or of the eight that change most.
    """
    check_extra()
    from plotly.graph_objects import Bar, Scatter
    from plotly.subplots import make_subplots

    from undertow.insight import topic_names

    series = overview.over_time
    if series is None:
        raise InvalidInput("overview must be of documents with times, got one without")
    names = topic_names(model)
    chosen = changing_most(series) if topics is None else _checked(topics, len(names))
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.8, 0.2], vertical_spacing=0.05)
    middles = _times.axis_values((series.edges[:-1] + series.edges[1:]) / 2, overview.time_kind)
    filled = series.documents > 0
    for number, topic in enumerate(chosen):
        line = {"color": PALETTE[number % len(PALETTE)], "dash": LINES[number // len(PALETTE) % len(LINES)], "width": 2}
        share = np.where(filled, series.share[:, topic], np.nan)
        words = {"name": label(names[topic], 32), "hovertemplate": "%{y:.1%} %{fullData.name}<extra></extra>"}
        curve = Scatter(
            x=middles, y=share, mode="lines+markers", line=line, marker={"size": 4}, cliponaxis=False, **words
        )
        figure.add_trace(curve, row=1, col=1)
    bars: dict[str, Any] = {"marker": {"color": REST, "opacity": 0.6}, "showlegend": False}
    counts = Bar(x=middles, y=series.documents, hovertemplate="%{y:,} documents<extra></extra>", **bars)
    figure.add_trace(counts, row=2, col=1)
    figure.update_yaxes(tickformat=".1~%", rangemode="tozero", title="documents that switch it on", row=1, col=1)
    figure.update_yaxes(title="documents", nticks=3, row=2, col=1)
    legend = {"orientation": "h", "y": -0.12, "font": {"size": 12}}
    return dressed(figure, height=520, hovermode="x unified", legend=legend, bargap=0.1)


def changing_most(series: TopicsOverTime, n: int = 8) -> list[int]:
    """Topics whose share varies most between stretches of time, each weighed by its documents; the largest first."""
    weights = series.documents / max(int(series.documents.sum()), 1)
    mean = weights @ series.share
    spread = weights @ (series.share - mean) ** 2
    chosen = np.argsort(-spread, kind="stable")[:n]
    return [int(topic) for topic in chosen[np.argsort(-mean[chosen], kind="stable")]]


def _checked(topics: Sequence[int], units: int) -> list[int]:
    wrong = [topic for topic in topics if topic not in range(units)]
    if wrong or not len(topics):
        raise InvalidInput(f"topics must be numbers from 0 to {units - 1}, got {wrong[0] if wrong else 'none'!r}")
    return [int(topic) for topic in topics]
