"""The plots of a run, as SVG: the same numbers give the same bytes. The look is that of the paper's
figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from undertow.paper.plots import COLOURS, MARKERS, WIDTH, rendered

Line = tuple[list[float], list[float]]


def drawn(results: dict[str, Any]) -> dict[str, bytes]:
    """Every plot that the results have numbers for, by name."""
    drawings: dict[str, Callable[[], Figure]] = {}
    if "ms" in results.get("steps", {}):
        drawings["steps"] = partial(step_times, _step_lines(results))
    if "units" in results.get("growth", {}):
        drawings["growth"] = partial(growth, results["growth"])
    systems = results.get("quality", {}).get("systems")
    if systems:
        drawings["quality"] = partial(quality, systems)
        drawings["rates"] = partial(rates, systems)
    return {name: rendered(draw, "svg") for name, draw in drawings.items()}


def step_times(lines: Mapping[str, Line]) -> Figure:
    """Milliseconds over the vocabulary size, both logarithmic."""
    figure, (place,) = _panels(1)
    _draw(place, lines)
    place.set(
        xscale="log",
        yscale="log",
        xlabel="vocabulary size K (words)",
        ylabel="time per minibatch (ms)",
    )
    place.legend()
    return figure


def growth(found: Mapping[str, Any]) -> Figure:
    """Milliseconds over k and over H."""
    figure, places = _panels(2)
    for place, (axis, figures) in zip(
        places,
        (("noise documents k", found["noises"]), ("hidden units H", found["units"])),
        strict=True,
    ):
        _draw(place, {"alpha-NCE": _line(figures["ms"])})
        place.set(xlabel=axis, ylabel="time per minibatch (ms)", ylim=(0, None))
    return figure


def quality(systems: Mapping[str, Any]) -> Figure:
    """MAP over seconds of training, a line per system and kind of vectors."""
    figure, (place,) = _panels(1)
    lines: dict[str, Line] = {}
    for name, figures in systems.items():
        for kind, curve in figures["curves"].items():
            points = sorted(curve)
            lines[f"{name} ({kind})"] = (
                [seconds for seconds, _ in points],
                [reached for _, reached in points],
            )
    _draw(place, lines)
    place.set(
        xscale="log", xlabel="seconds of training", ylabel="MAP on the test part", ylim=(0, None)
    )
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def rates(systems: Mapping[str, Any]) -> Figure:
    """Tokens a second, a bar per system."""
    figure, (place,) = _panels(1)
    names = list(systems)[::-1]
    values = [systems[name]["tokens_per_second"] / 1e6 for name in names]
    bars = place.barh(names, values, color=COLOURS[0])
    place.bar_label(bars, labels=[f"{value:.2g}" for value in values], padding=3)
    place.set(xlabel="million tokens a second, training", xlim=(0, 1.1 * max(values)))
    place.grid(visible=False, axis="y")
    return figure


def label_curves(panels: Mapping[str, Mapping[str, Sequence[tuple[int, float, float]]]]) -> Figure:
    """Accuracy over labels a class, which is logarithmic; points are labels, mean and deviation."""
    figure, places = _panels(len(panels))
    for place, (title, lines) in zip(places, panels.items(), strict=True):
        for number, (name, points) in enumerate(lines.items()):
            across, up, spread = zip(*points, strict=True)
            place.errorbar(across, up, yerr=spread, label=name, capsize=2, **_look(number))
        place.set(
            title=title, xscale="log", xlabel="labels a class", ylabel="accuracy on the test part"
        )
        place.set_xticks(across, [str(size) for size in across])
        place.xaxis.set_minor_locator(NullLocator())
    handles, names = places[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names))
    return figure


def _step_lines(results: dict[str, Any]) -> dict[str, Line]:
    lines = {"alpha-NCE": _line(results["steps"]["ms"])}
    for name in ("CD-1", "CD-5"):
        times = results.get("divergence", {}).get(f"{name.lower().replace('-', '')}_ms")
        if times:
            lines[name] = _line(times)
    return lines


def _line(figures: Mapping[str, float]) -> Line:
    return [float(size) for size in figures], list(figures.values())


def _panels(number: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, 0.55 * WIDTH), layout="constrained")
    return figure, list(figure.subplots(1, number, squeeze=False)[0])


def _draw(place: Axes, lines: Mapping[str, Line]) -> None:
    for number, (name, (across, up)) in enumerate(lines.items()):
        place.plot(across, up, label=name, **_look(number))


def _look(number: int) -> dict[str, Any]:
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
