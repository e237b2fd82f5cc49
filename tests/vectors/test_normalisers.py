"""log Z by annealing against sums over all hidden states, and what intervals promise."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case
from tests.oracles.enumeration import enumerate_joint
from undertow._errors import InvalidInput
from undertow.engines import find_engine
from undertow.model import Parameters
from undertow.model.annealing import Chains, Path
from undertow.model.token_factor import TokenFactor, log_sum
from undertow.vectors import Annealing, LogNormalisers, log_normalisers
from undertow.vectors.normalisers import exact_log_z

DOUBLE = 1e-12


def random_model(seed: int) -> Parameters:
    """Six words and eight units that pull strongly, every second one with word weights."""
    rng, scale = np.random.default_rng(seed), (0.5, 1.5, 3.0)[seed % 3]
    weights = rng.uniform(0.0, 2.0, 6) if seed % 2 else np.ones(6)
    return Parameters(
        weights=rng.normal(0.0, scale, (6, 8)).astype(np.float32),
        hidden_bias=rng.normal(0.0, scale / 2.0, 8).astype(np.float32),
        visible_bias=rng.normal(0.0, 1.0, 6).astype(np.float32),
        word_weights=weights.astype(np.float32),
    )


@pytest.mark.parametrize(("weighted", "tokens"), [*product([False, True], [0, 1, 2, 4])])
def test_exact_is_the_sum_over_all_sequences(weighted: bool, tokens: int) -> None:
    parameters = make_case(words=4, units=3, weighted=weighted, scale=0.9, seed=1).parameters
    found = log_normalisers(parameters, [tokens])
    assert found.exact
    assert found.values[0] == pytest.approx(enumerate_joint(parameters, tokens).log_z, abs=DOUBLE)


@pytest.mark.parametrize(
    ("temperatures", "chains"),
    [(10, 10), pytest.param(60, 20, marks=pytest.mark.torture)],  # the coarse way errs more
)
def test_intervals_hold_in_95_of_100_random_models(temperatures: int, chains: int) -> None:
    """The hull of two intervals of 99 % holds at least as often as one: fewer than 95 of 100 would
    be seen once in 2,000 times if each were exact. With 10 temperatures the error is up to 2 nats.
    """
    inside, lengths = 0, np.array([3, 10, 30])
    for seed in range(100):
        parameters, asked = random_model(seed), np.eye(3)[seed // 2 % 3]
        how = Annealing("annealing", temperatures, chains, seed)
        _, low, high, _ = log_normalisers(parameters, lengths, how).interval(asked, 0.99)
        inside += low <= exact_log_z(parameters, lengths) @ asked <= high
    assert inside >= 95


def test_intervals_are_not_idle() -> None:
    """Eight times as many temperatures: intervals half as wide, or less."""
    widths = {}
    for temperatures in (25, 200):
        how = [Annealing("annealing", temperatures, 20, seed) for seed in range(10)]
        found = [
            log_normalisers(random_model(seed), [30], one).interval([1.0])
            for seed, one in enumerate(how)
        ]
        widths[temperatures] = np.median([high - low for _, low, high, _ in found])
    assert 0.0 < widths[200] < 0.5 * widths[25]


def test_mean_weights_have_no_bias() -> None:
    """Z_D itself, not its logarithm, is estimated without bias, however coarse the way is: the mean
    of 5,000 chains is within 5 standard errors.
    """
    parameters = make_case(words=4, units=3, weighted=True, scale=0.5, seed=2).parameters
    how, lengths = Annealing("annealing", 10, 5_000), np.array([2, 5, 9])
    found = log_normalisers(parameters, lengths, how)
    weights = np.exp(found.up - exact_log_z(parameters, lengths))
    errors = weights.std(axis=0) / np.sqrt(len(weights))
    assert (errors > 0).all()
    assert (errors < 0.02).all()
    assert (np.abs(weights.mean(axis=0) - 1.0) < 5.0 * errors).all()


def test_inverse_weights_from_above_have_no_bias() -> None:
    """1 / Z_D of the longest length, by chains that begin exactly, however coarse the way is: the
    mean of 20,000 is within 5 standard errors. Sweeps at the wrong length are off by far more.
    """
    parameters = make_case(words=4, units=3, weighted=True, scale=0.5, seed=2).parameters
    factor, number, length = TokenFactor(parameters, double=True), 20_000, np.array([9])
    terms = 9.0 * np.concatenate(list(factor.of_all_states()))
    chances = np.exp(terms - log_sum(terms))
    drawn = np.random.default_rng(0).choice(8, size=number, p=chances / chances.sum())
    begun = (drawn[:, None] >> np.arange(3)) & 1 == 1
    chains = Chains(factor, Path.to(length, 4), 0, np.arange(number), lambda: None)
    weights = np.exp(exact_log_z(parameters, length) - chains.down(begun))[:, 0]
    error = weights.std() / np.sqrt(number)
    assert 0.0 < error < 0.01
    assert abs(weights.mean() - 1.0) < 5.0 * error


@pytest.mark.parametrize("above", [-5.0, 5.0])
def test_an_interval_reaches_from_one_answer_to_the_other(above: float) -> None:
    found = LogNormalisers(np.array([5]), np.zeros((20, 1)), np.full((20, 1), above))
    assert found.interval([1.0]) == pytest.approx((0.0, min(above, 0.0), max(above, 0.0), above))


def test_the_way_down_comes_to_the_same_at_every_length() -> None:
    """On a weak model, whose chains hardly lag: errors are a tenth of what is allowed, and a length
    that lies between two temperatures would be off by up to 0.4 g if it were taken for the next.
    """
    parameters = make_case(words=4, units=3, weighted=True, scale=0.3, seed=2).parameters
    lengths = np.arange(2, 10)
    found = log_normalisers(parameters, lengths, Annealing("annealing", 40, 1000))
    assert found.down is not None
    from_above = -np.log(np.mean(np.exp(-found.down), axis=0))
    np.testing.assert_allclose(from_above, exact_log_z(parameters, lengths), rtol=0, atol=0.05)


def two_regions() -> Parameters:
    """Two words. The first leaves ten units free; the second needs ten others all at once, and is
    likelier in long documents alone: nothing but chains that begin there find it.
    """
    weights = np.zeros((2, 20), dtype=np.float32)
    weights[1, :10], weights[1, 10:] = 3.0, -3.0
    return Parameters(
        weights=weights,
        hidden_bias=np.repeat([-1.0, 0.0], 10).astype(np.float32),
        visible_bias=np.array([0.0, -19.7], dtype=np.float32),
        word_weights=np.ones(2, dtype=np.float32),
    )


def test_a_wrong_answer_shows() -> None:
    """The way up never sees the larger region; chains that begin in it, as documents there do, say
    so, and the interval holds the truth.
    """
    parameters, how = two_regions(), Annealing("annealing", 50, 10)
    begun = np.array([[1.0] * 10 + [0.0] * 10])
    found = log_normalisers(parameters, [60], how, start=begun)
    exact = exact_log_z(parameters, np.array([60]))[0]
    value, low, high, above = found.interval([1.0])
    assert exact - value > 5.0
    assert above - value > 5.0
    assert low <= exact <= high


def test_lengths_are_answered_in_order_and_once() -> None:
    parameters = random_model(0)
    how = Annealing("annealing", 50, 8)
    found = log_normalisers(parameters, [7, 0, 1, 7, 3], how)
    assert found.lengths.tolist() == [0, 1, 3, 7]
    assert found.up.shape == (8, 4)
    exact = exact_log_z(parameters, found.lengths)
    np.testing.assert_allclose(found.values[:2], exact[:2], rtol=0, atol=1e-5)  # no chain in these
    np.testing.assert_array_equal(found.of(np.array([7, 0])), found.values[[3, 0]])
    assert found.down is not None
    np.testing.assert_allclose(found.down[:, 0], exact[0])
    np.testing.assert_allclose(found.down[:, 1], exact[1], rtol=0, atol=1e-5)


def test_no_lengths() -> None:
    assert log_normalisers(random_model(0), np.empty(0, dtype=np.int64)).values.shape == (0,)


def test_the_number_of_threads_does_not_matter() -> None:
    parameters, how = random_model(1), Annealing("annealing", 30, 70, seed=5)
    one, two = (
        log_normalisers(parameters, [4, 9], how, engine=find_engine("cpu", threads=threads))
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.up, two.up)
    assert one.down is not None
    assert two.down is not None
    np.testing.assert_array_equal(one.down, two.down)


def test_progress_ends_at_the_whole() -> None:
    seen: list[float] = []
    how = Annealing("annealing", 20, 8)
    log_normalisers(random_model(2), [5], how, told=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "ais"}, "method must be one of 'auto', 'exact', 'annealing', got 'ais'"),
        ({"temperatures": 2}, "n_temperatures must be a whole number of at least 10, got 2"),
        ({"chains": 0}, "n_chains must be a whole number of at least 4, got 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        Annealing(**options)


def test_lengths_and_the_exact_sum_are_checked() -> None:
    with pytest.raises(InvalidInput, match=r"^tokens must be a list of whole numbers"):
        log_normalisers(random_model(0), [-1])
    large = make_case(words=5, units=30).parameters
    with pytest.raises(InvalidInput, match="got 30 units and 5 words"):
        log_normalisers(large, [3], Annealing("exact"))


def test_one_chain_far_ahead_of_all_makes_a_wide_interval() -> None:
    """A mean of weights that one of them dominates is not known, and is not said to be."""
    up = np.zeros((20, 1))
    up[3] = 60.0
    found = LogNormalisers(np.array([5]), up, np.zeros((20, 1)))
    value, low, high, _ = found.interval([1.0])
    assert value == pytest.approx(60.0 - np.log(20.0))
    assert high - low > 60.0
