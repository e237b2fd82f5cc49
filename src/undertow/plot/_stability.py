"""How many topics? The figures behind the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow.plot._look import check_extra, dressed
from undertow.plot.palette import PALETTE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.topics import TopicChoice


def stability(choice: TopicChoice) -> Figure:
    """How many topics: how well trees from two halves of the documents agree, for each number of
    topics. The chosen one is marked.

    Parameters
    ----------
    choice : undertow.topics.TopicChoice
        What `TopicModel.choose_topics` gives.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.stability(model.choose_topics())
    """
    check_extra()
    from plotly.graph_objects import Figure, Scatter

    numbers, figures = [n for n, _ in choice.figures], [figure for _, figure in choice.figures]
    hover = "%{x} topics: %{y:.2f}<extra></extra>"
    figure = Figure(
        Scatter(
            x=numbers,
            y=figures,
            mode="lines+markers",
            line={"color": PALETTE[0]},
            hovertemplate=hover,
        )
    )
    chosen = dict(choice.figures).get(choice.n)
    if chosen is not None:
        mark = {"color": PALETTE[3], "size": 13, "symbol": "circle-open", "line": {"width": 3}}
        figure.add_trace(
            Scatter(x=[choice.n], y=[chosen], mode="markers", marker=mark, hovertemplate=hover)
        )
    figure.update_xaxes(title="topics")
    figure.update_yaxes(title="agreement of two halves", rangemode="tozero")
    return dressed(figure, height=380, title=f"{choice.n} topics", showlegend=False)
