"""The goals beyond the paper: our best models, what they had to reach, and what people would use
instead.
"""

from __future__ import annotations

from dataclasses import replace

from undertow.paper import settings
from undertow.paper.cells import Record
from undertow.paper.experiments.models import cells_of, records_of
from undertow.paper.kinds import BaselineCell, FineTunedCell
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

FIGURES = {
    "accuracy": "accuracy, posteriors",
    "accuracy_activation": "activations",
    "accuracy_strength": "strengths",
    "accuracy_balanced": "balanced",
    "accuracy_fine_tuned": "fine-tuned",
    "map": "MAP, posteriors",
    "map_strength": "strengths",
    "map_balanced": "balanced",
}
COLUMNS = ("model", *FIGURES.values(), "goal", "reached")


def cells(scale: Scale) -> Cells:
    """Our models and the baselines of every goal."""
    found: Cells = {}
    for goal in settings.GOALS:
        found |= named(
            cells_of(scale, goal.corpus, goal.recipe, hidden=goal.hidden), "goal", goal.name
        )
        for name, recipe in goal.rivals:
            found |= named(cells_of(scale, goal.corpus, recipe, hidden=goal.hidden), "rival", name)
        found |= named(_fine_tuned(scale, goal), "goal", f"{goal.name}, fine-tuned")
        for name, size in goal.baselines:
            found |= named(_baseline(scale, goal, name, size), "baseline", name)
    return found


def report(scale: Scale, results: Results) -> Report:
    """A table for each goal."""
    return Report(tables=[_table(goal, scale, results) for goal in settings.GOALS])


def _baseline(scale: Scale, goal: settings.Goal, name: str, size: int) -> list[BaselineCell]:
    passes = scale.lda_passes if name == "LDA" else 0
    corpus = scale.corpus(goal.corpus)
    return [
        BaselineCell(corpus, name, scale.hidden(size) if size else 0, seed, passes=passes)
        for seed in range(scale.seeds if size else 1)  # words themselves have no seed
    ]


def _fine_tuned(scale: Scale, goal: settings.Goal) -> list[FineTunedCell]:
    if goal.tuning is None:
        return []
    models = cells_of(scale, goal.corpus, goal.recipe, hidden=goal.hidden)
    return [
        FineTunedCell(cell.corpus, cell.recipe, cell.hidden, cell.seed, goal.tuning)
        for cell in models
    ]


def _table(goal: settings.Goal, scale: Scale, results: Results) -> Table:
    records = records_of(cells_of(scale, goal.corpus, goal.recipe, hidden=goal.hidden), results)
    wanted = f"accuracy ≥ {share(goal.accuracy)}" + (
        f", MAP ≥ {share(goal.map)}" if goal.map else ""
    )
    label = f"{goal.recipe.learner} {goal.recipe.weighting or 'counts'}"
    rows = [[label, *_figures(records), wanted, verdict(goal, records)]]
    if goal.tuning is not None:
        tuned = [results[cell] for cell in _fine_tuned(scale, goal)]
        by_label = replace(goal, judged_by="accuracy_fine_tuned")
        label = "supervised: words weighed by label, fine-tuned"
        rows.append([label, *_figures(tuned), wanted, verdict(by_label, tuned)])
    for name, recipe in goal.rivals:
        rivals = records_of(cells_of(scale, goal.corpus, recipe, hidden=goal.hidden), results)
        rows.append([name, *_figures(rivals), "", ""])
    for name, size in goal.baselines:
        found = [results[cell] for cell in _baseline(scale, goal, name, size)]
        rows.append([f"{name}-{scale.hidden(size)}" if size else name, *_figures(found), "", ""])
    rows.append([f"quoted: {goal.quoted}", *[NONE] * len(FIGURES), "", ""])
    return Table(goal.name, COLUMNS, rows)


def verdict(goal: settings.Goal, records: list[Record]) -> str:
    """Whether the means over seeds reach the goal: accuracy, and retrieval where it is asked
    for.
    """
    accuracy, precision = (
        summarise(records, figure).mean for figure in (goal.judged_by, goal.retrieved_by)
    )
    reached = accuracy is not None and accuracy >= goal.accuracy
    if goal.map is not None:
        reached = reached and precision is not None and precision >= goal.map
    return "yes" if reached else "no"


def _figures(records: list[Record]) -> list[str]:
    return [summarise(records, figure).text() for figure in FIGURES]


EXPERIMENT = Experiment("beat", "Beyond the paper", cells, report)
