"""Two layers beside one: likelihood by the length of documents, and how good vectors are.

    UNDERTOW_DATA=/folder/with/parquet python -m benchmarks.deep [--part test] [--only NAME ...]

20 Newsgroups with headers, 2,000 words without weights. The validation part is the newest seventh
of each group's training posts, by which settings were chosen; `--part test` takes the test part.
One layer has the recipe of `benchmarks.perplexity`, two layers the same but for their learner.

Perplexity is given over that of the unigram: by mean field, which is a bound, and as it is by
annealing, which is asked of some documents of each length (`--asked`): the gap of the bound there
is taken off all. log Z has an error of its own (docs/likelihood.md), which `--temperatures` and
`--chains` make smaller.

The table of docs/family.md is that of `--units 50`; the figures of the paper are for 128 and 512.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy import sparse

from benchmarks import machine, perplexity
from benchmarks.defaults import Split, newsgroups
from benchmarks.newsgroups_data import load
from benchmarks.tables import Sheet, markdown
from undertow import DeepReplicatedSoftmax, ReplicatedSoftmax
from undertow.counts import CountBatch, log_counts
from undertow.learn import DeepDivergence
from undertow.tasks import mean_average_precision, probe_accuracy
from undertow.vectors.latent_likelihood import annealed_log_sums

EPOCHS = 52  # the estimator's own number for as many documents
LENGTHS = (1, 15, 30, 60, 120)  # where classes of lengths begin, in counts as the model sees them
Array = NDArray[np.float64]


def one_layer(units: int, seed: int, *, sparsity: float = 0.0) -> ReplicatedSoftmax:
    """PCD-5 by the recipe of `benchmarks.perplexity`."""
    return ReplicatedSoftmax(
        units,
        learner=perplexity.LEARNER,
        weighting=None,
        optimizer=perplexity.OPTIMIZER,
        sparsity_cost=sparsity,
        max_epochs=EPOCHS,
        random_state=seed,
    )


def two_layers(
    units: int, seed: int, *, latent: int, learner: DeepDivergence, sparsity: float = 0.0
) -> ReplicatedSoftmax:
    """The same with so many latent words."""
    return DeepReplicatedSoftmax(
        units,
        n_latent_words=latent,
        learner=learner,
        optimizer=perplexity.OPTIMIZER,
        sparsity_cost=sparsity,
        max_epochs=EPOCHS,
        random_state=seed,
    )


CHAINS = DeepDivergence()
MEAN_FIELD = DeepDivergence(latent="mean-field", passes=3)
PRETRAINED = DeepDivergence(latent="mean-field", passes=5, pretraining=0.5)
VARIANTS: dict[str, Callable[[int, int], ReplicatedSoftmax]] = {
    "one layer": one_layer,
    "one layer, sparsity 10": partial(one_layer, sparsity=10.0),
    "M = 10": partial(two_layers, latent=10, learner=CHAINS),
    "M = 50": partial(two_layers, latent=50, learner=CHAINS),
    "M = 50, sparsity 10": partial(two_layers, latent=50, learner=CHAINS, sparsity=10.0),
    "M = 50, mean field": partial(two_layers, latent=50, learner=MEAN_FIELD),
    "M = 50, mean field, pretrained": partial(two_layers, latent=50, learner=PRETRAINED),
    "M = 100": partial(two_layers, latent=100, learner=CHAINS),
}


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--part", choices=("validation", "test"), default="validation")
    parser.add_argument("--units", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperatures", type=int, default=200)
    parser.add_argument("--chains", type=int, default=30)
    parser.add_argument("--asked", type=int, default=14, help="documents of each length annealed")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args(arguments)


def split_of(part: str) -> Split:
    """Documents to learn from, and others, with their labels; none is empty."""
    if part == "validation":
        whole = newsgroups()
    else:
        data = load(2000)
        known = data.train, data.train_labels
        whole = Split(known[0], *known, data.test, data.test_labels)
    kept = [counts.sum(axis=1) > 0 for counts in (whole.known, whole.held_out)]
    known = whole.known[kept[0]], whole.known_labels[kept[0]]
    return Split(known[0], *known, whole.held_out[kept[1]], whole.held_out_labels[kept[1]])


def lengths_of(counts: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Words of each document after the count transform, and the number of its class."""
    tokens = np.asarray(log_counts(counts).sum(axis=1)).ravel().astype(np.int64)
    return tokens, np.searchsorted(LENGTHS, tokens, side="right") - 1


