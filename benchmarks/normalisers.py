"""Whether intervals of log Z hold the exact value, in random models that can be enumerated.

    python -m benchmarks.normalisers

100 models of 4 to 40 words and 4 to 10 units, whose pulls are weak, strong or very strong, every
second one with word weights. What is asked is what perplexity needs: a sum over some lengths, each
over its length. The table of docs/likelihood.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import machine
from benchmarks.tables import Sheet, markdown
from undertow.model import Parameters
from undertow.vectors import Annealing, log_normalisers
from undertow.vectors.normalisers import exact_log_z

LENGTHS = np.array([2, 5, 20, 80])
PULLS = (0.3, 1.0, 3.0)
CONFIDENCES = (0.95, 0.99)
TITLE = "Intervals that hold the exact sum, and mean errors"
WAYS = ((10, 10), (50, 20), (300, 30))  # temperatures and chains


def random_model(seed: int) -> Parameters:
    """Nothing is learned: a model as it comes."""
    draws, scale = np.random.default_rng(seed), PULLS[seed % len(PULLS)]
    words, units = int(draws.integers(4, 41)), int(draws.integers(4, 11))
    weights = draws.uniform(0.0, 2.0, words) if seed % 2 else np.ones(words)
    return Parameters(
        weights=draws.normal(0.0, scale, (words, units)).astype(np.float32),
        hidden_bias=draws.normal(0.0, scale / 2.0, units).astype(np.float32),
        visible_bias=draws.normal(0.0, 1.0, words).astype(np.float32),
        word_weights=weights.astype(np.float32),
    )


@dataclass(frozen=True)
class Found:
    """What the intervals of some models came to, with a number for each confidence."""

    held: list[int]  # models whose exact value is inside
    widths: list[float]  # medians
    below: float  # the mean error of the way up
    above: float  # and of the way down


def found(models: int, temperatures: int, chains: int) -> Found:
    """Anneals in each model, and sums up exactly beside it."""
    parts = 1.0 / LENGTHS / len(LENGTHS)
    ends, exact = np.empty((models, len(CONFIDENCES), 4)), np.empty((models, 1))
    for seed in range(models):
        parameters = random_model(seed)
        how = Annealing("annealing", temperatures, chains, seed)
        annealed = log_normalisers(parameters, LENGTHS, how)
        exact[seed] = exact_log_z(parameters, LENGTHS) @ parts
        ends[seed] = [annealed.interval(parts, confidence) for confidence in CONFIDENCES]
    value, low, high, above = ends.transpose(2, 0, 1)
    inside = (low <= exact) & (exact <= high)
    errors = [float((each - exact).mean()) for each in (value, above)]
    return Found(inside.sum(axis=0).tolist(), np.median(high - low, axis=0).tolist(), *errors)


def table(models: int, ways: Sequence[tuple[int, int]]) -> Sheet:
    """A row for each way."""
    rows = []
    for temperatures, chains in ways:
        one = found(models, temperatures, chains)
        cells = [f"{temperatures}, {chains}"]
        for inside, width in zip(one.held, one.widths, strict=True):
            cells += [f"{inside} of {models}", f"{width:.1g}"]
        rows.append([*cells, f"{one.below:+.1g}", f"{one.above:+.1g}"])
    columns = ["temperatures, chains"]
    columns += [cell for one in CONFIDENCES for cell in (f"at {one}", "width")]
    return Sheet(TITLE, [*columns, "from below", "from above"], rows)


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=100)
    options = parser.parse_args(arguments)
    print(markdown(table(options.models, WAYS)))
    print(machine.describe())


if __name__ == "__main__":
    main()
