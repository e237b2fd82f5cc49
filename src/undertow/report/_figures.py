"""The figures of a report, as plotly's JSON: name -> figure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from undertow import plot
from undertow.plot._history import panel_figures
from undertow.plot._look import dressed
from undertow.plot._palette import PALETTE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel
    from undertow.insight import Overview

MOST_SIMILAR = 256  # topics: a square of more takes more room than it tells


def figures(model: TopicModel, overview: Overview | None, judged: dict[str, Any]) -> dict[str, Any]:
    """All figures but the map; those that there is nothing for are left out."""
    found: dict[str, Figure] = {}
    units = model.softmax_.parameters_.units
    if units > 1:
        found["similarity"] = plot.similarity(model, MOST_SIMILAR if units > MOST_SIMILAR else None)
    if overview is not None and overview.over_time is not None:
        found["over-time"] = plot.over_time(overview, model)
    if model.softmax_.history_:
        found |= {f"training-{number}": figure for number, figure in enumerate(panel_figures(model))}
    if "precision_at_recall" in judged:
        found["precision"] = precision(judged["precision_at_recall"])
    return {name: json.loads(figure.to_json()) for name, figure in found.items()}


def precision(levels: list[dict[str, float]]) -> Figure:
    """Precision at each recall, when test documents look for training documents of their label."""
    from plotly.graph_objects import Figure, Scatter

    curve = Scatter(
        x=[level["recall"] for level in levels],
        y=[level["precision"] for level in levels],
        mode="lines+markers",
        line={"color": PALETTE[0], "width": 2},
        hovertemplate="recall %{x:.0%}: precision %{y:.1%}<extra></extra>",
    )
    figure = Figure(curve)
    figure.update_xaxes(title="recall", tickformat=".0%", range=[0, 1.02])
    figure.update_yaxes(title="precision", tickformat=".0%", rangemode="tozero")
    heading = {"text": "precision and recall of posteriors", "font": {"size": 14}}
    return dressed(figure, height=300, showlegend=False, title=heading)
