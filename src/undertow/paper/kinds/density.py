"""A cell that trains a Replicated Softmax and asks for the perplexity of the test documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from undertow.paper.cells import Cell
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.kinds.model import ModelCell
from undertow.paper.recipe import Recipe, estimator


@dataclass(frozen=True)
class DensityCell(Cell):
    """A model as of `ModelCell`, and how much work annealing is given.

    The model is trained again rather than kept: that is short beside the annealing, and the cell
    of its vectors is shared with tables that need no perplexity.
    """

    kind: ClassVar[str] = "density"
    corpus: Corpus
    recipe: Recipe
    hidden: int
    seed: int
    temperatures: int
    chains: int

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return (self.corpus,)

    @property
    def cost(self) -> float:
        words = self.corpus.words or 35_000
        annealing = 4e-9 * self.temperatures * self.chains * self.hidden * words  # up and down
        return self._model.cost + 2 * annealing

    def labels(self) -> dict[str, Any]:
        return self._model.labels() | {"temperatures": self.temperatures, "chains": self.chains}

    def run(self, corpora: Corpora) -> dict[str, Any]:
        counted = corpora.counted(self.corpus)
        model = estimator(self.recipe, hidden=self.hidden, seed=self.seed).fit(counted.learn)
        found = model.perplexity(
            counted.test,
            n_temperatures=self.temperatures,
            n_chains=self.chains,
            random_state=self.seed,
        )
        figures = {
            "perplexity": found.value,
            "low": found.low,
            "high": found.high,
            "from_above": found.from_above,
            "unigram": found.unigram,
        }
        return {
            **{name: _finite(value) for name, value in figures.items()},
            "documents": found.documents,
        }

    @property
    def _model(self) -> ModelCell:
        return ModelCell(self.corpus, self.recipe, self.hidden, self.seed)


def _finite(value: float) -> float | None:
    """JSON has no infinity, which a model that is no density may come to."""
    return value if math.isfinite(value) else None
