"""What is said of documents by two layers, against sums over everything."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from tests.oracles.goodness import assert_fits
from tests.oracles.two_layers import Whole, deep_model, with_latent
from undertow.counts import CountBatch
from undertow.engines import find_engine
from undertow.kernels import randomness
from undertow.model import Parameters, initial_parameters
from undertow.model.mean_field import mean_field
from undertow.model.token_factor import TokenFactor
from undertow.vectors import (
    activations,
    free_energies,
    log_normalisers,
    posteriors,
    sample_documents,
    strengths,
)
from undertow.vectors.latent import exact_inputs, latent_inputs, log_bounds, tokens_of
from undertow.vectors.latent_likelihood import annealed_log_sums, exact_log_sums

CLOSE = 1e-11
models = pytest.mark.parametrize("weighted", [False, True])


@models
def test_exact_sums_are_sums_over_everything(weighted: bool) -> None:
    whole = Whole(deep_model(units=3, weighted=weighted), 3)
    found = exact_log_sums(whole.parameters, whole.batch())
    np.testing.assert_allclose(found, whole.log_sums, rtol=0, atol=CLOSE)


@models
def test_probabilities_of_all_documents_sum_to_one(weighted: bool) -> None:
    whole = Whole(deep_model(units=3, weighted=weighted), 3)
    log_z = log_normalisers(whole.parameters, [3 + 2]).values[0]
    total = np.exp(exact_log_sums(whole.parameters, whole.batch()) - log_z).sum()
    assert total == pytest.approx(1.0, abs=CLOSE)


@models
def test_bounds_are_below_and_near_where_pulls_are_weak(weighted: bool) -> None:
    strong = Whole(deep_model(units=3, weighted=weighted), 3)
    found = log_bounds(strong.parameters, strong.batch())
    assert (found < strong.log_sums).all()
    np.testing.assert_array_equal(free_energies(strong.parameters, strong.batch()), -found)
    weak = strong.parameters.copy()
    weak.weights *= np.float32(0.01)
    weak.hidden_bias *= np.float32(0.01)
    gaps = exact_log_sums(weak, strong.batch()) - log_bounds(weak, strong.batch())
    assert (gaps > 0.0).all()
    assert gaps.max() < 1e-3


@models
def test_inputs_are_those_of_documents_with_their_expected_latent_words(weighted: bool) -> None:
    """Single precision: eight words and their rows of size 3 at most, so 1e-5 is much."""
    whole = Whole(deep_model(units=3, latent=5, weighted=weighted, seed=4), 3)
    parameters, w = whole.parameters, whole.parameters.word_weights.astype(np.float64)
    own, _ = exact_inputs(parameters, whole.batch())
    factor = TokenFactor(parameters, double=True)
    shares = mean_field(factor, own, tokens_of(whole.batch()), 5).shares
    longer = w * (whole.counts + 5 * shares)
    sums, lengths = latent_inputs(parameters, whole.batch())
    empty = (w * whole.counts).sum(axis=1) == 0
    assert empty.sum() == int(weighted)  # the document of three words that weigh nothing
    expected = np.where(empty[:, None], 0.0, longer @ parameters.weights)
    # mean field stops up to 1e-4 before the fixed point, in single precision perhaps elsewhere
    np.testing.assert_allclose(sums, expected, rtol=0, atol=2e-3)
    np.testing.assert_allclose(lengths, np.where(empty, 0.0, longer.sum(axis=1)), atol=2e-3)
    x = sums + lengths[:, None] * parameters.hidden_bias
    on = posteriors(parameters, whole.batch())
    np.testing.assert_allclose(on, 1 / (1 + np.exp(-x)), rtol=0, atol=1e-6)


def test_empty_documents_say_nothing() -> None:
    batch = CountBatch.from_csr(sparse.csr_array(np.array([[0, 0, 0], [1, 0, 2]])))
    parameters = deep_model(latent=9)
    assert (posteriors(parameters, batch)[0] == 0.5).all()
    assert not activations(parameters, batch)[0].any()
    assert np.allclose(strengths(parameters, batch, 7.0)[0], np.log1p(np.log(2.0)))
    assert (posteriors(parameters, batch)[1] != 0.5).all()


def test_long_documents_are_as_of_one_layer() -> None:
    """1 latent word beside 3,000: where one layer is sure of a unit, two layers are."""
    parameters = deep_model(latent=1)
    counts = sparse.csr_array(np.array([[2000, 1000, 0]]))
    batch = CountBatch.from_csr(counts)
    alone = Parameters(**{name: getattr(parameters, name) for name in Parameters.axes()})
    np.testing.assert_allclose(posteriors(parameters, batch), posteriors(alone, batch), atol=1e-6)


@models
def test_annealed_sums_have_no_bias(weighted: bool) -> None:
    """p* itself, however coarse the way is: the mean of 4,000 chains is within 5 standard errors,
    which are below .05.
    """
    whole = Whole(deep_model(units=3, latent=4, weighted=weighted), 2)
    found = [
        annealed_log_sums(whole.parameters, whole.batch(), temperatures=3, chains=40, seed=seed)
        for seed in range(100)
    ]
    weights = np.exp(np.array(found) - whole.log_sums)
    errors = weights.std(axis=0) / np.sqrt(len(weights))
    assert errors.max() < 0.05
    assert (np.abs(weights.mean(axis=0) - 1.0) < 5.0 * errors + 1e-6).all()


def test_annealing_comes_nearer_than_mean_field() -> None:
    whole = Whole(deep_model(units=3, latent=4, seed=2), 2)
    bounded = log_bounds(whole.parameters, whole.batch())
    annealed = annealed_log_sums(whole.parameters, whole.batch(), temperatures=50, chains=50)
    gaps = [np.abs(found - whole.log_sums).mean() for found in (bounded, annealed)]
    assert gaps[1] < 0.3 * gaps[0]


def test_sweeps_with_inputs_leave_their_distribution_as_it_is() -> None:
    """Chains that begin where they are to be, after three sweeps."""
    parameters, t, chains = deep_model(units=3), 2.5, 40_000
    factor = TokenFactor(parameters, double=True)
    given = np.array([0.7, -1.1, 0.3])
    states = (np.arange(8)[:, None] >> np.arange(3)) & 1
    chances = np.exp(t * np.concatenate(list(factor.of_all_states())) + states @ given)
    chances /= chances.sum()
    rng = np.random.default_rng(0)
    hidden = states[rng.choice(8, chains, p=chances)].astype(bool)
    for _ in range(3):
        shares, _ = factor.shares(hidden)
        inputs = np.tile(given, (chains, 1))
        factor.sweep(hidden, shares, t, rng.random((chains, 3)), inputs)
    assert_fits(np.bincount(hidden @ [1, 2, 4], minlength=8), chances)


def test_samples_are_documents_of_the_model() -> None:
    """Independent chains of 60 steps; latent words are left out whichever words they are."""
    whole = Whole(deep_model(units=2, latent=3), 2)
    drawn = sample_documents(whole.parameters, np.full(20_000, 2), n_steps=60, seed=1)
    assert (np.diff(drawn.starts) == 2).all()
    pairs = drawn.words.reshape(-1, 2)
    order = np.exp(whole.log_sums - whole.log_z)  # of sequences, the last word running fastest
    assert_fits(np.bincount(pairs @ [3, 1], minlength=9), order)


@pytest.mark.parametrize("documents", [3, 700])
def test_the_number_of_threads_does_not_matter(documents: int) -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(50))
    parameters = with_latent(initial_parameters(6, shares, np.ones(50), 0), 20)
    parameters.weights *= np.float32(50.0)
    batch = CountBatch.from_csr(sparse.csr_array(rng.poisson(0.3, (documents, 50))))
    one, two = (find_engine("cpu", threads=threads) for threads in (1, 2))
    for work in (latent_inputs, log_bounds, posteriors):
        np.testing.assert_array_equal(
            work(parameters, batch, engine=one)[0], work(parameters, batch, engine=two)[0]
        )
    few = batch.part(0, 3)
    found = [annealed_log_sums(parameters, few, temperatures=5, engine=each) for each in (one, two)]
    np.testing.assert_array_equal(found[0], found[1])


def test_draws_for_latent_words_are_their_own() -> None:
    purposes = [int(purpose) for purpose in randomness.Purpose]
    assert len(set(purposes)) == len(purposes)
