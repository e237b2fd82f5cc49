"""PCD of two layers: latent words as they are drawn, both phases, and what is learned."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from tests.oracles.engine import NO_PRESSURE, PLACE, Case, dense_rows, make_case
from tests.oracles.goodness import assert_fits
from tests.oracles.two_layers import Whole, deep_model, with_latent
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CsrSource, checked_counts, word_distribution
from undertow.engines import Place
from undertow.learn import (
    Adam,
    ContrastiveDivergence,
    Corpus,
    DeepDivergence,
    Learner,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.learn.completing import Completing, counts_of, systematic
from undertow.learn.registry import find_learner, learner_names
from undertow.model import TwoLayers, initial_parameters
from undertow.model.mean_field import mean_field
from undertow.model.partition import all_documents
from undertow.model.token_factor import TokenFactor
from undertow.vectors import log_normalisers
from undertow.vectors.latent import exact_inputs, tokens_of
from undertow.vectors.latent_likelihood import exact_log_sums

SINGLE = 2e-5


# Latent words


def test_systematic_draws_are_rounded_up_or_down() -> None:
    """Each word comes up as often as its share says, but for less than 1; on average exactly."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(7, 0.5), 4)
    shares[2] = np.eye(7)[6]
    offsets = (np.arange(1000) + 0.5) / 1000  # all there are, evenly
    total = np.zeros((4, 7))
    for offset in offsets:
        drawn = systematic(shares, 10, np.full(4, offset)).toarray()
        assert (drawn.sum(axis=1) == 10).all()
        assert (np.abs(drawn - 10 * shares) < 1.0).all()
        total += drawn
    np.testing.assert_allclose(total / 1000, 10 * shares, rtol=0, atol=2e-3)


def test_words_without_a_share_are_never_drawn() -> None:
    """Also where an offset is nearly 1, and shares are in single precision."""
    shares = np.zeros((2, 6), dtype=np.float32)
    shares[0, [1, 3]] = 0.5
    shares[1, 2] = 1.0
    for offset in (0.0, 0.5, np.nextafter(1.0, 0.0)):
        drawn = systematic(shares, 8, np.full(2, offset)).toarray()
        assert drawn[0, [1, 3]].sum() == 8
        assert abs(int(drawn[0, 1]) - 4) <= 1
        assert drawn[1].tolist() == [0, 0, 8, 0, 0, 0]


@pytest.mark.parametrize("weighted", [False, True])
def test_completed_documents_have_mean_fields_latent_words(weighted: bool) -> None:
    whole = Whole(deep_model(units=3, latent=9, weighted=weighted), 3)
    parameters, batch = whole.parameters, whole.batch()
    own, _ = exact_inputs(parameters, batch)
    factor = TokenFactor(parameters, double=True)
    shares = mean_field(factor, own, tokens_of(batch), 9, passes=4).shares
    mean = np.zeros(whole.counts.shape)
    for epoch in range(200):
        made = Completing(9, 7).by_mean_field(parameters, batch, epoch, 4)
        assert made.document_ids is batch.document_ids
        extra = counts_of(parameters, made).toarray() - whole.counts
        assert (extra >= 0).all()
        assert (extra.sum(axis=1) == 9).all()
        assert (np.abs(extra - 9 * shares) < 1.0 + 1e-4).all()
        mean += extra / 200
    # a number of two values at most 1 apart: a deviation of 1/2 at most, so 5 standard errors
    np.testing.assert_allclose(mean, 9 * shares, rtol=0, atol=5 * 0.5 / np.sqrt(200))


