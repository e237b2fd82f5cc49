"""The figures, drawn to be printed: 17 cm wide, colours that the colour-blind can tell, and a
marker for every line.

Figures are made without pyplot: nothing global is kept, no window is opened, and the same numbers
give the same file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

WIDTH = 17 / 2.54  # inches
# Okabe and Ito's palette, without its yellow, which vanishes on white paper
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#000000",
    "#777777",
)
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so it is the same everywhere
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "svg.hashsalt": "undertow",  # the names inside an SVG file are random otherwise
}


@dataclass(frozen=True)
class Timing:
    """A point of Figure 1."""

    words: int
    milliseconds: float
    made_up: bool


@dataclass(frozen=True)
class Curve:
    """A line of Figure 2."""

    recall: Sequence[float]
    precision: Sequence[float]


@dataclass(frozen=True)
class Level:
    """A point of Figure 3."""

    alpha: float
    mean: float
    spread: float


@dataclass(frozen=True)
class LevelPanel:
    """A panel of Figure 3; `across` is the horizontal line: its label, and where it is if
    anywhere.
    """

    title: str
    axis: str
    lines: Mapping[str, Sequence[Level]]
    across: tuple[str, float | None]


def rendered(draw: Callable[[], Figure], kind: Literal["svg", "png"]) -> bytes:
    """The bytes of a figure's file: the same for the same numbers, without a date in them."""
    content = io.BytesIO()
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(STYLE):
        draw().savefig(content, format=kind, dpi=200, metadata=metadata)
    return content.getvalue()


def time_panels(panels: Mapping[str, Mapping[str, Sequence[Timing]]]) -> Figure:
    """Figure 1: a panel per data set, both axes logarithmic."""
    figure, axes = _panels(len(panels), height=0.52 * WIDTH, share_y=True)
    for place, (title, lines) in zip(axes, panels.items(), strict=True):
        for look, (label, points) in zip(
            _looks_of_learners(list(lines)), lines.items(), strict=True
        ):
            place.loglog(
                [p.words for p in points], [p.milliseconds for p in points], label=label, **look
            )
            hollow = [point for point in points if point.made_up]
            place.plot(
                [p.words for p in hollow],
                [p.milliseconds for p in hollow],
                linestyle="none",
                marker=look["marker"],
                color=look["color"],
                markerfacecolor="white",
                zorder=3,
            )
        place.set(title=title, xlabel="vocabulary size K (words)")
        for axis in (place.xaxis, place.yaxis):
            axis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("time per minibatch (ms)")
    _legend_below(figure, axes[0], columns=6)
    return figure


def precision_recall_panels(panels: Mapping[str, Mapping[str, Curve]]) -> Figure:
    """Figure 2: a panel per family of settings."""
    figure, axes = _panels(len(panels), height=0.5 * WIDTH, share_y=True)
    order = list(dict.fromkeys(label for lines in panels.values() for label in lines))
    for place, (title, lines) in zip(axes, panels.items(), strict=True):
        for label, curve in lines.items():
            look = _look(order.index(label))
            place.plot(curve.recall, curve.precision, label=label, **look)
        place.set(title=title, xlabel="recall", xlim=(0, 1.02))
    highest = max(
        (max(curve.precision) for lines in panels.values() for curve in lines.values()), default=1.0
    )
    axes[0].set_ylim(0, 1.05 * highest)  # the others share it
    axes[0].set_ylabel("precision")
    _legend_below(figure, max(axes, key=lambda place: len(place.lines)), columns=6)
    return figure


def level_panels(panels: Sequence[LevelPanel]) -> Figure:
    """Figure 3: a panel per figure of merit."""
    figure, axes = _panels(len(panels), height=0.42 * WIDTH, share_y=False)
    for place, panel in zip(axes, panels, strict=True):
        for number, (label, levels) in enumerate(panel.lines.items()):
            values = [level.mean for level in levels]
            spreads = [level.spread for level in levels]
            place.errorbar(
                [level.alpha for level in levels],
                values,
                yerr=spreads,
                label=label,
                capsize=2,
                **_look(number),
            )
        label, height = panel.across
        if height is not None:
            place.axhline(height, color=GREY, linestyle="--", label="best CD", zorder=1)
        place.set(
            title=f"{panel.title}\n(best CD: {label})", xlabel="noise level α", ylabel=panel.axis
        )
    _legend_below(figure, axes[0], columns=3)
    return figure


def _panels(number: int, *, height: float, share_y: bool) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(1, number, sharey=share_y, squeeze=False)
    return figure, list(axes[0])


def _look(number: int) -> dict[str, Any]:
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def _looks_of_learners(labels: Sequence[str]) -> list[dict[str, Any]]:
    """A colour for each learner: what differs is seen first, and markers tell the rest."""
    colours = {"CD": RED, "MH-CD": GREEN, "ratio matching": PURPLE}
    return [
        {
            "color": next((one for name, one in colours.items() if label.startswith(name)), BLUE),
            "marker": MARKERS[number % len(MARKERS)],
        }
        for number, label in enumerate(labels)
    ]


def _legend_below(figure: Figure, place: Axes, *, columns: int) -> None:
    """Below the panels, where it covers nothing."""
    handles, labels = place.get_legend_handles_labels()
    if "best CD" in labels:  # the line to beat comes after those that have to beat it
        handles, labels = handles[1:] + handles[:1], labels[1:] + labels[:1]
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
