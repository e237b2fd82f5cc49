"""Figure 2: precision over recall for retrieval on 20 Newsgroups, from the models of Table 1."""

from __future__ import annotations

from functools import partial

import numpy as np

from undertow.paper import plots, settings
from undertow.paper.experiments.models import model_cells, records_of
from undertow.paper.report import (
    Cells,
    Experiment,
    Picture,
    Report,
    Results,
    Table,
    named,
    summarise,
)
from undertow.paper.scale import Scale


def cells(scale: Scale) -> Cells:
    """The models of the figure, faithful and tuned, with headers kept."""
    found: Cells = {}
    for family in settings.FAMILIES:
        for model in settings.FIGURE2_MODELS:
            found |= named(model_cells(scale, settings.POSTS, family, model), family, model)
    return found


def report(scale: Scale, results: Results) -> Report:
    """The figure, and the mean average precision of each of its lines."""
    panels = {f"{family} settings": curves(scale, family, results) for family in settings.FAMILIES}
    picture = Picture(
        "fig2",
        "Interpolated precision at levels of recall, mean over queries and seeds: test posts ask, "
        "training posts of the same group are right, by cosine of posteriors.",
        partial(plots.precision_recall_panels, panels),
    )
    return Report(tables=[_table(scale, results)], pictures=[picture])


def curves(scale: Scale, family: str, results: Results) -> dict[str, plots.Curve]:
    """Mean precision over the seeds that did not diverge, by model; a model that always diverged is
    left out.
    """
    found = {}
    for model in settings.FIGURE2_MODELS:
        records = records_of(model_cells(scale, settings.POSTS, family, model), results)
        figures = [record.figures for record in records if not record.diverged]
        if figures:
            precision = np.mean([figure["precision"] for figure in figures], axis=0)
            found[model] = plots.Curve(figures[0]["recall"], precision.tolist())
    return found


def _table(scale: Scale, results: Results) -> Table:
    rows = [
        [
            model,
            *(
                summarise(
                    records_of(model_cells(scale, settings.POSTS, family, model), results), "map"
                ).text()
                for family in settings.FAMILIES
            ),
        ]
        for model in settings.FIGURE2_MODELS
    ]
    return Table("Mean average precision", ["model", *settings.FAMILIES], rows)


EXPERIMENT = Experiment("fig2", "Figure 2: retrieval on 20 Newsgroups", cells, report)
