"""Words drawn from the alias table follow the distribution that it was built from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.goodness import assert_fits, pair_counts
from undertow.kernels.cpu.alias import build_alias_table, implied_distribution
from undertow.kernels.cpu.partial_noise import draw_stream

Distribution = NDArray[np.float64]


def _zipf(words: int, power: float = 1.0) -> Distribution:
    weights = np.arange(1.0, words + 1.0) ** -power
    distribution: Distribution = weights / weights.sum()
    return distribution


DISTRIBUTIONS = {
    "one word": np.ones(1),
    "two words": np.array([0.9, 0.1]),
    "uniform": np.full(7, 1 / 7),
    "zipf": _zipf(50),
    "zipf backwards": _zipf(50)[::-1],
    "steep": _zipf(20, 3.0),
    "skewed": np.array([0.001, 0.9975, 0.0005, 0.001]),
}
EXTREME = DISTRIBUTIONS | {
    "nearly certain": np.array([1e-12, 1.0 - 2e-12, 1e-12]),
    "half a token of a large corpus": np.array([0.5, *np.full(999, 1e9)]) / (0.5 + 999e9),
    "many words": _zipf(20_000),
}


def _rounding(table: NDArray[np.uint32], words: int) -> Distribution:
    """A threshold is off by at most 2^-32 of its column (rounded, or capped), and moves its word
    and its alias.

    In float64, Vose's subtractions round once for every column that a word is in, and the scaling
    to a sum of K leaves a few roundings of p to the columns that are filled last.
    """
    columns = 1 + np.bincount(table[:, 1], minlength=words)
    bounds: Distribution = columns * (2.0**-32 + 4 * 2.0**-52 * columns) / words + 4 * 2.0**-52
    return bounds


@pytest.mark.parametrize("name", EXTREME)
def test_table_implies_its_distribution(name: str) -> None:
    p = EXTREME[name]
    table = build_alias_table(p)
    implied = implied_distribution(table)
    assert implied.sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.abs(implied - p) <= _rounding(table, len(p))).all()


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=60))
def test_table_implies_any_distribution(weights: list[float]) -> None:
    p = np.array(weights) / np.sum(weights)
    table = build_alias_table(p)
    assert (np.abs(implied_distribution(table) - p) <= _rounding(table, len(p))).all()


def _stream(
    p: Distribution, length: int, *, seed: int = 11, epoch: int = 2, batch: int = 5, shard: int = 0
) -> NDArray[np.int32]:
    stream = np.full(length, -1, dtype=np.int32)
    draw_stream(seed, epoch, batch, shard, build_alias_table(p), stream)
    return stream


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_stream_follows_the_distribution(name: str) -> None:
    p = DISTRIBUTIONS[name]
    stream = _stream(p, 400_001)  # odd, so that the last pair is cut in half
    assert_fits(np.bincount(stream, minlength=len(p)), p)


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_words_of_a_stream_are_independent(lag: int) -> None:
    """Pairs at a distance, cut so that no word is in two pairs: a call of Philox gives two words,
    so lags 1 to 3 compare words of one call and of neighbouring calls.
    """
    p = _zipf(6)
    blocks = _stream(p, 600_000).reshape(-1, 2 * lag)
    assert_fits(pair_counts(blocks[:, :lag], blocks[:, lag:], 6), np.outer(p, p))


@pytest.mark.parametrize("other", [{"seed": 12}, {"epoch": 3}, {"batch": 6}, {"shard": 1}], ids=str)
def test_streams_of_other_batches_and_shards_are_independent(other: dict[str, int]) -> None:
    p = _zipf(6)
    assert_fits(pair_counts(_stream(p, 200_000), _stream(p, 200_000, **other), 6), np.outer(p, p))