@pytest.mark.parametrize("weighted", [False, True])
def test_chains_come_to_the_exact_distribution(weighted: bool) -> None:
    """Latent words and units of documents after 30 rounds, each from a start of its own: pairs of
    words and their states, beside sums over everything.
    """
    whole = Whole(deep_model(words=3, units=2, latent=2, weighted=weighted), 2)
    row, draws = 1, 20_000
    document = np.tile(whole.counts[row], (draws, 1))
    batch = CountBatch.from_csr(sparse.csr_array(document))
    hidden = np.zeros((draws, 2), dtype=np.bool_)
    known = np.arange(draws) % 2 == 0
    made = Completing(2, 5).by_chains(whole.parameters, batch, 3, 30, hidden, known)
    extra = counts_of(whole.parameters, made).toarray() - document
    assert (extra.sum(axis=1) == 2).all()
    cells = extra @ [1, 3, 9] * 4 + hidden @ [2, 1]
    expected = np.zeros(cells.max() + 100)
    for pair, chances in zip(np.ndindex(3, 3), whole.terms[row], strict=True):
        cell = 4 * sum(3**word for word in pair)
        expected[cell : cell + 4] += chances
    assert_fits(np.bincount(cells, minlength=len(expected)), expected / expected.sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_chains_begin_as_mean_field_does(weighted: bool) -> None:
    """Units that are not known are drawn as if latent words were like a document's own; those that
    are known stay.
    """
    parameters, draws = deep_model(words=3, units=2, latent=4, weighted=weighted), 40_000
    batch = CountBatch.from_csr(sparse.csr_array(np.tile([1, 0, 2], (draws, 1))))
    hidden = np.ones((draws, 2), dtype=np.bool_)
    known = np.arange(draws) % 2 == 0
    Completing(4, 5).by_chains(parameters, batch, 3, 0, hidden, known)
    assert hidden[known].all()
    own = exact_inputs(parameters, batch)[0][0]
    on = 1.0 / (1.0 + np.exp(-(1.0 + 4 / 3) * own))
    chances = np.outer([1.0 - on[0], on[0]], [1.0 - on[1], on[1]])
    cells = hidden[~known] @ [2, 1]
    assert_fits(np.bincount(cells, minlength=4), chances)


def test_of_pretraining_they_are_like_a_documents_own() -> None:
    batch = CountBatch.from_csr(sparse.csr_array(np.array([[2, 0, 1, 0], [0, 5, 0, 0]])))
    parameters = with_latent(make_case(words=4).parameters, 6)
    made = counts_of(parameters, Completing(6, 1).like_their_own(parameters, batch, 2)).toarray()
    assert made.tolist() == [[6, 0, 3, 0], [0, 11, 0, 0]]


def test_repeated_entries_of_a_document_are_added_up() -> None:
    batch = CountBatch(
        np.array([4]), np.array([0, 3]), np.array([1, 0, 1], np.int32), np.ones(3, np.int32)
    )
    parameters = with_latent(make_case(words=3).parameters, 3)
    made = Completing(3, 1).like_their_own(parameters, batch, 2)
    assert made.words.tolist() == [0, 1]
    assert made.counts.tolist() == [2, 4]


# The gradient


@pytest.mark.parametrize("weighted", [False, True])
def test_the_first_phase_is_the_slope_of_log_p(weighted: bool) -> None:
    """By finite differences of the exact sum: E[(v + latent words) h] is what learning is after,
    and what completed documents are drawn to have.
    """
    whole = Whole(deep_model(words=3, units=2, latent=2, weighted=weighted), 2)
    batch, step = whole.batch(), 1e-3
    for word in range(3):
        for unit in range(2):
            sums = []
            for sign in (1, -1):
                moved = whole.parameters.copy()
                moved.weights[word, unit] += np.float32(sign * step)
                sums.append((exact_log_sums(moved, batch), moved.weights[word, unit]))
            slope = (sums[0][0] - sums[1][0]) / (float(sums[0][1]) - float(sums[1][1]))
            expected = whole.parameters.word_weights[word] * whole.products[:, word, unit]
            # an error of step^2 times a third derivative, which is below 20 for 4 words
            np.testing.assert_allclose(slope, expected, rtol=0, atol=20 * step**2)


def test_the_step_has_the_gradient_of_the_likelihood() -> None:
    """By chains, whatever the pulls: the mean of 600 steps beside sums over everything, by its
    standard error. Chains of 20 rounds know nothing of where they began.
    """
    whole = Whole(deep_model(words=3, units=2, latent=3), 2)
    counts = np.array([[2, 0, 0], [1, 1, 0], [0, 0, 2], [0, 1, 1]])
    found, exact = _mean_step(whole, counts, DeepDivergence(20, False, passes=20))
    assert (np.abs(found.mean - exact) < 5.0 * found.error).all()
    assert np.abs(exact).max() > 20.0 * found.error.max()


def test_mean_field_has_it_where_pulls_are_weak() -> None:
    """To first order; what is left is of second order in pulls of about .07, times 5 words."""
    made = deep_model(words=3, units=2, latent=3)
    made.weights *= np.float32(0.1)
    made.hidden_bias *= np.float32(0.1)
    counts = np.array([[2, 0, 0], [1, 1, 0], [0, 0, 2], [0, 1, 1]])
    learner = DeepDivergence(20, False, "mean-field", 20)
    found, exact = _mean_step(Whole(made, 2), counts, learner)
    assert (np.abs(found.mean - exact) < 5.0 * found.error + 5 * 0.07**2).all()


class Mean(NamedTuple):
    """Of steps, and its standard error."""

    mean: Any
    error: Any


def _mean_step(whole: Whole, counts: Any, learner: DeepDivergence) -> tuple[Mean, Any]:
    """That of 600 steps, and what it should be."""
    rows = [whole.counts.tolist().index(row) for row in counts.tolist()]
    chances = np.exp(whole.log_sums - whole.log_z)
    exact = np.tensordot(chances, whole.products, 1) - whole.products[rows].mean(axis=0)
    case = Case(whole.parameters, np.full(3, 1 / 3), counts)
    step = learner.begin(case.session(), case.corpus, NO_PRESSURE)
    drawn = np.array(
        [dense_rows(step.gradient(case.batch(), Place(epoch, 0)), 3) for epoch in range(600)]
    )
    return Mean(drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(600)), exact


def test_pretraining_ends_where_it_is_said() -> None:
    threes = np.eye(5, dtype=np.int64) * 3
    case = Case(with_latent(make_case(weighted=False).parameters, 5), np.full(5, 0.2), threes)
    found = {}
    for name, pretraining, progress in (
        ("before", 0.5, 0.49),
        ("after", 0.5, 0.5),
        ("without", 0.0, 0.0),
        ("no end", 0.5, None),
    ):
        session = case.session()
        learner = DeepDivergence(1, False, pretraining=pretraining)
        step = learner.begin(session, Corpus(5, 3), NO_PRESSURE)
        step.reached(progress)
        found[name] = dense_rows(step.gradient(case.batch(), PLACE), 5)
    np.testing.assert_array_equal(found["after"], found["without"])
    np.testing.assert_array_equal(found["after"], found["no end"])
    assert (found["before"] != found["after"]).any()


# What is learned


def deep_truth() -> TwoLayers:
    """Two topics over four words, of documents of four words and two latent ones."""
    weights = np.array([[2.0, -1.3], [1.5, -1.1], [-1.3, 2.0], [-1.1, 1.5]], dtype=np.float32)
    return TwoLayers(
        weights=weights,
        hidden_bias=np.zeros(2, dtype=np.float32),
        visible_bias=np.log([0.4, 0.3, 0.2, 0.1]).astype(np.float32),
        word_weights=np.ones(4, dtype=np.float32),
        latent_words=np.array(2, dtype=np.float32),
    )


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "learner",
    [DeepDivergence(), DeepDivergence(persistent=False), DeepDivergence(latent="mean-field")],
    ids=["pcd", "cd", "mean field"],
)
def test_learning_approaches_a_known_model(learner: Learner, seed: int) -> None:
    """By far, and for any seed."""
    tokens, truth = 4, deep_truth()
    bags, orderings = all_documents(4, tokens)
    batch = CountBatch.from_csr(sparse.csr_array(bags))

    def log_p(parameters: TwoLayers) -> Any:
        log_z = log_normalisers(parameters, [tokens + 2]).values[0]
        return exact_log_sums(parameters, batch) + orderings - log_z

    known = log_p(truth)
    rows = np.random.default_rng(0).choice(len(bags), size=3000, p=np.exp(known))
    counts = checked_counts(bags[rows])
    p = word_distribution(counts)
    settings = Settings(
        learner=learner,
        optimizer=Adam(learning_rate=0.01, l2=0.0, hidden_bias_rate=1.0),
        sparsity=Sparsity(cost=0.0),
        seed=seed,
        planned_steps=24 * 40,
    )
    first = with_latent(initial_parameters(2, p, np.ones(4), seed), 2)
    run = Run(first, p, settings, documents=3000, longest=tokens, threads=1)
    before = float(np.exp(known) @ (known - log_p(run.parameters)))  # type: ignore[arg-type]
    train(run, CsrSource(sparse.csr_array(counts)), epochs=40)
    after = float(np.exp(known) @ (known - log_p(run.result())))  # type: ignore[arg-type]
    assert before > 0.08
    assert after < 0.1 * before, (before, after)


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_steps": 0}, "n_steps must be a whole number of at least 1, got 0"),
        ({"n_steps": (3, 1)}, "n_steps must give the lower number first, got (3, 1)"),
        ({"pretraining": 1.5}, "pretraining must be a share from 0 to 1, got 1.5"),
        ({"pretraining": -0.1}, "pretraining must be of at least 0, got -0.1"),
        ({"latent": "x"}, "latent must be one of 'chains', 'mean-field', got 'x'"),
        ({"passes": 0}, "passes must be a whole number of at least 1, got 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        DeepDivergence(**options)


def test_names_stand_for_options() -> None:
    assert find_learner("deep-pcd") == DeepDivergence()
    assert find_learner("deep-cd") == DeepDivergence(persistent=False)
    assert learner_names(2) == ["deep-pcd", "deep-cd"]
    assert not {*learner_names(2)} & {*learner_names()}
    assert "pcd" in learner_names()


def test_it_is_for_two_layers() -> None:
    case = make_case()
    with pytest.raises(InvalidInput, match=r"^learner must be one for a model without latent wor"):
        DeepDivergence().begin(case.session(), case.corpus, NO_PRESSURE)
    deep = with_latent(case.parameters, 3)  # and one layer's learners leave latent words alone
    session = Case(deep, case.p, case.counts).session()
    ContrastiveDivergence().begin(session, case.corpus, NO_PRESSURE)
