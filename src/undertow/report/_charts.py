"""What the report's own scripts draw: curves and streams, as plain numbers and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow.estimators.topic_parts import atlas_of
from undertow.plot import time_axis
from undertow.plot.history_panels import panels
from undertow.plot.palette import PALETTE
from undertow.plot.topic_colours import tree_order

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.insight import Overview

TICKS = 7  # words below an axis of times


def charts(model: TopicModel, judged: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """All curves, by name; those that there is nothing for are left out."""
    found: dict[str, dict[str, Any]] = {}
    choice = model.choose_topics()
    if choice.figures:
        numbers, agreement = zip(*choice.figures, strict=True)
        found["stability"] = curve(
            "agreement of two halves", numbers, agreement, x="topics", digits=2, marked=choice.n
        )
    if model.softmax_.history_:
        epochs, shown = panels(model)
        for number, panel in enumerate(shown):
            percent, digits = "%" in panel.form, int("".join(filter(str.isdigit, panel.form)) or 0)
            drawn = curve(
                panel.title, epochs, panel.values, x="epoch", digits=digits, percent=percent
            )
            found[f"training-{number}"] = {**drawn, "colour": PALETTE[number % len(PALETTE)]}
    if "precision_at_recall" in judged:
        levels = judged["precision_at_recall"]
        recall, precision = (
            [level["recall"] for level in levels],
            [level["precision"] for level in levels],
        )
        found["precision"] = curve(
            "precision at each recall", recall, precision, x="recall", digits=1, percent=True
        )
    return found


def curve(
    title: str,
    xs: Sequence[float],
    ys: Sequence[float | None],
    *,
    x: str,
    digits: int,
    percent: bool = False,
    marked: float | None = None,
) -> dict[str, Any]:
    """One curve: what it is called, its points, and how values are written."""
    values = [
        None if value is None or not np.isfinite(value) else float(f"{value:.6g}") for value in ys
    ]
    return {
        "title": title,
        "x": [float(f"{value:.6g}") for value in xs],
        "y": values,
        "of": x,
        "digits": digits,
        "percent": percent,
        "marked": marked,
        "colour": PALETTE[0],
    }


def streams(model: TopicModel, n: int | None, overview: Overview | None) -> dict[str, Any] | None:
    """Topics over time: the places of topics in the order of the tree, and their shares of each
    stretch of time.
    """
    series = None if overview is None else overview.over_time
    if series is None or overview is None:
        return None
    atlas = atlas_of(model)
    nodes = atlas.cut(n)
    shares, order = series.shares(atlas, nodes), tree_order(atlas, nodes)
    filled = np.flatnonzero(series.documents)
    middles, span = (
        (series.edges[:-1] + series.edges[1:]) / 2,
        float(series.edges[-1] - series.edges[0]),
    )
    whole = (middles - series.edges[0]) / span
    ticks = np.unique(
        np.linspace(0, len(middles) - 1, min(TICKS, len(middles))).round().astype(int)
    )
    length = float(np.diff(series.edges).max())
    return {
        "order": order,
        "at": np.round(whole[filled], 5).tolist(),
        "shares": [np.round(shares[filled, place], 5).tolist() for place in order],
        "when": [
            time_axis.written(float(series.edges[place]), overview.time_kind, span)
            for place in filled
        ],
        "bars": {"at": np.round(whole, 5).tolist(), "documents": series.documents.tolist()},
        "ticks": [
            {
                "at": float(whole[place]),
                "text": time_axis.written(float(series.edges[place]), overview.time_kind, span),
            }
            for place in ticks
        ],
        "width": length / span,
    }
