"""Figures are the same bytes for the same numbers, and draw everything that they are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure

from undertow.paper import plots

TIMES = {
    "20 Newsgroups": {
        "CD-1": [plots.Timing(100, 3.0, False), plots.Timing(1000, 9.0, False)],
        "α-NCE, k=1": [plots.Timing(100, 1.0, False), plots.Timing(1000, 1.1, True)],
    }
}
CURVES = {"faithful settings": {"CD-1": plots.Curve([0.1, 1.0], [0.8, 0.1])}, "tuned settings": {}}
LEVELS = [
    plots.LevelPanel(
        "IMDB", "accuracy", {"counts": [plots.Level(0.0, 0.8, 0.01)], "idf": []}, ("CD-1", 0.85)
    ),
    plots.LevelPanel("IMDB", "accuracy", {"counts": [], "idf": []}, ("CD-1", None)),
]
DRAWINGS: list[Callable[[], Figure]] = [
    partial(plots.time_panels, TIMES),
    partial(plots.precision_recall_panels, CURVES),
    partial(plots.level_panels, LEVELS),
]


@pytest.mark.parametrize("draw", DRAWINGS)
def test_same_numbers_same_file(draw: Callable[[], Figure]) -> None:
    svg, png = plots.rendered(draw, "svg"), plots.rendered(draw, "png")
    assert svg == plots.rendered(draw, "svg")
    assert png == plots.rendered(draw, "png")
    assert b"<dc:date>" not in svg
    assert png.startswith(b"\x89PNG")
    assert b"\n" in svg


def test_figures_are_17_cm_wide_and_labelled() -> None:
    for draw in DRAWINGS:
        figure = draw()
        assert figure.get_figwidth() == pytest.approx(17 / 2.54)
        for place in figure.axes:
            assert place.get_xlabel()
        assert figure.axes[0].get_ylabel()
        assert figure.legends


def test_made_up_points_are_hollow() -> None:
    (place,) = plots.time_panels(TIMES).axes
    hollow = [line for line in place.lines if line.get_markerfacecolor() == "white"]
    assert [np.asarray(line.get_xdata()).tolist() for line in hollow] == [[], [1000.0]]


def test_lines_of_a_panel_differ_in_colour_and_marker() -> None:
    (place, *_) = plots.precision_recall_panels(
        {"tuned": {str(number): plots.Curve([0, 1], [1, 0]) for number in range(6)}}
    ).axes
    assert len({line.get_color() for line in place.lines}) == 6
    assert len({line.get_marker() for line in place.lines}) == 6
