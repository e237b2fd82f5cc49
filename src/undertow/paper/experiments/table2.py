"""Table 2: sentiment of IMDB reviews; Replicated Softmax faithful and tuned, and the baselines run
here.
"""

from __future__ import annotations

from undertow.paper import settings
from undertow.paper.experiments.models import model_cells, records_of
from undertow.paper.kinds import BaselineCell
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

DIGITS = 4
FEATURES = {
    "posteriors": "accuracy",
    "activations": "accuracy_activation",
    "strengths": "accuracy_strength",
}
BASELINES: dict[
    str, tuple[str, bool]
] = {  # name here -> name of the paper's row, and whether it has dimensions
    "Words, counts": ("Bag of words", False),
    "Words, binary": ("Bag of words", False),
    "Words, tf-idf": ("Bag of words", False),
    "LSA": ("LSA", True),
    "LDA": ("LDA", True),
}


def cells(scale: Scale) -> Cells:
    """Baselines, and every model of both families."""
    found: Cells = {}
    for family in settings.FAMILIES:
        for model in settings.TABLE2_MODELS:
            found |= named(model_cells(scale, settings.FILMS, family, model), family, model)
    for name in BASELINES:
        found |= named(baseline_cells(scale, name), "baseline", name)
    return found


def baseline_cells(scale: Scale, name: str) -> list[BaselineCell]:
    """A baseline, a cell per seed; words themselves have none."""
    size = scale.hidden(settings.HIDDEN) if BASELINES[name][1] else 0
    passes = scale.lda_passes if name == "LDA" else 0
    seeds = scale.seeds if size else 1
    return [
        BaselineCell(scale.corpus(settings.FILMS), name, size, seed, passes=passes)
        for seed in range(seeds)
    ]


def report(scale: Scale, results: Results) -> Report:
    """Two tables: the paper's rows of Replicated Softmax, and what they are compared with."""
    return Report(tables=[_models(scale, results), _baselines(scale, results)])


def _models(scale: Scale, results: Results) -> Table:
    rows = []
    for model in settings.TABLE2_MODELS:
        found = {
            family: records_of(model_cells(scale, settings.FILMS, family, model), results)
            for family in settings.FAMILIES
        }
        figures = [
            summarise(found[family], figure).text(DIGITS)
            for figure in FEATURES.values()
            for family in settings.FAMILIES
        ]
        rows.append([model, share(settings.QUOTED_TABLE2.get(model), DIGITS), *figures])
    columns = [f"{family}, {feature}" for feature in FEATURES for family in settings.FAMILIES]
    return Table("Accuracy of Replicated Softmax", ["model", "paper (quoted)", *columns], rows)


def _baselines(scale: Scale, results: Results) -> Table:
    rows = []
    quoted = dict(settings.QUOTED_BASELINES)
    for name, (row_of_paper, has_size) in BASELINES.items():
        records = [results[cell] for cell in baseline_cells(scale, name)]
        shown = f"{name}-{scale.hidden(settings.HIDDEN)}" if has_size else name
        figure = summarise(records, "accuracy").text(DIGITS)
        rows.append([shown, share(quoted.pop(row_of_paper, None), DIGITS), figure])
    rows += [[name, share(value, DIGITS), NONE] for name, value in quoted.items()]
    return Table("Accuracy of other models", ["model", "paper (quoted)", "run here"], rows)


EXPERIMENT = Experiment("table2", "Table 2: sentiment of IMDB reviews", cells, report)
