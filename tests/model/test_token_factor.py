"""g(h), the sum over hidden states, and sweeps over them, at tiny size."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.oracles.engine import make_case
from tests.oracles.enumeration import enumerate_joint
from tests.oracles.goodness import chi_square
from undertow.model import Parameters
from undertow.model.token_factor import TokenFactor, log_sum

DOUBLE = 1e-12  # at most 5^4 * 2^3 terms of moderate size: 5000 * 2^-53
CHAINS = 40_000


def tiny(*, weighted: bool, scale: float = 0.9, units: int = 3) -> Parameters:
    return make_case(words=5, units=units, weighted=weighted, scale=scale, seed=4).parameters


def states_of(units: int) -> np.ndarray:
    """In the order of `TokenFactor.of_all_states`."""
    return (np.arange(2**units)[:, None] >> np.arange(units)) & 1 > 0


@pytest.mark.parametrize(("weighted", "tokens"), [*product([False, True], [1, 3, 4])])
def test_the_sum_over_hidden_states_is_that_over_all_sequences(weighted: bool, tokens: int) -> None:
    parameters = tiny(weighted=weighted)
    joint = enumerate_joint(parameters, tokens)
    factor = TokenFactor(parameters, double=True)
    g = np.concatenate(list(factor.of_all_states()))
    assert float(log_sum(tokens * g)) == pytest.approx(joint.log_z, abs=DOUBLE)
    rows = [int(h @ 2 ** np.arange(parameters.units)) for h in joint.hidden]
    by_state = np.log(np.exp(joint.minus_energies).sum(axis=0))
    np.testing.assert_allclose(tokens * g[rows], by_state, rtol=0, atol=DOUBLE)
    if tokens == 1:
        words = factor.word_log_weights()
        np.testing.assert_allclose(words, -joint.free_energies, rtol=0, atol=DOUBLE)


@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_the_words_given_hidden_units(weighted: bool) -> None:
    parameters = tiny(weighted=weighted)
    joint = enumerate_joint(parameters, 1)
    shares, g = TokenFactor(parameters, double=True).shares(joint.hidden > 0)
    np.testing.assert_allclose(shares, joint.sequences_given_hidden.T, rtol=0, atol=DOUBLE)
    np.testing.assert_allclose(
        g, np.log(np.exp(joint.minus_energies).sum(axis=0)), rtol=0, atol=DOUBLE
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("length", "scale"), [(1.0, 0.9), (2.7, 0.9), (9.0, 0.5)])
@pytest.mark.parametrize("double", [False, True])
def test_a_sweep_leaves_the_distribution_as_it_is(
    weighted: bool, length: float, scale: float, double: bool
) -> None:
    """Chains begin in p(h) ~ exp(t g(h)) itself, so after a sweep they are still in it: a wrong
    sign, or a factor that is off, takes them away from it.
    """
    factor = TokenFactor(tiny(weighted=weighted, scale=scale), double=double)
    g = np.concatenate(list(factor.of_all_states()))
    chances = np.exp(length * g - log_sum(length * g))
    generator = np.random.default_rng(0)
    hidden = states_of(3)[generator.choice(8, size=CHAINS, p=chances)]
    before = hidden.copy()
    factor.sweep(hidden, factor.shares(hidden)[0], length, generator.random((CHAINS, 3)))
    assert (hidden != before).any(axis=1).mean() > 0.05
    observed = np.bincount(hidden @ 2 ** np.arange(3), minlength=8)
    statistic, limit = chi_square(observed, chances)
    assert statistic < limit


def test_sweeps_reach_the_distribution_from_elsewhere() -> None:
    factor = TokenFactor(tiny(weighted=True))
    g = np.concatenate(list(factor.of_all_states()))
    chances = np.exp(3.0 * g - log_sum(3.0 * g))
    generator = np.random.default_rng(1)
    hidden = np.zeros((CHAINS, 3), dtype=np.bool_)
    for _ in range(30):
        factor.sweep(hidden, factor.shares(hidden)[0], 3.0, generator.random((CHAINS, 3)))
    statistic, limit = chi_square(np.bincount(hidden @ 2 ** np.arange(3), minlength=8), chances)
    assert statistic < limit


def test_a_sweep_draws_each_unit_given_the_others() -> None:
    """One unit at a time, against the chance worked out from g of both states."""
    parameters = tiny(weighted=True, units=1)
    factor = TokenFactor(parameters, double=True)
    off, on = (factor.shares(np.array([[state]]))[1][0] for state in (False, True))
    chance = 1.0 / (1.0 + np.exp(5.5 * (off - on)))
    for below, expected in ((chance - 1e-9, True), (chance + 1e-9, False)):
        hidden = np.array([[False]])
        factor.sweep(hidden, factor.shares(hidden)[0], 5.5, np.array([[below]]))
        assert hidden[0, 0] == expected


@pytest.mark.parametrize("scale", [5.0, 60.0])
def test_strong_units_do_not_overflow(scale: float) -> None:
    rng = np.random.default_rng(3)
    parameters = Parameters(
        weights=rng.normal(0, scale, (6, 4)).astype(np.float32),
        hidden_bias=rng.normal(0, scale, 4).astype(np.float32),
        visible_bias=rng.normal(0, 1, 6).astype(np.float32),
        word_weights=np.ones(6, dtype=np.float32),
    )
    factor = TokenFactor(parameters)
    assert factor.pull.dtype == (np.float64 if scale > 20 else np.float32)
    hidden = rng.random((50, 4)) < 0.5
    for _ in range(5):
        shares, g = factor.shares(hidden)
        factor.sweep(hidden, shares, 30.0, rng.random((50, 4)))
        assert np.isfinite(shares).all()
        assert np.isfinite(g).all()
