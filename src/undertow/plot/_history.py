"""How a training went: loss, retrieval, activity and speed, epoch by epoch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from undertow import _check
from undertow.plot._look import check_extra, dressed
from undertow.plot.history_panels import Panel, panels
from undertow.plot.palette import PALETTE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

    from undertow.estimators import ReplicatedSoftmax, TopicModel

PANEL = 210  # pixels
FEW = 60  # epochs up to which each has a mark


def history(model: TopicModel | ReplicatedSoftmax, *, columns: int | None = None) -> Figure:
    """The course of training, a panel each for loss, split-half retrieval (where it was measured),
    share of units on, and speed.

    Parameters
    ----------
    model : TopicModel or ReplicatedSoftmax
        A fitted one.
    columns : int or None
        How many panels stand side by side; None for two or three.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.history(model)
    """
    check_extra()
    from plotly.subplots import make_subplots

    epochs, shown = panels(model)
    if columns is None:
        columns = 3 if len(shown) in (3, 5) else 2
    columns = min(_check.whole_number("columns", columns, at_least=1), len(shown))
    rows = math.ceil(len(shown) / columns)
    cells: list[dict[str, Any] | None] = [{}] * len(shown) + [None] * (rows * columns - len(shown))
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=[cells[first : first + columns] for first in range(0, len(cells), columns)],
        subplot_titles=[panel.title for panel in shown],
        vertical_spacing=0.32 / rows,
        horizontal_spacing=0.24 / columns,
    )
    for place, panel in enumerate(shown):
        row, column = place // columns + 1, place % columns + 1
        figure.add_trace(_curve(epochs, panel, place), row=row, col=column)
        figure.update_yaxes(tickformat=panel.ticks, nticks=6, row=row, col=column)
    figure.update_annotations(font={"size": 13})
    figure.update_xaxes(tickformat="d", nticks=6)
    return dressed(figure, height=70 + rows * PANEL, showlegend=False)


def panel_figures(model: TopicModel | ReplicatedSoftmax) -> list[Figure]:
    """The panels as figures of their own, for pages that lay them out by their width."""
    check_extra()
    from plotly.graph_objects import Figure

    epochs, shown = panels(model)
    figures = []
    for place, panel in enumerate(shown):
        figure = dressed(Figure(_curve(epochs, panel, place)), height=PANEL + 40, showlegend=False)
        figure.update_layout(title={"text": panel.title, "font": {"size": 14}})
        figure.update_yaxes(tickformat=panel.ticks, nticks=6)
        figure.update_xaxes(tickformat="d", nticks=6, title="epoch")
        figures.append(figure)
    return figures


def _curve(epochs: list[int], panel: Panel, place: int) -> Scatter:
    from plotly.graph_objects import Scatter

    return Scatter(
        x=epochs,
        y=panel.values,
        mode="lines+markers" if len(epochs) <= FEW else "lines",
        line={"color": PALETTE[place % len(PALETTE)], "width": 2},
        marker={"size": 4},
        connectgaps=True,
        hovertemplate=f"epoch %{{x}}: %{{y:{panel.form}}}<extra></extra>",
    )
