"""A cell that trains a Replicated Softmax by a recipe and judges its document vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from undertow.paper.cells import Cell
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.recipe import Recipe, estimator

if TYPE_CHECKING:
    from undertow.estimators import ReplicatedSoftmax

# beside posteriors, which are the paper's
OTHER_VECTORS = ("activation", "strength", "balanced")
DIVERGENCES, CONTRASTS = ("cd", "mh-cd"), ("nce", "alpha-nce")
DOCUMENTS = {False: 11_314, True: 75_000}  # that a model learns from, by whether they are reviews


@dataclass(frozen=True)
class ModelCell(Cell):
    """Corpus, recipe, hidden units and seed: a model."""

    kind: ClassVar[str] = "model"
    corpus: Corpus
    recipe: Recipe
    hidden: int
    seed: int

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return (self.corpus,)

    @property
    def cost(self) -> float:
        documents = self.corpus.documents or DOCUMENTS[self.corpus.reviews]
        epochs = (
            self.recipe.epochs
            if self.recipe.epochs != "auto"
            else max(math.ceil(576_000 / documents), 10)
        )
        words = self.corpus.words or 35_000
        if self.recipe.learner == "cd":
            microseconds = most_steps(self.recipe) * (40 + words / 50)
        else:
            microseconds = 30 + self.recipe.n_noise + words / 1000
        share = 0.3 if self.recipe.early_stopping else 1.0  # of the epochs, about, before it stops
        share *= 5 if self.recipe.noise_level == "auto" else 1  # several levels are tried
        longer = (2 if self.corpus.reviews else 1) * self.hidden / 128
        return 1e-6 * longer * documents * epochs * share * microseconds + 2e-3 * documents

    def labels(self) -> dict[str, Any]:
        recipe = self.recipe
        return {
            "data": self.corpus.data,
            "headers": self.corpus.headers,
            "words": self.corpus.words,
            "ngrams": self.corpus.ngrams,
            "hidden": self.hidden,
            "learner": recipe.learner,
            "gibbs_steps": _steps_in_words(recipe) if recipe.learner in DIVERGENCES else None,
            "noises": recipe.n_noise if recipe.learner in CONTRASTS else None,
            "alpha": recipe.noise_level if recipe.learner == "alpha-nce" else None,
            "weighting": recipe.weighting or "counts",
            "optimizer": recipe.optimizer,
            "seed": self.seed,
        }

    def run(self, corpora: Corpora) -> dict[str, Any]:
        from undertow.paper import judge

        counted = corpora.counted(self.corpus)
        model = estimator(self.recipe, hidden=self.hidden, seed=self.seed).fit(counted.learn)
        encode = {kind: partial(model.encode, kind=kind) for kind in ("posterior", *OTHER_VECTORS)}
        figures = _training_figures(model)
        figures["accuracy"] = judge.accuracy(encode["posterior"], counted)
        for kind in OTHER_VECTORS:
            figures[f"accuracy_{kind}"] = judge.accuracy(encode[kind], counted)
        if not self.corpus.reviews:  # with two labels, retrieval by label says little
            figures |= judge.retrieval(encode["posterior"], counted)
            for kind in OTHER_VECTORS:
                figures[f"map_{kind}"] = judge.average_precision(encode[kind], counted)
        return figures


def most_steps(recipe: Recipe) -> int:
    """Gibbs steps, the last number of those that rise."""
    return recipe.n_steps[-1] if isinstance(recipe.n_steps, tuple) else recipe.n_steps


def _steps_in_words(recipe: Recipe) -> int | str:
    if isinstance(recipe.n_steps, tuple):
        return " to ".join(map(str, recipe.n_steps))
    return recipe.n_steps


def _training_figures(model: ReplicatedSoftmax) -> dict[str, Any]:
    """How training went; `split_half` is that of the held-out documents, where early stopping holds
    some out.
    """
    held_out = [record.split_half for record in model.history_ if record.split_half is not None]
    last = model.history_[-1]
    return {
        "epochs": model.n_iter_,
        "loss": last.loss,
        "activity": last.activity,
        "dead_units": last.dead_units,
        "split_half": max(held_out) if held_out else None,
        "best_epoch": 1 + held_out.index(max(held_out)) if held_out else None,
        "training_seconds": round(sum(record.seconds for record in model.history_), 3),
        "noise_level": plain_level(
            getattr(model, "noise_level_", None)
        ),  # the one chosen, where it was "auto"
        "noise_level_scores": [
            [plain_level(level), score] for level, score in _level_scores(model).items()
        ],
    }


def plain_level(level: Any) -> float | list[float] | None:
    """A noise level as JSON: a number, the two ends of a range that it is drawn from, or none."""
    if level is None:
        return None
    return [float(end) for end in level] if isinstance(level, tuple) else float(level)


def _level_scores(model: ReplicatedSoftmax) -> dict[Any, float]:
    """What each level that was tried reached without labels; nothing where none had to be
    chosen.
    """
    return dict(getattr(model, "noise_level_scores_", None) or {})
