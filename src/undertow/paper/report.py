"""What an experiment hands over to be written: tables, pictures, and the rows of its CSV file; and
how figures read.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from undertow.paper.cells import Cell, Record
from undertow.paper.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Results = Mapping[Cell, Record]
# what to compute, each with its names in the CSV file: family, model
Cells = dict[Cell, dict[str, str]]
NONE = "–"


@dataclass(frozen=True)
class Table:
    """Cells of text, with the title above."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A figure: the name of its files, what it shows, and how to draw it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Report:
    """Everything that an experiment shows."""

    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper: what has to be computed, and how it is shown."""

    name: str
    heading: str
    cells: Callable[[Scale], Cells]
    report: Callable[[Scale, Results], Report]


@dataclass(frozen=True)
class Summary:
    """A figure over several seeds: mean and standard deviation, and how many of them diverged."""

    values: tuple[float, ...]
    diverged: int = 0

    @property
    def mean(self) -> float | None:
        """None where every seed diverged."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def spread(self) -> float | None:
        """The standard deviation of a sample; None for fewer than two values."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def rank(self) -> float:
        """What the best of several is the largest of; a model that always diverged comes last."""
        return -math.inf if self.mean is None else self.mean

    def text(self, digits: int = 3) -> str:
        """ ".648 ± .003"; seeds that diverged are said."""
        if self.mean is None:
            return "diverged" if self.diverged else NONE
        shown = share(self.mean, digits)
        if self.spread is not None:
            shown += f" ± {share(self.spread, digits)}"
        return f"{shown} ({self.diverged} diverged)" if self.diverged else shown


def summarise(records: Sequence[Record], figure: str) -> Summary:
    """One figure of the records of several seeds; records that lack it are left out."""
    values = [record.figures.get(figure) for record in records if not record.diverged]
    kept = tuple(float(value) for value in values if value is not None)
    return Summary(kept, sum(record.diverged for record in records))


def share(value: float | None, digits: int = 3) -> str:
    """.648: a number between -1 and 1 without the zero before the point."""
    if value is None:
        return NONE
    text = f"{value:.{digits}f}"
    return (
        text.replace("0.", ".", 1)
        if abs(value) < 1 and not text.lstrip("-").startswith("1")
        else text
    )


def in_digits(perplexity: float) -> str:
    """4,673, but 9e8: a perplexity without the digits that say nothing."""
    if perplexity < 1e5:
        return f"{perplexity:,.0f}"
    digit, _, power = f"{perplexity:.0e}".partition("e")
    return f"{digit}e{int(power)}"


def named(cells: Iterable[Cell], family: str, model: str) -> Cells:
    """These cells under one name."""
    return {cell: {"family": family, "model": model} for cell in cells}


def tidy_rows(cells: Cells, results: Results) -> list[dict[str, Any]]:
    """A row per cell that has a record: its names, its settings, then its figures (lists stay in
    the JSON file).
    """
    rows = []
    for cell, names in cells.items():
        if cell not in results:
            continue
        figures = {
            name: value
            for name, value in results[cell].figures.items()
            if not isinstance(value, list)
        }
        rows.append({**names, **cell.labels(), **figures})
    return rows