def gaps(
    model: ReplicatedSoftmax, counts: sparse.csr_array, classes: NDArray[np.int64], asked: int
) -> Array:
    """What mean field is short of annealing, per word, by class: means over some documents."""
    if not isinstance(model, DeepReplicatedSoftmax):
        return np.zeros(len(LENGTHS))
    found = np.zeros(len(LENGTHS))
    for number in np.unique(classes):
        rows = np.flatnonzero(classes == number)[:asked]
        some = log_counts(counts[rows])
        tokens = np.asarray(some.sum(axis=1)).ravel()
        parameters: Any = model.parameters_
        best = annealed_log_sums(parameters, CountBatch.from_csr(some))
        found[number] = np.mean((best + model.free_energy(counts[rows])) / tokens)
    return found


def likelihood(
    model: ReplicatedSoftmax, counts: sparse.csr_array, options: argparse.Namespace
) -> tuple[Array, Array, NDArray[np.int64]]:
    """log of perplexity over the unigram's: by mean field and by annealing, of each document; and
    its class.
    """
    tokens, classes = lengths_of(counts)
    found = model.log_likelihood(
        counts, n_temperatures=options.temperatures, n_chains=options.chains, random_state=0
    )
    unigram = log_counts(counts) @ np.log(model.noise_distribution_)
    bound = (unigram - found) / tokens
    return bound, bound - gaps(model, counts, classes, options.asked)[classes], classes


def row(name: str, split: Split, options: argparse.Namespace) -> list[str]:
    """The cells of a model."""
    model = VARIANTS[name](options.units, options.seed).set_params(n_jobs=options.threads)
    model.fit(split.learn)
    bound, annealed, classes = likelihood(model, split.held_out, options)
    cells = [_over(bound), _over(annealed)]
    cells += [_over(annealed[classes == number]) for number in range(len(LENGTHS))]
    for kind in ("posterior", "balanced"):
        known, asked = model.encode(split.known, kind), model.encode(split.held_out, kind)
        labels = split.held_out_labels, split.known_labels
        if kind == "posterior":
            probe = probe_accuracy(known, labels[1], asked, labels[0])
            cells.append(_short(probe.accuracy))
        cells.append(_short(mean_average_precision(asked, labels[0], known, labels[1])))
    return [name, *cells]


def _over(logs: Array) -> str:
    return _short(float(np.exp(np.mean(logs)))) if len(logs) else ""


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def table(options: argparse.Namespace, split: Split, console: Console) -> Sheet:
    """A row when it is there, and all at the end."""
    rows = []
    for name in options.only:
        rows.append(row(name, split, options))
        console.print(" | ".join(rows[-1]))
    _, classes = lengths_of(split.held_out)
    sizes = np.bincount(classes, minlength=len(LENGTHS))
    ends = [*(f"to {end - 1}" for end in LENGTHS[1:]), "more"]
    columns = [f"{first} {end}" for first, end in zip(LENGTHS, ends, strict=True)]
    columns = ["model", "mean field", "annealed", *columns]
    columns += ["accuracy", "MAP", "MAP, balanced"]
    told = ", ".join(f"{size:,}" for size in sizes)
    title = f"Two layers on 20 Newsgroups, {options.part}, H={options.units}"
    return Sheet(title, columns, rows, [f"Documents by length: {told}."])


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    options = parsed(arguments)
    console = Console(soft_wrap=True, highlight=False)
    console.print(markdown(table(options, split_of(options.part), console)))
    console.print(machine.describe())


if __name__ == "__main__":
    main()
