"""How many topics? Where a cut is stable: two halves of the documents, clustered apart, should say
the same.

Labels are not needed. For every number of topics two trees, each grown from half of the documents,
sort all documents; the figure is how well the two agree (adjusted mutual information, so that
chance is 0 whatever the number).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST, FEWEST = 40, 5  # topics that are offered unasked
# of agreement that e times as many topics are worth: between cuts as stable, people want the finer
DETAIL = 0.04
DOCUMENTS_A_TOPIC = 20  # at least, on average


@dataclass(frozen=True)
class TopicChoice:
    """The number of topics chosen, and the figures behind it: (number, agreement of two halves).

    Examples
    --------
    >>> choice = model.choose_topics()
    >>> choice.n == len(model.topics())
    True
    """

    n: int
    figures: tuple[tuple[int, float], ...]

    def plot(self) -> Any:
        """The figures as a plotly figure (extra `explorer`).

        Returns
        -------
        plotly.graph_objects.Figure
            As `undertow.plot.stability` makes it.

        Examples
        --------
        >>> figure = choice.plot()
        """
        # By name: figures are a layer above, and only asked for here.
        return import_module("undertow.plot").stability(self)

    def __str__(self) -> str:
        listed = ", ".join(f"{n}: {figure:.2f}" for n, figure in self.figures)
        return f"{self.n} topics (agreement of two halves by number of topics: {listed})"


def numbers_tried(leaves: int, documents: int) -> list[int]:
    """The numbers of topics that are looked at: closely spaced where few, a tenth apart where
    many.
    """
    most = min(MOST, leaves, max(documents // DOCUMENTS_A_TOPIC, 2))
    found, size = [], min(FEWEST, most)
    while size <= most:
        found.append(size)
        size = max(size + 1, round(size * 1.12))
    return found


def agreement(first: NDArray[np.int32], second: NDArray[np.int32]) -> float:
    """How well two sortings of the same documents agree; 1 for the same, 0 for chance."""
    from sklearn.metrics import adjusted_mutual_info_score

    return float(adjusted_mutual_info_score(first, second))


def chosen_number(figures: Sequence[tuple[int, float]]) -> int:
    """The number with the largest agreement, smoothed over its neighbours, plus what detail is
    worth.
    """
    values = np.array([figure for _, figure in figures])
    padded = np.pad(values, 1, mode="edge")
    smooth = (padded[:-2] + 2.0 * values + padded[2:]) / 4.0
    worth = smooth + DETAIL * np.log([n for n, _ in figures])
    return figures[int(worth.argmax())][0]
