"""The family of learners side by side: how good their vectors are, and what a step costs.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.family quality [--seeds 3]
    python -m benchmarks.family times

`quality` is the setting of Table 1 of docs/paper.md, tuned: 20 Newsgroups with headers kept, 2,000
words, 128 units, judged on the test part. CD and alpha-NCE have the recipes of that table. The
other forms of CD have that of CD, but for the learner; PCD-5 has that of `benchmarks.perplexity`,
less long. Ratio matching and NCE have the estimator's defaults. Settings were chosen on a part of
the training documents alone (docs/family.md, docs/likelihood.md, docs/design_notes.md).

Perplexity is that of all test documents, by few chains: the interval says what that leaves open.
Models with word weights are not calibrated, and are not asked for it.

`times` takes milliseconds of a minibatch at three sizes of the vocabulary, in turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import perplexity
from benchmarks.step import StepTimer, bare, interleaved
from benchmarks.tables import Sheet, in_digits, markdown
from undertow.estimators import ReplicatedSoftmax
from undertow.learn import ContrastiveDivergence, Learner, MetropolisDivergence, RatioMatching
from undertow.paper import judge, settings
from undertow.paper.corpora import Corpora, Counted
from undertow.paper.recipe import estimator
from undertow.paper.texts import NEWSGROUPS

VOCABULARIES = (2_000, 20_000, 200_000)
EPOCHS = settings.TUNED_NCE.epochs
FIGURES = ("accuracy", "MAP", "MAP, balanced vectors")
DENSITY = ("perplexity", "low", "high", "from above", "unigram")
PCD_EPOCHS = 52  # as in `benchmarks.density`, where its sparsity was chosen


def of_table(model: str, seed: int) -> ReplicatedSoftmax:
    """A model of Table 1."""
    recipe = settings.tuned(NEWSGROUPS, model)
    return estimator(recipe, hidden=settings.HIDDEN, seed=seed)


def otherwise(model: str, learner: Learner, seed: int) -> ReplicatedSoftmax:
    """A model of Table 1 with another learner: MH-CD, whose words move instead of being drawn."""
    return of_table(model, seed).set_params(learner=learner)


def for_likelihood(sparsity: float, seed: int) -> ReplicatedSoftmax:
    """PCD-5 by the recipe of `benchmarks.perplexity`."""
    return plain(
        seed,
        learner=perplexity.LEARNER,
        optimizer=perplexity.OPTIMIZER,
        sparsity_cost=sparsity,
        max_epochs=PCD_EPOCHS,
    )


def plain(seed: int, **options: Any) -> ReplicatedSoftmax:
    """The estimator's defaults, but for word weights, which it has not."""
    usual = {"n_components": settings.HIDDEN, "weighting": None, "max_epochs": EPOCHS}
    return ReplicatedSoftmax(**{**usual, "random_state": seed, **options})


def by_ratios(weighting: str | None, seed: int, **options: Any) -> ReplicatedSoftmax:
    """Ratio matching with the estimator's defaults."""
    return plain(seed, learner=RatioMatching(**options), weighting=weighting)


MODELS: dict[str, Callable[[int], ReplicatedSoftmax]] = {
    "CD-1": partial(of_table, "CD-1"),
    "CD, 1 to 5 steps": partial(otherwise, "CD-1", perplexity.RISING),
    "PCD-1": partial(otherwise, "CD-1", ContrastiveDivergence(persistent=True)),
    "PCD-5": partial(for_likelihood, 0.0),
    "PCD-5, sparsity 10": partial(for_likelihood, 10.0),
    "MH-CD": partial(otherwise, "CD-1", MetropolisDivergence()),
    "NCE, log Z learned": partial(plain, learner="nce"),
    "alpha-NCE 25": partial(of_table, "α-NCE 25"),
    "ratio matching": partial(by_ratios, None),
    "CD-1, idf": partial(of_table, "CD-1 idf"),
    "alpha-NCE 25, idf": partial(of_table, "α-NCE 25 idf"),
    "MH-CD, idf": partial(otherwise, "CD-1 idf", MetropolisDivergence()),
    "ratio matching, idf": partial(by_ratios, "idf"),
}
STEPS: dict[str, Learner | None] = {
    "alpha-NCE 25": None,
    "CD-1": ContrastiveDivergence(),
    "MH-CD": MetropolisDivergence(),
    "ratio matching": RatioMatching(),
}


