"""How alike topics are, as a square of colours with like beside like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.plot._look import check_extra, dressed
from undertow.plot.labels import label
from undertow.plot.palette import UP

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from undertow.estimators import TopicModel

CLEAR_UP = "rgba(26, 115, 184, 0)"  # nothing of it: the page shows through
NAMED = 40  # topics up to which each has its name beside it


def similarity(model: TopicModel, n: int | None = None) -> Figure:
    """How alike the topics of a cut are: cosines between their mean vectors, like beside like.

    Parameters
    ----------
    model : TopicModel
        A fitted one.
    n : int or None
        How many topics; None for the model's own number.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Examples
    --------
    >>> figure = undertow.plot.similarity(model, 3)
    """
    check_extra()
    from plotly.graph_objects import Figure, Heatmap

    from undertow.insight import topic_similarity

    cosines = topic_similarity(model, n)
    order = like_beside_like(cosines)
    cosines = cosines[np.ix_(order, order)]
    listed = list(model.topic_names(n).items())
    # a name may be given twice
    names = [f"{label(listed[place][1], 32)} · {listed[place][0]}" for place in order]
    square = Heatmap(
        x=names,
        y=names,
        z=np.round(cosines.astype(np.float64), 3),
        zmin=0.0,
        zmax=1.0,
        colorscale=[[0.0, CLEAR_UP], [1.0, UP]],
        colorbar={
            "thickness": 12,
            "outlinewidth": 0,
            "title": {"text": "cosine", "font": {"size": 12}},
        },
        hovertemplate="%{x}<br>%{y}<br>%{z:.2f}<extra></extra>",
    )
    figure = Figure(square)
    ticks = {
        "type": "category",
        "showgrid": False,
        "showticklabels": len(names) <= NAMED,
        "dtick": 1,
    }
    figure.update_xaxes(tickangle=60, constrain="domain", **ticks)
    figure.update_yaxes(autorange="reversed", scaleanchor="x", constrain="domain", **ticks)
    return dressed(figure, height=720)


def like_beside_like(cosines: NDArray[np.float32]) -> NDArray[np.int64]:
    """An order in which neighbours are alike: the leaves of a tree of clusters."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(cosines) < 3:
        return np.arange(len(cosines))
    distances = 1.0 - cosines.astype(np.float64)
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), method="average", optimal_ordering=True)
    return leaves_list(tree).astype(np.int64)
