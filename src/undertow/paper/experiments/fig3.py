"""Figure 3: retrieval and accuracy over the noise level alpha, counts and idf, with CD as the line
to beat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from undertow.paper import plots, settings
from undertow.paper.corpora import Corpus
from undertow.paper.experiments.models import level_cells, model_cells, records_of
from undertow.paper.kinds import ModelCell
from undertow.paper.report import (
    Cells,
    Experiment,
    Picture,
    Report,
    Results,
    Summary,
    Table,
    named,
    summarise,
)
from undertow.paper.scale import Scale


@dataclass(frozen=True)
class Panel:
    """One of the three: a figure on a data set, over alpha."""

    title: str
    axis: str
    corpus: Corpus
    figure: str
    models: dict[str, str]  # line of the panel -> model
    divergences: tuple[str, ...]  # the CDs of which the best is the line across
    digits: int = 3


ON_POSTS = {"counts": "α-NCE 25", "idf": "α-NCE 25 idf"}
ON_FILMS = {"counts": "α-NCE 5", "idf": "α-NCE 5 idf"}
CD_ON_POSTS, CD_ON_FILMS = ("CD-1", "CD-5", "CD-1 idf"), ("CD-1", "CD-1 idf")
PANELS = (
    Panel(
        "20 Newsgroups, k=25",
        "mean average precision",
        settings.POSTS,
        "map",
        ON_POSTS,
        CD_ON_POSTS,
    ),
    Panel("20 Newsgroups, k=25", "accuracy", settings.POSTS, "accuracy", ON_POSTS, CD_ON_POSTS),
    Panel("IMDB, k=5", "accuracy", settings.FILMS, "accuracy", ON_FILMS, CD_ON_FILMS, digits=4),
)


def cells(scale: Scale) -> Cells:
    """Every level with both settings."""
    found: Cells = {}
    for family in settings.FAMILIES:
        for panel in PANELS:
            for model in panel.divergences:
                found |= named(model_cells(scale, panel.corpus, family, model), family, model)
            for line, model in panel.models.items():
                for cells in grid(scale, family, panel, line).values():
                    found |= named(cells, family, model)
    return found


def report(scale: Scale, results: Results) -> Report:
    """A figure for the tuned settings and one for the faithful ones, and their numbers."""
    pictures, tables = [], []
    for family in ("faithful", "tuned"):
        panels = [_drawn(panel, scale, family, results) for panel in PANELS]
        seeds = "bars of one standard deviation over seeds" if scale.seeds > 1 else "one seed"
        pictures.append(
            Picture(
                "fig3" if family == "tuned" else f"fig3-{family}",
                f"Noise level α, {family} settings, {seeds}; the dashed line is the best CD of "
                f"these settings.",
                partial(plots.level_panels, panels),
            )
        )
        tables.append(_table(family, scale, results))
    return Report(tables=tables, pictures=pictures)


def grid(scale: Scale, family: str, panel: Panel, line: str) -> dict[float, list[ModelCell]]:
    """alpha -> cells of a line of a panel."""
    return {
        level: level_cells(scale, panel.corpus, family, panel.models[line], level)
        for level in scale.levels
    }


def _best_divergence(
    panel: Panel, scale: Scale, family: str, results: Results
) -> tuple[str, Summary]:
    """The CD with the best mean, and its figures."""
    found = {
        model: summarise(
            records_of(model_cells(scale, panel.corpus, family, model), results), panel.figure
        )
        for model in panel.divergences
    }
    best = max(found, key=lambda model: found[model].rank)
    return best, found[best]


def _summaries(
    panel: Panel, scale: Scale, family: str, line: str, results: Results
) -> dict[float, Summary]:
    return {
        level: summarise(records_of(cells, results), panel.figure)
        for level, cells in grid(scale, family, panel, line).items()
    }


def _drawn(panel: Panel, scale: Scale, family: str, results: Results) -> plots.LevelPanel:
    best, summary = _best_divergence(panel, scale, family, results)
    lines = {}
    for line in panel.models:
        found = _summaries(panel, scale, family, line, results)
        lines[line] = [
            plots.Level(level, value.mean, value.spread or 0.0)
            for level, value in found.items()
            if value.mean is not None
        ]
    return plots.LevelPanel(panel.title, panel.axis, lines, across=(best, summary.mean))


def _table(family: str, scale: Scale, results: Results) -> Table:
    columns, rows = ["α"], [[f"{level:g}"] for level in scale.levels] + [["best CD"]]
    for panel in PANELS:
        best, summary = _best_divergence(panel, scale, family, results)
        for line in panel.models:
            columns.append(f"{panel.title.partition(',')[0]}, {panel.axis}, {line}")
            found = _summaries(panel, scale, family, line, results)
            for row, value in zip(rows, found.values(), strict=False):
                row.append(value.text(panel.digits))
            rows[-1].append(f"{summary.text(panel.digits)} ({best})")
    return Table(f"{family.capitalize()} settings", columns, rows)


EXPERIMENT = Experiment("fig3", "Figure 3: choice of the noise level", cells, report)
