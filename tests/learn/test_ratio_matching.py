"""Ratio matching: the objective by enumeration, its gradient, and what the step draws of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import NO_PRESSURE, SEED, Case, dense_rows, make_case
from tests.oracles.goodness import assert_fits, assert_means
from undertow.engines import Gradient, Place
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.reference import energies, objectives
from undertow.kernels.reference.objectives import Model
from undertow.kernels.reference.ratio_matching import (
    Replacements,
    drawn,
    every_replacement,
    log_ratios,
    ratio_matching,
)
from undertow.learn import RatioMatching, Sparsity
from undertow.learn.defaults import make_optimizer
from undertow.learn.registry import find_learner
from undertow.model.partition import all_documents

SINGLE = 2e-5  # sums of a few dozen single-precision terms of order one
PLACE = Place(1, 0)
Kind = Literal["proposal", "uniform"]
kinds = pytest.mark.parametrize("kind", ["proposal", "uniform"])
weights = pytest.mark.parametrize("weighted", [False, True])


def chances_of(case: Case, kind: Kind) -> NDArray[np.float64]:
    """q"""
    return case.p if kind == "proposal" else np.full(len(case.p), 1.0 / len(case.p))


def whole(case: Case, kind: Kind, model: Model | None = None) -> Any:
    """The objective over every neighbour, with its gradients."""
    model = model or case.model(np.zeros(1))
    everything = every_replacement(case.counts, chances_of(case, kind))
    return ratio_matching(model, case.counts, everything, uniform=kind == "uniform")


def step(case: Case, options: RatioMatching, *, threads: int = 1, epoch: int = 1) -> Gradient:
    begun = options.begin(case.session(threads=threads), case.corpus, NO_PRESSURE)
    return begun.gradient(case.batch(), Place(epoch, 0))


# The objective


@weights
@kinds
def test_shares_of_all_replacements_are_one(kind: Kind, weighted: bool) -> None:
    case = make_case(weighted=weighted)
    assert every_replacement(case.counts, chances_of(case, kind)).shares.sum() == pytest.approx(1)


@kinds
def test_log_ratios_are_those_of_the_model(kind: Kind) -> None:
    """log P(V') - log P(V) from free energies, and what words are drawn from."""
    case = make_case(weighted=False)
    model, q = case.model(np.zeros(1)), chances_of(case, kind)
    everything = every_replacement(case.counts, q)
    s, counts = log_ratios(model, case.counts, everything, uniform=kind == "uniform")
    parameters = (model.W, model.a, model.b)
    before = energies.free_energy(case.counts.astype(np.float64), *parameters)
    after = energies.free_energy(counts.astype(np.float64), *parameters)
    owners, removed, added = everything.owners, everything.removed, everything.added
    expected = before[owners] - after + np.log(q[removed]) - np.log(q[added])
    np.testing.assert_allclose(s, expected, atol=1e-10)


@weights
@kinds
@pytest.mark.parametrize("name", ["W", "a", "b"])
def test_gradient_is_that_of_finite_differences(name: str, kind: Kind, weighted: bool) -> None:
    """Central differences are off by h^2 times a third derivative, some 10 here, and by rounding
    over h.
    """
    case, h = make_case(weighted=weighted), 1e-5
    model = case.model(np.zeros(1))
    gradient = whole(case, kind)[1 + ["W", "a", "b"].index(name)]
    values = getattr(model, name)
    for place in np.ndindex(values.shape):
        change = np.zeros_like(values)
        change[place] = h
        up, down = (
            whole(case, kind, replace(model, **{name: values + sign * change}))[0]
            for sign in (1, -1)
        )
        assert (up - down) / (2 * h) == pytest.approx(gradient[place], abs=1e-9)


@weights
@kinds
def test_the_model_itself_is_where_the_objective_is_least(kind: Kind, weighted: bool) -> None:
    """All documents of three words, each as often as the model has it: the gradient is zero. The
    model's words have the shares p where units say nothing (see `learn.ratio_matching`).
    """
    case = make_case(words=4, units=2, weighted=weighted, seed=2)
    model = case.model(np.zeros(1))
    bags, log_orderings = all_documents(4, 3)
    pull = model.w * (model.b - np.log(model.p)) + np.log(model.p)
    log_p = log_orderings + bags @ pull + energies.score(model.w * bags, model.W, model.a)
    chances = np.exp(log_p - log_p.max())
    everything = every_replacement(bags, chances_of(case, kind))
    of_data = chances / chances.sum() * len(bags)
    shares = everything.shares * of_data[everything.owners]
    uniform = kind == "uniform"

    def gradients(model: Model) -> list[NDArray[np.float64]]:
        data = replace(everything, shares=shares)
        return list(ratio_matching(model, bags, data, uniform=uniform)[1:])

    for gradient in gradients(model):
        np.testing.assert_allclose(gradient, 0.0, atol=1e-12)
    for gradient in gradients(replace(model, W=model.W * 1.1, a=model.a + 0.1, b=model.b * 1.1)):
        assert np.abs(gradient).max() > 1e-4  # and not elsewhere


# What is drawn


@kinds
def test_replacements_follow_their_distribution(kind: Kind) -> None:
    """A token of the document, each as likely, and a word from q, independent of it."""
    case, m = make_case(words=7), 100_000
    counts = np.array([3, 0, 1, 5, 0, 2, 1])
    table = build_alias_table(case.p) if kind == "proposal" else None
    pairs = np.array(drawn(SEED, 1, 5, counts, table, m))
    observed = np.bincount(pairs[:, 0] * 7 + pairs[:, 1], minlength=49)
    assert_fits(observed, np.outer(counts / counts.sum(), chances_of(case, kind)))


@weights
@kinds
@pytest.mark.parametrize("learned", [False, True])
def test_the_step_has_the_gradient_of_what_it_draws(
    learned: bool, kind: Kind, weighted: bool
) -> None:
    case, m = make_case(weighted=weighted), 4
    bias: Literal["frozen", "learned"] = "learned" if learned else "frozen"
    gradient = step(case, RatioMatching(m, kind, bias))
    table = build_alias_table(case.p) if kind == "proposal" else None
    pairs = [drawn(SEED, 1, d, counts, table, m) for d, counts in enumerate(case.counts)]
    removed, added = np.array(pairs).reshape(-1, 2).T
    size = len(case.counts)
    shares = np.full(size * m, 1.0 / (size * m))
    ours = Replacements(np.repeat(np.arange(size), m), removed, added, shares)
    model = case.model(np.zeros(1))
    loss, W, a, b = ratio_matching(model, case.counts, ours, uniform=kind == "uniform")
    assert gradient.loss == pytest.approx(loss, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(gradient, 5), W, atol=SINGLE)
    dense = gradient.dense()
    np.testing.assert_allclose(dense["hidden_bias"], a, atol=SINGLE)
    assert ("visible_bias" in dense) == learned
    if learned:
        np.testing.assert_allclose(dense["visible_bias"], b, atol=SINGLE)


@weights
@kinds
def test_the_mean_of_steps_is_the_gradient_of_the_whole(kind: Kind, weighted: bool) -> None:
    """Over many draws, by the variance of one that is seen in them."""
    case = make_case(words=4, units=2, documents=3, weighted=weighted)
    options, steps = RatioMatching(2, kind, "learned"), 4000
    begun = options.begin(case.session(), case.corpus, NO_PRESSURE)
    rows = []
    for epoch in range(steps):
        gradient = begun.gradient(case.batch(), Place(epoch, 0))
        dense = gradient.dense()
        parts = (dense_rows(gradient, 4).ravel(), dense["hidden_bias"], dense["visible_bias"])
        rows.append(np.concatenate([*parts, [gradient.loss]]))
    loss, W, a, b = whole(case, kind)
    seen = np.array(rows, dtype=np.float64)
    expected = np.concatenate([W.ravel(), a, b, [loss]])
    variances = seen.var(axis=0) + steps * 1e-14  # and rounding of single precision, 1e-7
    assert_means(seen.mean(axis=0), expected, variances, steps)


# The step


def test_sparsity_enters_as_in_the_oracle() -> None:
    case, pressure = make_case(), Sparsity(0.1, 2.0).pressure
    begun = RatioMatching().begin(case.session(), case.corpus, pressure)
    pressed = begun.gradient(case.batch(), PLACE)
    plain = step(case, RatioMatching())
    penalty, W, a = objectives.sparsity(case.model(np.zeros(1)), case.counts, target=0.1, cost=2.0)
    assert pressed.loss - plain.loss == pytest.approx(penalty, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(pressed, 5) - dense_rows(plain, 5), W, atol=SINGLE)
    difference = pressed.dense()["hidden_bias"] - plain.dense()["hidden_bias"]
    np.testing.assert_allclose(difference, a, atol=SINGLE)


def test_the_number_of_threads_does_not_matter() -> None:
    case = make_case(words=40, units=20, documents=200, most_tokens=30)
    one, three = (step(case, RatioMatching(), threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(dense_rows(one, 40), dense_rows(three, 40))
    np.testing.assert_array_equal(one.dense()["hidden_bias"], three.dense()["hidden_bias"])
    assert one.loss == three.loss


def test_a_document_is_no_neighbour_of_itself() -> None:
    """A word that is replaced by itself costs a constant, and moves nothing."""
    case = make_case(words=1, weighted=False)
    gradient = step(case, RatioMatching())
    assert gradient.loss == pytest.approx(0.25, abs=1e-6)
    np.testing.assert_allclose(gradient.rows()[1], 0.0, atol=1e-6)


def test_its_name_and_its_optimizer() -> None:
    learner = find_learner("ratio-matching")
    assert learner == RatioMatching()
    assert make_optimizer("auto", learner) == RatioMatching.usual_optimizer()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"n_neighbours": 0}, "n_neighbours must be"),
        ({"neighbours": "some"}, "neighbours must be"),
        ({"visible_bias": "some"}, "visible_bias must be"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        RatioMatching(**given)  # type: ignore[arg-type]
