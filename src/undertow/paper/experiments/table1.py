"""Table 1: accuracy of a softmax regression on 20 Newsgroups; with headers kept and removed,
faithful and tuned. Learners beyond the paper have no faithful settings.
"""

from __future__ import annotations

from undertow.paper import family as learners
from undertow.paper import settings
from undertow.paper.corpora import Corpus
from undertow.paper.experiments.models import cells_of, model_cells, records_of
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

TUNED = "tuned"
BEYOND = "{}, beyond the paper"

COLUMNS: dict[str, tuple[Corpus, str]] = {
    "faithful, headers kept": (settings.POSTS, "faithful"),
    "tuned, headers kept": (settings.POSTS, "tuned"),
    "faithful, headers removed": (settings.POSTS_WITHOUT_HEADERS, "faithful"),
    "tuned, headers removed": (settings.POSTS_WITHOUT_HEADERS, "tuned"),
}
FIGURES = {
    "accuracy": "Accuracy from posteriors, as in the paper",
    "accuracy_activation": (
        "Accuracy from activations (the posteriors' arguments per unit of length)"
    ),
    "accuracy_strength": "Accuracy from strengths (log(1 + softplus) of the posteriors' arguments)",
    "map": "Retrieval by posteriors: mean average precision",
    "map_strength": "Retrieval by strengths: mean average precision",
}


def cells(scale: Scale) -> Cells:
    """Every model in every column."""
    found: Cells = {}
    for corpus, family in COLUMNS.values():
        for model in settings.TABLE1_MODELS:
            found |= named(model_cells(scale, corpus, family, model), family, model)
        for member in learners.BEYOND_THE_PAPER:
            found |= named(_beyond(scale, corpus, family, member), family, member.name)
    return found


def report(scale: Scale, results: Results) -> Report:
    """A table per figure; the paper has numbers for the first."""
    return Report(
        tables=[_table(figure, title, scale, results) for figure, title in FIGURES.items()]
    )


def _beyond(scale: Scale, corpus: Corpus, family: str, member: learners.Member) -> list[ModelCell]:
    return cells_of(scale, corpus, member.recipe) if family == TUNED else []


def _table(figure: str, title: str, scale: Scale, results: Results) -> Table:
    quoted = figure == "accuracy"
    rows = []
    for model in settings.TABLE1_MODELS:
        shown = [
            summarise(records_of(model_cells(scale, corpus, family, model), results), figure).text()
            for corpus, family in COLUMNS.values()
        ]
        rows.append(
            [model, *([share(settings.QUOTED_TABLE1.get(model))] if quoted else []), *shown]
        )
    for member in learners.BEYOND_THE_PAPER:
        shown = [
            summarise(records_of(_beyond(scale, corpus, family, member), results), figure).text()
            for corpus, family in COLUMNS.values()
        ]
        rows.append([BEYOND.format(member.name), *([NONE] if quoted else []), *shown])
    return Table(title, ["model", *(["paper (quoted)"] if quoted else []), *COLUMNS], rows)


EXPERIMENT = Experiment("table1", "Table 1: classification of 20 Newsgroups", cells, report)
