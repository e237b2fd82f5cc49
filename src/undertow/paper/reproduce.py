"""From the name of a table or figure to its files: what `undertow paper` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from undertow import _extras

if TYPE_CHECKING:
    from undertow.paper.cells import Cell
    from undertow.paper.report import Cells, Experiment
    from undertow.paper.runner import Workshop
    from undertow.paper.scale import Scale


Times = Literal["missing", "anew", "none"]  # which cells that take times are computed


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    computed: int  # cells
    found: int  # cells that were on disk
    page: Path


def check_extra() -> None:
    """What the extra installs is there; said before any work is done."""
    _extras.require("undertow paper", "paper", "matplotlib", "Stemmer")


def reproduce(
    what: str,
    *,
    scale: Scale,
    out: Path,
    page: Path,
    command: Callable[[str], str],
    jobs: int,
    times: Times = "missing",
    known: Path | None = None,
    quiet: bool = True,
) -> Outcome:
    """Computes what is missing of an experiment (or of "all"), and writes its files and its part of
    the page.

    `command` gives the line that makes an experiment again, which the page shows. `known` is a
    folder of results whose records need not be computed.
    """
    from undertow.paper import page as pages
    from undertow.paper.experiments import EXPERIMENTS
    from undertow.paper.runner import Workshop

    experiments = list(EXPERIMENTS.values()) if what == "all" else [EXPERIMENTS[what]]
    cells = {experiment.name: experiment.cells(scale) for experiment in experiments}
    workshop = Workshop(out, progress=not quiet)
    if known is not None:
        workshop.records.take(known)
    everything = list(dict.fromkeys(cell for found in cells.values() for cell in found))
    missing = _missing(workshop, everything, times)
    _compute(workshop, missing, len(everything), jobs=jobs, quiet=quiet)
    sections = {
        experiment.name: _write(
            experiment, cells[experiment.name], workshop, scale, page, command(experiment.name)
        )
        for experiment in experiments
    }
    pages.update(
        page, sections, {experiment.name: experiment.heading for experiment in experiments}
    )
    shown = sum(len(workshop.results([cell])) for cell in everything)
    return Outcome(len(missing), shown - len(missing), page)


def with_seeds(scale: Scale, seeds: int | None) -> Scale:
    """The scale with another number of seeds, where one is given."""
    return scale if seeds is None else replace(scale, seeds=seeds)


def _write(
    experiment: Experiment, cells: Cells, workshop: Workshop, scale: Scale, page: Path, command: str
) -> str:
    """The files of an experiment; returns its section of the page."""
    from undertow.paper import outputs
    from undertow.paper import page as pages

    results = workshop.results(cells)
    report = experiment.report(scale, results)
    files, figures = workshop.folder / "results", workshop.folder / "figures"
    outputs.write_json(
        files / f"{experiment.name}.json", experiment, report, results, scale=scale, command=command
    )
    outputs.write_csv(files / f"{experiment.name}.csv", cells, results)
    outputs.write_figures(figures, report)
    return pages.section(
        experiment, report, results, scale=scale, command=command, figures=figures, page=page
    )


def _missing(workshop: Workshop, cells: Sequence[Cell], times: Times) -> list[Cell]:
    """The cells to compute, long ones first."""
    missing = workshop.missing(cells)
    if times == "missing":
        return missing
    others = [cell for cell in missing if not cell.alone]
    return others + ([cell for cell in cells if cell.alone] if times == "anew" else [])


def _compute(
    workshop: Workshop, missing: list[Cell], total: int, *, jobs: int, quiet: bool
) -> None:
    """Computes these cells, of so many."""
    from undertow.paper import runner

    if missing:
        with _progress(missing, total, quiet) as (say, done):
            workshop.prepare(missing, lambda corpus: say(f"counting {corpus.data}"))
            say("computing")
            runner.run(workshop, missing, jobs=jobs, done=done)


@contextmanager
def _progress(
    missing: Sequence[Cell], total: int, quiet: bool
) -> Iterator[tuple[Callable[[str], None], Callable[[Cell], None]]]:
    """A bar over the expected seconds, since cells differ much in length."""
    if quiet:
        yield lambda text: None, lambda cell: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[cells]}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    # cells take seconds to an hour: an estimate over the last half minute would be none
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=24 * 3600) as bar:
        ready = total - len(missing)
        task = bar.add_task(
            "", total=sum(cell.cost for cell in missing), cells=f"{ready}/{total} cells"
        )

        def done(cell: Cell) -> None:
            nonlocal ready
            ready += 1
            bar.update(task, advance=cell.cost, cells=f"{ready}/{total} cells")

        yield lambda text: bar.update(task, description=text), done
