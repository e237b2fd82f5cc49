"""CD's and PCD's steps: the gradient for the samples drawn, and the chains."""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
import pytest

from tests.oracles.engine import NO_PRESSURE, SEED, Case, dense_rows, make_case
from undertow import ReplicatedSoftmax
from undertow._errors import InvalidInput
from undertow.engines import STARTED, Gradient, Place
from undertow.engines.cpu.session import CpuSession
from undertow.kernels.cpu import gibbs
from undertow.kernels.reference import objectives
from undertow.learn import ContrastiveDivergence, Sparsity
from undertow.learn.divergence import CHAINS, steps_at

SINGLE = 2e-5  # sums of a few dozen single-precision terms of order one


def _samples(session: CpuSession, case: Case) -> np.ndarray:
    """The counts of the words that the last step drew."""
    tokens = case.counts.sum(axis=1)
    words = session._divergence._workspace.array("chain", int(tokens.sum()), np.int32)
    counts = np.zeros_like(case.counts)
    np.add.at(counts, (np.repeat(np.arange(len(tokens)), tokens), words), 1)
    return counts


def _step(
    case: Case, options: ContrastiveDivergence, threads: int = 1
) -> tuple[CpuSession, Gradient]:
    session = case.session(threads=threads)
    step = options.begin(session, case.corpus, NO_PRESSURE)
    return session, step.gradient(case.batch(), Place(1, 0))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_steps", [1, 3])
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("words", ["unweighted", "exact"])
def test_gradient_is_samples_less_data(
    words: Literal["unweighted", "exact"], n_steps: int, persistent: bool, weighted: bool
) -> None:
    case = make_case(weighted=weighted)
    session, gradient = _step(case, ContrastiveDivergence(n_steps, persistent, words))
    samples = _samples(session, case)
    assert (samples.sum(axis=1) == case.counts.sum(axis=1)).all()
    W, a, b = objectives.divergence(case.model(np.zeros(1)), case.counts, samples)
    size = case.parameters.words
    np.testing.assert_allclose(dense_rows(gradient, size), W, atol=SINGLE)
    dense = gradient.dense()
    np.testing.assert_allclose(dense["hidden_bias"], a, atol=SINGLE)
    np.testing.assert_allclose(dense["visible_bias"], b, atol=SINGLE)
    np.testing.assert_allclose(
        dense["hidden_bias"], dense_rows(gradient, size).sum(axis=0), atol=SINGLE
    )


def test_sparsity_enters_as_in_the_oracle() -> None:
    case = make_case()
    pressure = Sparsity(0.1, 2.0).pressure
    step = ContrastiveDivergence().begin(case.session(), case.corpus, pressure)
    pressed = step.gradient(case.batch(), Place(1, 0))
    _, plain = _step(case, ContrastiveDivergence())
    penalty, W, a = objectives.sparsity(case.model(np.zeros(1)), case.counts, target=0.1, cost=2.0)
    assert pressed.loss - plain.loss == pytest.approx(penalty, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(pressed, 5) - dense_rows(plain, 5), W, atol=SINGLE)
    pressed_a, plain_a = pressed.dense()["hidden_bias"], plain.dense()["hidden_bias"]
    np.testing.assert_allclose(pressed_a - plain_a, a, atol=SINGLE)


def test_persistent_chain_goes_on_from_its_hidden_units() -> None:
    """The second epoch draws words from the hidden units that the first one left, not from the
    data's.
    """
    case = make_case(documents=4, most_tokens=30)
    session = case.session()
    options = ContrastiveDivergence(persistent=True, words="exact")
    step = options.begin(session, case.corpus, NO_PRESSURE)
    assert not session.arrays()[CHAINS + STARTED].any()
    step.gradient(case.batch(), Place(1, 0))
    held = session.arrays()
    left = np.unpackbits(held[CHAINS], axis=1, count=case.parameters.units).astype(np.float32)
    assert held[CHAINS + STARTED].all()
    step.gradient(case.batch(), Place(2, 0))
    drawn = _samples(session, case)
    starts = np.concatenate([[0], np.cumsum(case.counts.sum(axis=1))])
    again = gibbs.Chain(np.arange(4), starts, np.empty(starts[-1], dtype=np.int32))
    gibbs.draw_words(gibbs.Place(SEED, 2, 0), case.parameters, left, again, 1)
    expected = np.zeros_like(drawn)
    np.add.at(expected, (np.repeat(np.arange(4), np.diff(starts)), again.words), 1)
    np.testing.assert_array_equal(drawn, expected)


def test_chains_start_at_the_data() -> None:
    case = make_case()
    _, plain = _step(case, ContrastiveDivergence())
    _, persistent = _step(case, ContrastiveDivergence(persistent=True))
    np.testing.assert_array_equal(dense_rows(plain, 5), dense_rows(persistent, 5))


def test_the_number_of_threads_does_not_matter() -> None:
    case = make_case(words=40, units=20, documents=200, most_tokens=30)
    _, one = _step(case, ContrastiveDivergence(n_steps=2), threads=1)
    rows, loss = dense_rows(one, 40), one.loss
    _, three = _step(case, ContrastiveDivergence(n_steps=2), threads=3)
    np.testing.assert_array_equal(rows, dense_rows(three, 40))
    assert loss == three.loss


@pytest.mark.parametrize(
    ("n_steps", "progress", "expected"),
    [
        (3, 0.9, 3),
        ((1, 5), 0.0, 1),
        ((1, 5), 0.19, 1),
        ((1, 5), 0.2, 2),
        ((1, 5), 0.99, 5),
        ((1, 5), 1.0, 5),
        ((1, 5), None, 5),
        ((2, 2), 0.5, 2),
    ],
)
def test_steps_rise_in_equal_shares(
    n_steps: int | tuple[int, int], progress: float | None, expected: int
) -> None:
    assert steps_at(n_steps, progress) == expected


def test_a_step_that_rises_is_that_of_so_many_steps() -> None:
    case = make_case()
    step = ContrastiveDivergence((1, 3)).begin(case.session(), case.corpus, NO_PRESSURE)
    for progress, n_steps in ((0.0, 1), (0.5, 2), (1.0, 3)):
        step.reached(progress)
        rising = dense_rows(step.gradient(case.batch(), Place(1, 0)), 5)
        _, plain = _step(case, ContrastiveDivergence(n_steps))
        np.testing.assert_array_equal(rising, dense_rows(plain, 5))


def test_a_run_tells_how_far_it_is() -> None:
    """Of 4 epochs the first half are those of CD-1, and the others are not."""
    counts = np.random.default_rng(0).poisson(0.7, (60, 6))

    def model(n_steps: int | tuple[int, int], epochs: int) -> ReplicatedSoftmax:
        return ReplicatedSoftmax(
            3,
            learner=ContrastiveDivergence(n_steps),
            batch_size=20,
            averaging=0.0,
            max_epochs=epochs,
            random_state=0,
        ).fit(counts)

    rising = [record.loss for record in model((1, 2), 4).history_]
    ones = [record.loss for record in model(1, 4).history_]
    assert rising[:2] == ones[:2]
    assert rising[2:] != ones[2:]


@pytest.mark.parametrize(
    ("n_steps", "message"),
    [
        (0, "n_steps must be a whole number of at least 1, got 0"),
        ((1, 2, 3), "n_steps must be one number or two, got 3 numbers"),
        ((5, 1), "n_steps must give the lower number first, got (5, 1)"),
        ((0, 4), "n_steps must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_steps(n_steps: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        ContrastiveDivergence(n_steps)
