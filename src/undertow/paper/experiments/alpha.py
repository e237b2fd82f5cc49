"""The noise level chosen without labels, against the best of Figure 3's grid, which was found with
them.
"""

from __future__ import annotations

from undertow.paper.experiments import fig3
from undertow.paper.experiments.models import level_cells, records_of
from undertow.paper.kinds import ModelCell
from undertow.paper.report import (
    NONE,
    Cells,
    Experiment,
    Report,
    Results,
    Table,
    named,
    share,
    summarise,
)
from undertow.paper.scale import Scale

LINE, FAMILY = "idf", "tuned"


def cells(scale: Scale) -> Cells:
    """The models that choose for themselves, and the grid."""
    found: Cells = {}
    for panel in fig3.PANELS:
        model = panel.models[LINE]
        found |= named(_automatic(scale, panel), FAMILY, f"{model}, α chosen")
        for cells in fig3.grid(scale, FAMILY, panel, LINE).values():
            found |= named(cells, FAMILY, model)
    return found


def report(scale: Scale, results: Results) -> Report:
    """A table for each of Figure 3's panels."""
    notes = [
        "The best level is the one with the best mean over seeds on the test part; differences are "
        "seed by seed, and positive where the choice without labels is better."
    ]
    return Report(tables=[_table(panel, scale, results) for panel in fig3.PANELS], notes=notes)


def _automatic(scale: Scale, panel: fig3.Panel) -> list[ModelCell]:
    return level_cells(scale, panel.corpus, FAMILY, panel.models[LINE], "auto")


def best_level(panel: fig3.Panel, scale: Scale, results: Results) -> float:
    """The level with the best mean over seeds; of equals the smallest."""
    found = {
        level: summarise(records_of(cells, results), panel.figure)
        for level, cells in fig3.grid(scale, FAMILY, panel, LINE).items()
    }
    return max(found, key=lambda level: found[level].rank)


def _table(panel: fig3.Panel, scale: Scale, results: Results) -> Table:
    best = best_level(panel, scale, results)
    chosen = records_of(_automatic(scale, panel), results)
    ideal = records_of(fig3.grid(scale, FAMILY, panel, LINE)[best], results)
    rows, differences = [], []
    for seed, (ours, theirs) in enumerate(zip(chosen, ideal, strict=True)):
        figure, other = ours.figures.get(panel.figure), theirs.figures.get(panel.figure)
        difference = None if figure is None or other is None else figure - other
        differences += [] if difference is None else [difference]
        rows.append(
            [
                str(seed),
                _level(ours.figures.get("noise_level")),
                *_shown(panel, figure, other, difference),
            ]
        )
    means = [summarise(records, panel.figure).mean for records in (chosen, ideal)]
    mean_difference = sum(differences) / len(differences) if differences else None
    rows.append(["mean", "", *_shown(panel, *means, mean_difference)])
    columns = [
        "seed",
        "level chosen",
        f"{panel.axis} there",
        f"at the best level, {best:g}",
        "difference",
    ]
    return Table(f"{panel.title}: {panel.axis}, idf", columns, rows)


def _shown(panel: fig3.Panel, *values: float | None) -> list[str]:
    return [share(value, panel.digits) for value in values]


def _level(value: float | list[float] | None) -> str:
    if isinstance(value, list):
        return " to ".join(f"{end:.3g}" for end in value)
    return NONE if value is None else f"{value:.3g}"


EXPERIMENT = Experiment("alpha", "Choosing the noise level without labels", cells, report)
