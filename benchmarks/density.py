"""alpha-NCE as a density: can one model have both the retrieval and the likelihood?

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.density [--only NAME ...]

20 Newsgroups, 2,000 words without weights. Judged on the newest seventh of each group's training
posts, which no model sees; nothing of the test part is read. A model may learn in stages: alpha-NCE
first, then a learner that follows the likelihood, from where the first left it.
docs/design_notes.md has what was found.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from benchmarks import perplexity
from benchmarks.defaults import Split, newsgroups
from benchmarks.tables import Sheet, markdown
from undertow import ReplicatedSoftmax
from undertow.learn import Adam, AlphaNCE, ContrastiveDivergence
from undertow.paper.report import in_digits
from undertow.tasks import mean_average_precision

EPOCHS = 52  # the estimator's own number for as many documents
Stage = Mapping[str, Any]


def tuning(learner: Any, epochs: int) -> Stage:
    """A stage that goes on from what was learned: a constant rate, as the annealed one of the first
    stage is used up, and averages that forget that stage.
    """
    return {
        "learner": learner,
        "optimizer": Adam(learning_rate=0.001, annealing=0.0, hidden_bias_rate=1.0, l2=1e-3),
        "sparsity_cost": 0.0,
        "averaging": 0.99,
        "max_epochs": epochs,
        "warm_start": True,
    }


def pcd(sparsity: float) -> Stage:
    """The recipe of `benchmarks.perplexity`, with a sparsity that it does not have."""
    return {
        "learner": perplexity.LEARNER,
        "optimizer": perplexity.OPTIMIZER,
        "sparsity_cost": sparsity,
    }


def sharp(sharpness: float, **options: Any) -> Stage:
    """alpha-NCE whose log-ratio is multiplied by so much and divided by the length: from 10, the
    default, towards the length itself, as in NCE; with all learned that a density needs.
    """
    learner = AlphaNCE(sharpness=sharpness, visible_bias="learned", normaliser="learned")
    return {"learner": learner, **options}


ALPHA: Stage = {}
PCD5 = ContrastiveDivergence(5, persistent=True)
NCE: Stage = {"learner": "nce"}
VARIANTS: dict[str, Sequence[Stage]] = {
    "alpha-NCE": [ALPHA],
    "alpha-NCE, idf": [{"weighting": "idf"}],
    "alpha-NCE, then PCD-5, 1 epoch": [ALPHA, tuning(PCD5, 1)],
    "alpha-NCE, then PCD-5, 5 epochs": [ALPHA, tuning(PCD5, 5)],
    "alpha-NCE, then PCD-5, 20 epochs": [ALPHA, tuning(PCD5, 20)],
    "alpha-NCE, then NCE, 5 epochs": [ALPHA, tuning("nce", 5)],
    "alpha-NCE, sharpness 30, no sparsity": [sharp(30.0, sparsity_cost=0.0)],
    "alpha-NCE, sharpness 100": [sharp(100.0)],
    "alpha-NCE, sharpness 100, no sparsity": [sharp(100.0, sparsity_cost=0.0)],
    "NCE": [NCE],
    "NCE, then PCD-5, 5 epochs": [NCE, tuning(PCD5, 5)],
    "PCD-5": [pcd(0.0)],
    "PCD-5, sparsity 10": [pcd(10.0)],
    "PCD-5, sparsity 30": [pcd(30.0)],
    "CD-1, sparsity 10": [{**pcd(10.0), "learner": "cd"}],
}


@dataclass
class Shop:
    """Fits models, and keeps those that others go on from."""

    split: Split
    units: int
    threads: int | None
    kept: dict[int, ReplicatedSoftmax] = field(default_factory=dict)

    def fitted(self, stages: Sequence[Stage], seed: int) -> ReplicatedSoftmax:
        """The model after all stages."""
        *before, last = stages
        if before:
            model = copy.deepcopy(self.fitted(before, seed))
        else:
            model = ReplicatedSoftmax(self.units, weighting=None, random_state=seed)
            model.set_params(max_epochs=EPOCHS, n_jobs=self.threads)
        if last is ALPHA and seed in self.kept:
            return self.kept[seed]
        model.set_params(**last).fit(self.split.learn)
        if last is ALPHA:
            self.kept[seed] = model
        return model


def judged(model: ReplicatedSoftmax, split: Split, temperatures: int, chains: int) -> list[str]:
    """The cells of a row: retrieval and perplexity of documents held out."""
    cells = []
    for kind in ("posterior", "balanced"):
        known, asked = model.encode(split.known, kind), model.encode(split.held_out, kind)
        labels = split.held_out_labels, split.known_labels
        cells.append(f"{mean_average_precision(asked, labels[0], known, labels[1]):.3f}"[1:])
    found = model.perplexity(
        split.held_out, n_temperatures=temperatures, n_chains=chains, random_state=0
    )
    cells.append(in_digits(found.value))
    cells.append(f"{in_digits(found.low)} to {in_digits(found.high)}")
    cells.append(f"{found.value / found.unigram:.3g}")
    return cells


def main(arguments: list[str] | None = None) -> None:
    """Prints a row when it is there, and the table at the end."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--units", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperatures", type=int, default=200)
    parser.add_argument("--chains", type=int, default=30)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args(arguments)
    console = Console(soft_wrap=True, highlight=False)
    shop = Shop(newsgroups(), options.units, options.threads)
    rows = []
    for name in options.only:
        model = shop.fitted(VARIANTS[name], options.seed)
        rows.append([name, *judged(model, shop.split, options.temperatures, options.chains)])
        console.print(" | ".join(rows[-1]))
    columns = ["learned by", "MAP", "MAP, balanced", "perplexity", "interval", "over the unigram"]
    console.print(markdown(Sheet("alpha-NCE as a density", columns, rows)))


if __name__ == "__main__":
    main()
