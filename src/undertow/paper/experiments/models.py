"""Cells that several experiments share: a model of `settings`, at a scale, for every seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from undertow.paper import settings
from undertow.paper.cells import Record
from undertow.paper.corpora import Corpus
from undertow.paper.kinds import ModelCell
from undertow.paper.recipe import Recipe, normalised
from undertow.paper.report import Results
from undertow.paper.scale import Scale


def cells_of(
    scale: Scale, corpus: Corpus, recipe: Recipe, *, hidden: int = settings.HIDDEN
) -> list[ModelCell]:
    """A cell per seed; corpus, recipe and hidden units are those of the full scale."""
    small = scale.corpus(corpus), normalised(scale.recipe(recipe)), scale.hidden(hidden)
    return [ModelCell(*small, seed=seed) for seed in range(scale.seeds)]


def model_cells(scale: Scale, corpus: Corpus, family: str, model: str) -> list[ModelCell]:
    """A model of the tables, a cell per seed."""
    return cells_of(scale, corpus, settings.FAMILIES[family](corpus.data, model))


def level_cells(
    scale: Scale, corpus: Corpus, family: str, model: str, level: float | str
) -> list[ModelCell]:
    """The same with another noise level."""
    recipe = settings.FAMILIES[family](corpus.data, model)
    return cells_of(scale, corpus, replace(recipe, noise_level=level))  # type: ignore[arg-type]


def records_of(cells: Sequence[ModelCell], results: Results) -> list[Record]:
    """Their records, in their order."""
    return [results[cell] for cell in cells]