@dataclass(frozen=True)
class Judged:
    """The figures of one seed; `density` is empty where words have weights."""

    figures: tuple[float, ...]
    density: tuple[float, ...] = ()

    def in_words(self) -> str:
        """A line for the terminal."""
        vectors = zip(FIGURES, self.figures, strict=True)
        told = [f"{name} {value:.4f}" for name, value in vectors]
        return " ".join(
            told + [f"{n} {v:.1f}" for n, v in zip(DENSITY, self.density, strict=False)]
        )


def judged(model: ReplicatedSoftmax, counted: Counted, *, temperatures: int, chains: int) -> Judged:
    """Fits a model; accuracy and MAP are those of posteriors, as in the paper."""
    model.fit(counted.learn)
    posterior, balanced = (partial(model.encode, kind=kind) for kind in ("posterior", "balanced"))
    figures = (
        judge.accuracy(posterior, counted),
        judge.average_precision(posterior, counted),
        judge.average_precision(balanced, counted),
    )
    if model.weighting is not None:
        return Judged(figures)
    found = model.perplexity(
        counted.test, n_temperatures=temperatures, n_chains=chains, random_state=0
    )
    density = (found.value, found.low, found.high, found.from_above, found.unigram)
    return Judged(figures, density)


def quality(options: argparse.Namespace, folder: Path, console: Console) -> Sheet:
    """A row for each model; every fit is told when it is done."""
    counted = Corpora(folder).counted(settings.POSTS)
    rows = []
    for name in options.only:
        found = []
        for seed in options.seed or range(options.seeds):
            model = MODELS[name](seed).set_params(n_jobs=options.threads)
            how = {"temperatures": options.temperatures, "chains": options.chains}
            found.append(judged(model, counted, **how))
            console.print(f"{name}, seed {seed}:", found[-1].in_words())
        rows.append(_row(name, found))
    return Sheet(
        f"The family on 20 Newsgroups, K=2,000, H={settings.HIDDEN}",
        ["learner", *FIGURES, "perplexity", "interval", "from above", "unigram", "seeds"],
        rows,
        notes=["Mean and deviation over seeds; the interval holds those of all seeds."],
    )


def _row(name: str, found: list[Judged]) -> list[str]:
    """The cells of a learner."""
    columns = zip(*(one.figures for one in found), strict=True)
    vectors = [_with_spread(values) for values in columns]
    return [name, *vectors, *_density_cells([one.density for one in found]), str(len(found))]


def _density_cells(found: list[tuple[float, ...]]) -> list[str]:
    if not found[0]:
        return [""] * 4
    value, low, high, above, unigram = zip(*found, strict=True)
    mean = in_digits(statistics.mean(value))
    return [
        f"{mean} ± {in_digits(statistics.stdev(value))}" if value[1:] else mean,
        f"{in_digits(min(low))} to {in_digits(max(high))}",
        in_digits(statistics.mean(above)),
        in_digits(unigram[0]),
    ]


def _with_spread(values: tuple[float, ...]) -> str:
    mean = f"{statistics.mean(values):.3f}".lstrip("0")
    return f"{mean} ± {statistics.stdev(values):.3f}".replace("± 0", "± ") if values[1:] else mean


def times(rounds: int, steps: int, threads: int | None) -> Sheet:
    """A row for each learner, a column for each vocabulary."""
    columns: dict[int, dict[str, float]] = {}
    for words in VOCABULARIES:
        timers = {
            name: StepTimer(words, bare(learner), threads=threads)
            for name, learner in STEPS.items()
        }
        interleaved(timers, rounds=rounds, steps=lambda _: steps)
        columns[words] = {name: timer.median for name, timer in timers.items()}
    return Sheet(
        "Milliseconds per minibatch of 128 documents",
        ["learner", *(f"K={words:,}" for words in VOCABULARIES)],
        [[name, *(f"{columns[words][name]:.2f}" for words in VOCABULARIES)] for name in STEPS],
    )


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description="The family of learners side by side")
    parser.add_argument("what", choices=["quality", "times"])
    parser.add_argument("--only", nargs="*", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, nargs="*", help="these, in the place of the first few")
    parser.add_argument("--temperatures", type=int, default=300, help="of perplexity")
    parser.add_argument("--chains", type=int, default=50, help="of perplexity")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="steps of a round")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--folder", type=Path, default=None, help="where counts are kept")
    options = parser.parse_args()
    console = Console(soft_wrap=True, highlight=False)
    if options.what == "times":
        console.print(markdown(times(options.rounds, options.steps, options.threads)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        console.print(markdown(quality(options, folder, console)))


if __name__ == "__main__":
    main()
