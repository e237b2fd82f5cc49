"""Time to quality: how well the vectors of each system retrieve after so many seconds of training.

Every system runs in a process of its own, on the same damped counts of 20 Newsgroups (K = 2,000)
and the same cores. Its test documents ask for training documents of their group; MAP is
`undertow.tasks.retrieval_figures`'s. Judging happens here, after the system has ended, so its time
and memory are nobody's.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import newsgroups_data, peers
from benchmarks.effort import Effort
from benchmarks.peers import launch
from benchmarks.peers.work import Order
from benchmarks.progress import Say, Skipped
from benchmarks.tables import Sheet, figure
from undertow.counts import log_counts
from undertow.tasks import retrieval_figures

WORDS = 2_000
LEVELS = (0.2, 0.259, 0.38, 0.45)
SHOWN = (0.2, 0.259, 0.38)  # in the table
ROOTS = "root of shares"
COMPARED = {  # column of the table -> figure, and whether more is better
    "tokens/s": ("tokens_per_second", True),
    "best MAP": ("best_map", True),
    "documents/s": ("documents_per_second", True),
    "peak MiB": ("memory_mib", False),
}


@dataclass(frozen=True)
class Labelled:
    """Damped counts of both parts, and labels."""

    train: sparse.csr_array
    test: sparse.csr_array
    train_labels: NDArray[Any]
    test_labels: NDArray[Any]


def measure(effort: Effort, say: Say, data: Labelled | None = None) -> dict[str, Any]:
    """The figures of each system that is installed; `skipped` says why others are not there."""
    data = newsgroups() if data is None else data
    systems: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    for name in effort.systems:
        library = peers.missing(name)
        try:
            if library:
                raise launch.Failed(f"{library} is not installed (make bench-full installs it)")
            systems[name] = of_system(name, data, effort, say)
        except launch.Failed as failure:
            skipped[name] = str(failure)
            say(f"{name} is left out: {failure}")
    return {
        "tokens": int(data.train.sum()),
        "systems": systems,
        "skipped": skipped,
        "over_lsa": over_lsa(systems),
    }


def newsgroups() -> Labelled:
    """20 Newsgroups, or an explanation why not."""
    try:
        posts = newsgroups_data.load(WORDS)
    except FileNotFoundError as missing:
        raise Skipped(f"{missing}: time to quality is not measured") from missing
    return Labelled(
        log_counts(posts.train), log_counts(posts.test), posts.train_labels, posts.test_labels
    )


def of_system(name: str, data: Labelled, effort: Effort, say: Say) -> dict[str, Any]:
    """Trains in another process, then judges what it left."""
    with tempfile.TemporaryDirectory() as temporary:
        write(data, Path(temporary))
        order = Order(name, temporary, effort.topics, 1, effort.seconds, effort.due, effort.fits)
        tried: dict[str, float] = {}
        if peers.SYSTEMS[name].parallel and len(effort.workers) > 1:
            say(f"{name}: with how many workers it is quickest")
            tried = launch.rates_by_workers(order, effort)
        workers = int(max(tried, key=lambda number: tried[number], default=1))
        points: list[dict[str, Any]] = []

        def hear(point: dict[str, Any]) -> None:
            points.append(point)
            say(f"{name}: {point['passes']:g} passes in {point['seconds']:.1f} s")

        say(f"{name}: training, workers: {workers}")
        end = launch.run(replace(order, workers=workers), hear)
        end |= {
            "workers": workers,
            "workers_tried": tried,
            "memory_mib": end["peak_mib"] + end["helpers_peak_mib"],
        }
        return end | judged(points, Path(temporary), data, peers.SYSTEMS[name].shares, say)


def write(data: Labelled, folder: Path) -> None:
    """Counts as the processes of systems read them."""
    for part, counts in (("train", data.train), ("test", data.test)):
        sparse.save_npz(folder / f"{part}.npz", counts, compressed=False)


def judged(
    points: list[dict[str, Any]], folder: Path, data: Labelled, shares: bool, say: Say
) -> dict[str, Any]:
    """MAP of every point, by the kind of vectors that is best at the end and, where it is another,
    by the usual one.
    """
    last = points[-1]["files"]
    usual, *others = [ROOTS, *last] if shares else list(last)
    say("judging the last vectors")
    at_end = {kind: _map(*_vectors(kind, last, folder), data) for kind in (usual, *others)}
    best = max(at_end, key=lambda kind: at_end[kind])
    kinds = [best] if shares else list(dict.fromkeys([usual, best]))
    curves: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    for point in points:
        say(f"judging what {point['seconds']:.1f} s of training gave")
        for kind, curve in curves.items():
            reached = (
                at_end[kind]
                if point is points[-1]
                else _map(*_vectors(kind, point["files"], folder), data)
            )
            curve.append([point["seconds"], reached])
    times = {
        kind: {f"{level:.3f}": time_to(curve, level) for level in LEVELS}
        for kind, curve in curves.items()
    }
    return {
        "kind": best,
        "map_at_end": at_end,
        "best_map": max(reached for _, reached in curves[best]),
        "curves": curves,
        "passes_of_points": [point["passes"] for point in points],
        "seconds_to": times,
    }


def time_to(curve: list[list[float]], level: float) -> float | None:
    """The fewest seconds of training after which MAP was as high as that."""
    return min((seconds for seconds, reached in curve if reached >= level), default=None)


def over_lsa(systems: dict[str, Any]) -> dict[str, float | None]:
    """undertow's times to quality as multiples of LSA's time of training: seconds cancel out."""
    if "undertow" not in systems or "LSA" not in systems:
        return {}
    base = systems["LSA"]["seconds"]
    times = systems["undertow"]["seconds_to"].get("posterior", {})
    return {level: None if seconds is None else seconds / base for level, seconds in times.items()}


def _vectors(
    kind: str, files: dict[str, list[str]], folder: Path
) -> tuple[NDArray[Any], NDArray[Any]]:
    names = files["shares" if kind == ROOTS else kind]
    train, test = (np.load(folder / name, allow_pickle=False) for name in names)
    return (np.sqrt(train), np.sqrt(test)) if kind == ROOTS else (train, test)


def _map(train: NDArray[Any], test: NDArray[Any], data: Labelled) -> float:
    return retrieval_figures(
        test, data.test_labels, train, data.train_labels
    ).mean_average_precision


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """A row per system, and where it is better than undertow."""
    systems, ours = found["systems"], found["systems"].get("undertow")
    columns = ["system", "version", "workers", *COMPARED, *(f"s to {level:.3f}" for level in SHOWN)]
    rows = [
        [
            name,
            figures["version"],
            str(figures["workers"]),
            *(_compared(column, figures) for column in COMPARED),
            *(figure(fewest_seconds(figures, level)) or "never" for level in SHOWN),
            ", ".join(better_than(figures, ours))
            if ours and not name.startswith("undertow")
            else "",
        ]
        for name, figures in systems.items()
    ]
    notes = [f"{name}: left out, {reason}." for name, reason in found["skipped"].items()]
    title = f"20 Newsgroups, K={WORDS:,}: MAP on the test part, speed and memory"
    return [Sheet(title, [*columns, "better than undertow in"], rows, notes)]


def fewest_seconds(figures: dict[str, Any], level: float) -> float | None:
    """By any of its kinds of vectors."""
    times = [time[f"{level:.3f}"] for time in figures["seconds_to"].values()]
    return min((seconds for seconds in times if seconds is not None), default=None)


def better_than(figures: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Columns in which a system is ahead of undertow."""
    ahead = []
    for column, (key, more) in COMPARED.items():
        theirs, own = figures[key], ours[key]
        if theirs > own if more else theirs < own:
            ahead.append(column)
    for level in SHOWN:
        soonest = fewest_seconds(figures, level), fewest_seconds(ours, level)
        if soonest[0] is not None and (soonest[1] is None or soonest[0] < soonest[1]):
            ahead.append(f"s to {level:.3f}")
    return ahead


def _compared(column: str, figures: dict[str, Any]) -> str:
    value = figures[COMPARED[column][0]]
    return f"{value:.3f} ({figures['kind']})" if column == "best MAP" else figure(value)
