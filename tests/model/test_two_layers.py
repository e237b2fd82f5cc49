"""Two layers against sums over all documents, latent words and hidden states, at tiny size.

Everything here is in double precision and sums at most 3^5 * 2^3 terms of moderate size: it agrees
to far less than 1e-11. Mean field stops where mu moves by less than 1e-4; what that leaves is said
where it matters.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.oracles.engine import make_case
from tests.oracles.two_layers import Whole, deep_model, with_latent
from undertow._errors import InvalidInput
from undertow.model import Parameters, TwoLayers, latent_words_of, with_more_words
from undertow.model.mean_field import TOLERANCE, bounds, mean_field
from undertow.model.token_factor import TokenFactor, logistic
from undertow.vectors import log_normalisers
from undertow.vectors.latent import exact_inputs, tokens_of

CLOSE = 1e-11
models = pytest.mark.parametrize("weighted", [False, True])


@models
@pytest.mark.parametrize(("tokens", "latent"), [(1, 1), (2, 3), (3, 1), (3, 2)])
def test_log_z_is_that_of_one_layer_and_so_many_words_more(
    tokens: int, latent: int, weighted: bool
) -> None:
    whole = Whole(deep_model(latent=latent, weighted=weighted), tokens)
    found = log_normalisers(whole.parameters, [tokens + latent]).values
    assert found[0] == pytest.approx(whole.log_z, abs=CLOSE)


@models
def test_the_bound_is_one_and_is_what_its_formula_says(weighted: bool) -> None:
    """At any mu: 200 that are drawn, of which some are near 0 and 1."""
    whole = Whole(deep_model(units=3, weighted=weighted), 3)
    factor = TokenFactor(whole.parameters, double=True)
    own, given = exact_inputs(whole.parameters, whole.batch())
    rng = np.random.default_rng(0)
    base = whole.parameters.word_weights.astype(np.float64) * whole.parameters.visible_bias
    for _ in range(200):
        mean = logistic(rng.normal(0.0, 3.0, own.shape)).astype(np.float64)
        found = bounds(factor, own, given, 2, mean)
        assert (found <= whole.log_sums + CLOSE).all()
        said = mean @ factor.pull.astype(np.float64)
        shares = np.exp(said + base)
        shares /= shares.sum(axis=1, keepdims=True)
        latent = 2 * (shares * (said + base - np.log(shares))).sum(axis=1)
        entropy = -(mean * np.log(mean) + (1 - mean) * np.log(1 - mean)).sum(axis=1)
        by_hand = given + (own * mean).sum(axis=1) + entropy + latent
        np.testing.assert_allclose(found, by_hand, rtol=0, atol=CLOSE)


def test_what_is_certain_has_no_entropy() -> None:
    factor = TokenFactor(deep_model(), double=True)
    own, given = np.array([[3.0, -2.0]]), np.array([0.5])
    _, g = factor.shares(np.array([[1.0, 0.0]]))
    found = bounds(factor, own, given, 2, np.array([[1.0, 0.0]]))
    assert found[0] == pytest.approx(0.5 + 3.0 + 2 * g[0], abs=CLOSE)


@models
def test_passes_raise_the_bound_and_come_to_rest(weighted: bool) -> None:
    """The fixed point: mu is the sigmoid of what it says to units, but for the tolerance."""
    whole = Whole(deep_model(units=3, latent=4, weighted=weighted, seed=5), 3)
    factor = TokenFactor(whole.parameters, double=True)
    own, given = exact_inputs(whole.parameters, whole.batch())
    tokens = tokens_of(whole.batch())
    before = np.full(len(own), -np.inf)
    for passes in range(6):
        mean = mean_field(factor, own, tokens, 4, passes=passes).mean.astype(np.float64)
        now = bounds(factor, own, given, 4, mean)
        assert (now >= before - CLOSE).all()
        before = now
    rest = mean_field(factor, own, tokens, 4)
    shares, _ = factor.shares(rest.mean)
    said = shares.astype(np.float64) @ factor.pull.T.astype(np.float64)
    again = logistic(own + 4 * said)
    assert np.abs(again - rest.mean).max() <= TOLERANCE
    np.testing.assert_allclose(logistic(rest.inputs), rest.mean, rtol=0, atol=CLOSE)


def test_mean_field_begins_as_if_latent_words_were_like_the_documents_own() -> None:
    whole = Whole(deep_model(latent=6), 3)
    factor = TokenFactor(whole.parameters, double=True)
    own, _ = exact_inputs(whole.parameters, whole.batch())
    found = mean_field(factor, own, tokens_of(whole.batch()), 6, passes=0)
    np.testing.assert_allclose(found.mean, logistic(own * (1 + 6 / 3)), rtol=0, atol=CLOSE)


def test_documents_do_not_change_each_others_mean_field() -> None:
    """Each stops when it has come to rest itself; a product of matrices may round otherwise."""
    whole = Whole(deep_model(units=3, latent=4, seed=5), 3)
    factor = TokenFactor(whole.parameters, double=True)
    own, _ = exact_inputs(whole.parameters, whole.batch())
    tokens = tokens_of(whole.batch())
    together = mean_field(factor, own, tokens, 4)
    for row in range(0, len(own), 5):
        alone = mean_field(factor, own[[row]], tokens[[row]], 4)
        np.testing.assert_allclose(alone.mean[0], together.mean[row], rtol=0, atol=CLOSE)
        np.testing.assert_allclose(alone.shares[0], together.shares[row], rtol=0, atol=CLOSE)


def test_latent_words_are_counted() -> None:
    assert latent_words_of(make_case().parameters) == 0
    assert latent_words_of(deep_model(latent=7)) == 7
    assert latent_words_of(deep_model(latent=7).copy()) == 7
    assert "latent_words" not in deep_model().learned()
    assert Parameters.kinds().count(TwoLayers) == 1


def test_more_words_leave_latent_words() -> None:
    grown, _ = with_more_words(deep_model(latent=7), np.full(3, 1 / 3), 2, seed=0)
    assert latent_words_of(grown) == 7
    assert grown.words == 5


@pytest.mark.parametrize("number", [0, -3, 2.5, np.nan, np.inf, 2_000_000])
def test_latent_words_are_a_whole_number(number: float) -> None:
    message = f"latent_words must be a whole number from 1 to 1,000,000, got {float(number)}"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        TwoLayers(
            **make_case().parameters.arrays(), latent_words=np.array(number, dtype=np.float32)
        )


def test_latent_words_are_one_number() -> None:
    with pytest.raises(InvalidInput, match=r"^latent_words must have shape \(\)"):
        TwoLayers(**make_case().parameters.arrays(), latent_words=np.ones(2, dtype=np.float32))


def test_with_latent_keeps_the_arrays() -> None:
    one = make_case().parameters
    assert with_latent(one, 3).weights is one.weights
