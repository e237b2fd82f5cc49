"""CD by Metropolis-Hastings: what the step moves, and what it makes of it."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.oracles.engine import NO_PRESSURE, SEED, Case, dense_rows, make_case
from undertow.engines import Gradient, Place
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.reference import energies, gibbs, metropolis, objectives
from undertow.learn import MetropolisDivergence, Sparsity
from undertow.learn.defaults import make_optimizer
from undertow.learn.registry import find_learner

SINGLE = 2e-5  # sums of a few dozen single-precision terms of order one
PLACE = Place(1, 0)


def step(case: Case, options: MetropolisDivergence, threads: int = 1) -> Gradient:
    begun = options.begin(case.session(threads=threads), case.corpus, NO_PRESSURE)
    return begun.gradient(case.batch(), PLACE)


def samples(case: Case, options: MetropolisDivergence) -> np.ndarray:
    """The counts of a walk, token by token, from the draws of the oracle."""
    model, table = case.model(np.zeros(1)), build_alias_table(case.p)
    a, w = model.a, model.w
    if options.words == "unweighted":
        a, w = np.zeros_like(a), np.ones_like(w)
    words = [np.repeat(np.arange(len(case.p)), counts) for counts in case.counts]
    counts, ids = case.counts, np.arange(len(case.counts))
    for number in range(options.n_steps):
        on = energies.posterior(model.w * counts, model.W, model.a)
        hidden = gibbs.hidden_units(SEED, PLACE.epoch, number, ids, on)
        pulls = energies.word_logits(hidden, model.W, a, model.b, w) - np.log(case.p)
        key = (SEED, PLACE.epoch, number)
        words = [
            metropolis.moved_words(key, d, own, pulls[d], table, options.proposals)
            for d, own in enumerate(words)
        ]
        counts = np.array([np.bincount(own, minlength=len(case.p)) for own in words])
    return counts


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_steps", "proposals"), [(1, 1), (1, 4), (3, 2)])
@pytest.mark.parametrize("words", ["unweighted", "exact"])
def test_gradient_is_what_moved_less_data(
    words: Literal["unweighted", "exact"], n_steps: int, proposals: int, weighted: bool
) -> None:
    case = make_case(weighted=weighted)
    options = MetropolisDivergence(n_steps, proposals, words)
    gradient, drawn = step(case, options), samples(case, options)
    assert (drawn.sum(axis=1) == case.counts.sum(axis=1)).all()
    assert (drawn != case.counts).any()
    W, a, b = objectives.divergence(case.model(np.zeros(1)), case.counts, drawn)
    np.testing.assert_allclose(dense_rows(gradient, 5), W, atol=SINGLE)
    dense = gradient.dense()
    np.testing.assert_allclose(dense["hidden_bias"], a, atol=SINGLE)
    np.testing.assert_allclose(dense["visible_bias"], b, atol=SINGLE)


def test_sparsity_enters_as_in_the_oracle() -> None:
    case, pressure = make_case(), Sparsity(0.1, 2.0).pressure
    begun = MetropolisDivergence().begin(case.session(), case.corpus, pressure)
    pressed, plain = begun.gradient(case.batch(), PLACE), step(case, MetropolisDivergence())
    penalty, W, _ = objectives.sparsity(case.model(np.zeros(1)), case.counts, target=0.1, cost=2.0)
    assert pressed.loss - plain.loss == pytest.approx(penalty, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(pressed, 5) - dense_rows(plain, 5), W, atol=SINGLE)


def test_the_number_of_threads_does_not_matter() -> None:
    case = make_case(words=40, units=20, documents=200, most_tokens=30)
    options = MetropolisDivergence(n_steps=2)
    one, three = (step(case, options, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(dense_rows(one, 40), dense_rows(three, 40))
    assert one.loss == three.loss


def test_epochs_move_words_otherwise() -> None:
    case = make_case(documents=40, most_tokens=30)
    begun = MetropolisDivergence().begin(case.session(), case.corpus, NO_PRESSURE)
    first, again, other = (
        dense_rows(begun.gradient(case.batch(), Place(epoch, 0)), 5) for epoch in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_its_name_and_its_optimizer() -> None:
    learner = find_learner("mh-cd")
    assert learner == MetropolisDivergence()
    assert make_optimizer("auto", learner) == MetropolisDivergence.usual_optimizer()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"n_steps": 0}, "n_steps must be"),
        ({"proposals": 0}, "proposals must be"),
        ({"words": "some"}, "words must be"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        MetropolisDivergence(**given)  # type: ignore[arg-type]
