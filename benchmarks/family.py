"""The family of learners side by side: how good their vectors are, and what a step costs.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.family quality [--seeds 3]
    python -m benchmarks.family times

`quality` is the setting of Table 1 of docs/paper.md, tuned: 20 Newsgroups with headers kept, 2,000
words, 128 units, judged on the test part. CD and alpha-NCE have the recipes of that table. CD by
Metropolis-Hastings has that of CD, but for the learner. Ratio matching has the estimator's
defaults. Settings were chosen on a part of the training documents alone (docs/family.md).

`times` takes milliseconds of a minibatch at three sizes of the vocabulary, in turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.step import StepTimer, bare, interleaved
from benchmarks.tables import Sheet, markdown
from undertow.estimators import ReplicatedSoftmax
from undertow.learn import ContrastiveDivergence, Learner, MetropolisDivergence, RatioMatching
from undertow.paper import judge, settings
from undertow.paper.corpora import Corpora, Counted
from undertow.paper.recipe import estimator
from undertow.paper.texts import NEWSGROUPS

VOCABULARIES = (2_000, 20_000, 200_000)
EPOCHS = settings.TUNED_NCE.epochs
FIGURES = ("accuracy", "MAP", "MAP, balanced vectors")


def of_table(model: str, seed: int) -> ReplicatedSoftmax:
    """A model of Table 1."""
    recipe = settings.tuned(NEWSGROUPS, model)
    return estimator(recipe, hidden=settings.HIDDEN, seed=seed)


def by_metropolis(model: str, seed: int) -> ReplicatedSoftmax:
    """CD of Table 1, whose words move instead of being drawn."""
    return of_table(model, seed).set_params(learner=MetropolisDivergence())


def by_ratios(weighting: str | None, seed: int, **options: Any) -> ReplicatedSoftmax:
    """Ratio matching with the estimator's defaults."""
    return ReplicatedSoftmax(
        settings.HIDDEN,
        learner=RatioMatching(**options),
        weighting=weighting,
        max_epochs=EPOCHS,
        random_state=seed,
        n_jobs=1,
    )


MODELS: dict[str, Callable[[int], ReplicatedSoftmax]] = {
    "CD-1": partial(of_table, "CD-1"),
    "alpha-NCE 25": partial(of_table, "α-NCE 25"),
    "MH-CD": partial(by_metropolis, "CD-1"),
    "ratio matching": partial(by_ratios, None),
    "CD-1, idf": partial(of_table, "CD-1 idf"),
    "alpha-NCE 25, idf": partial(of_table, "α-NCE 25 idf"),
    "MH-CD, idf": partial(by_metropolis, "CD-1 idf"),
    "ratio matching, idf": partial(by_ratios, "idf"),
}
STEPS: dict[str, Learner | None] = {
    "alpha-NCE 25": None,
    "CD-1": ContrastiveDivergence(),
    "MH-CD": MetropolisDivergence(),
    "ratio matching": RatioMatching(),
}


def judged(model: ReplicatedSoftmax, counted: Counted) -> tuple[float, ...]:
    """Fits a model; accuracy and MAP are those of posteriors, as in the paper."""
    model.fit(counted.learn)
    posterior, balanced = (partial(model.encode, kind=kind) for kind in ("posterior", "balanced"))
    return (
        judge.accuracy(posterior, counted),
        judge.average_precision(posterior, counted),
        judge.average_precision(balanced, counted),
    )


def quality(names: list[str], seeds: int, folder: Path, console: Console) -> Sheet:
    """A row for each model; every fit is told when it is done."""
    counted = Corpora(folder).counted(settings.POSTS)
    rows = []
    for name in names:
        found = []
        for seed in range(seeds):
            found.append(judged(MODELS[name](seed), counted))
            told = zip(FIGURES, found[-1], strict=True)
            console.print(name, f"seed {seed}", *(f"{what} {value:.4f}" for what, value in told))
        rows.append([name, *(_with_spread(values) for values in zip(*found, strict=True))])
    return Sheet(
        f"The family on 20 Newsgroups, K=2,000, H={settings.HIDDEN}",
        ["learner", *FIGURES],
        rows,
        notes=[f"Mean and deviation over {seeds} seeds."],
    )


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
        console.print(markdown(quality(options.only, options.seeds, folder, console)))


if __name__ == "__main__":
    main()
