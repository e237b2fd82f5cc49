"""Words with bars, in blocks side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from undertow import _check
from undertow.plot._look import dressed
from undertow.plot.labels import label

if TYPE_CHECKING:
    from plotly.graph_objects import Bar, Figure

ROW = 19  # pixels a word
HEADING = 62  # pixels above each block of words

Words = Sequence[tuple[str, float]]


def blocks(headings: list[str], words: Sequence[Words], colour: Any, columns: int) -> Figure:
    """A block of bars for each heading, which is escaped already; one colour for all, or one for
    each.
    """
    from plotly.subplots import make_subplots

    columns = min(_check.whole_number("columns", columns, at_least=1), len(headings))
    rows = math.ceil(len(headings) / columns)
    height = rows * (HEADING + max(map(len, words)) * ROW)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=headings,
        vertical_spacing=HEADING / height if rows > 1 else 0.0,
        horizontal_spacing=0.12,
    )
    for place, listed in enumerate(words):
        row, column = place // columns + 1, place % columns + 1
        figure.add_trace(
            bars(listed, colour if isinstance(colour, str) else colour[place]), row=row, col=column
        )
        figure.update_yaxes(row=row, col=column, **word_axis(listed))
        left = figure.get_subplot(row, column).xaxis.domain[0]
        figure.layout.annotations[place].update(x=left, xanchor="left", font={"size": 13})
    figure.update_xaxes(rangemode="tozero", nticks=4)
    return dressed(figure, height=height + 40, showlegend=False, bargap=0.25)


def bars(words: Words, colour: Any) -> Bar:
    """Bars that lie, the first word on top."""
    from plotly.graph_objects import Bar

    return Bar(
        x=[value for _, value in words],
        y=list(range(len(words))),
        orientation="h",
        marker={"color": colour, "line": {"width": 0}},
        customdata=[label(word) for word, _ in words],
        hovertemplate="%{customdata}<br>%{x:.3f}<extra></extra>",
    )


def word_axis(words: Words) -> dict[str, Any]:
    """Words stand beside numbered places: as categories, those such as "1990" would be taken for
    numbers.
    """
    return {
        "tickvals": list(range(len(words))),
        "ticktext": [label(word, 24) for word, _ in words],
        "range": [len(words) - 0.4, -0.6],
        "showgrid": False,
    }
