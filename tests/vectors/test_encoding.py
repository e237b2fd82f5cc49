"""Vectors, scores and free energies of made-up corpora: the single-precision kernels against the
float64 oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.oracles.corpora import cases, rows_alone, token_batch
from tests.oracles.engine import Case, make_case
from tests.oracles.rounding import (
    UNIT,
    input_bounds,
    posterior_bounds,
    score_bounds,
    softplus_sum_bound,
)
from undertow import vectors
from undertow.counts import CountBatch
from undertow.engines.cpu import CpuEngine
from undertow.kernels.reference import energies
from undertow.model import Parameters
from undertow.vectors import Balance


def _strengths(parameters: Parameters, batch: CountBatch, **options: Any) -> Any:
    return vectors.strengths(parameters, batch, 7.5, **options)


FUNCTIONS: list[Callable[..., Any]] = [
    vectors.posteriors,
    vectors.activations,
    _strengths,
    vectors.scores,
    vectors.free_energies,
]
made_up = settings(deadline=None, max_examples=60)


def _u(case: Case) -> Any:
    return case.model(np.zeros(1)).w * case.counts


@made_up
@given(case=cases())
def test_posteriors_match_the_oracle(case: Case) -> None:
    theirs = case.model(np.zeros(1))
    exact = energies.posterior(_u(case), theirs.W, theirs.a)
    for batch in (case.batch(), token_batch(case)):
        assert (
            np.abs(vectors.posteriors(case.parameters, batch) - exact) <= posterior_bounds(case)
        ).all()


@made_up
@given(case=cases())
def test_scores_and_free_energies_match_the_oracle(case: Case) -> None:
    theirs, u = case.model(np.zeros(1)), _u(case)
    bounds = score_bounds(case)
    # b.u is summed in float64: at most 60 terms.
    visible = 100 * 2.0**-53 * (1.0 + (_u(case) @ np.abs(theirs.b)).sum())
    for batch in (case.batch(), token_batch(case)):
        scores, free = (
            vectors.scores(case.parameters, batch),
            vectors.free_energies(case.parameters, batch),
        )
        assert (np.abs(scores - energies.score(u, theirs.W, theirs.a)) <= bounds).all()
        assert (
            np.abs(free - energies.free_energy(u, theirs.W, theirs.a, theirs.b)) <= bounds + visible
        ).all()


@made_up
@given(case=cases())
def test_activations_match_the_oracle(case: Case) -> None:
    theirs, u = case.model(np.zeros(1)), _u(case)
    lengths = energies.lengths(u)[:, None]
    safe = np.where(lengths > 0, lengths, 1.0)
    exact = energies.inputs(u, theirs.W, theirs.a) / safe
    for batch in (case.batch(), token_batch(case)):
        # Dividing by L rounds once more than the input, which has room for it.
        assert (
            np.abs(vectors.activations(case.parameters, batch) - exact) <= input_bounds(case) / safe
        ).all()


@made_up
@given(case=cases())
def test_strengths_match_the_oracle(case: Case) -> None:
    theirs = case.model(np.zeros(1))
    exact = energies.strength(_u(case), theirs.W, theirs.a, 7.5)
    lengths = energies.lengths(_u(case))[:, None]
    for batch in (case.batch(), token_batch(case)):
        # log(1 + softplus) has a slope of at most 1; exp, log1p twice and two sums round a few
        # times more.
        bounds = 7.5 * input_bounds(case) / np.where(lengths > 0, lengths, 1.0) + 12 * UNIT * (
            1.0 + exact
        )
        assert (np.abs(vectors.strengths(case.parameters, batch, 7.5) - exact) <= bounds).all()


@made_up
@given(case=cases())
def test_soft_posteriors_match_the_oracle(case: Case) -> None:
    theirs, u = case.model(np.zeros(1)), _u(case)
    lengths = energies.lengths(u)[:, None]
    safe = np.where(lengths > 0, lengths, 1.0)
    exact = energies.sigmoid(energies.inputs(u, theirs.W, theirs.a) * 2.5 / safe)
    for batch in (case.batch(), token_batch(case)):
        # A slope of at most 1/4, and a few roundings of tanh, which is at most 1.
        bounds = 2.5 * input_bounds(case) / safe / 4 + 8 * UNIT
        assert (
            np.abs(vectors.soft_posteriors(case.parameters, batch, 2.5) - exact) <= bounds
        ).all()


@made_up
@given(case=cases())
def test_a_document_is_the_same_alone_as_in_a_batch(case: Case) -> None:
    for function in FUNCTIONS[:4]:
        together = function(case.parameters, case.batch())
        alone = [function(case.parameters, batch)[0] for batch in rows_alone(case.batch())]
        np.testing.assert_array_equal(together, np.array(alone))


@pytest.mark.parametrize(
    "function",
    [
        *FUNCTIONS[:4],
        vectors.free_energies,
    ],
)
def test_batches_and_threads_do_not_change_a_bit(function: Callable[..., Any]) -> None:
    """Enough documents for several tasks, each of them alone, and 1, 2, 3 and 7 threads."""
    case = make_case(words=40, units=65, documents=300, most_tokens=60)
    batch = case.batch()
    one = function(case.parameters, batch, engine=CpuEngine(1))
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(
            function(case.parameters, batch, engine=CpuEngine(threads)), one
        )
    alone = [
        function(case.parameters, document, engine=CpuEngine(1))[0]
        for document in rows_alone(batch)
    ]
    np.testing.assert_array_equal(np.array(alone), one)


@pytest.mark.parametrize("units", [1, 64, 65, 130])
@pytest.mark.parametrize("kind", ["no words", "words of weight zero"])
def test_an_empty_document(kind: str, units: int) -> None:
    """Score 0, posteriors 1/2, activations 0; a document whose words all weigh nothing is empty
    too.
    """
    case = make_case(units=units)
    words = np.array([] if kind == "no words" else [1, 1], dtype=np.int32)
    assert case.parameters.word_weights[1] == 0
    starts = np.array([0, len(words)], dtype=np.int64)
    batch = CountBatch(np.array([0]), starts, words, np.ones(len(words), dtype=np.int32))
    assert (vectors.posteriors(case.parameters, batch) == 0.5).all()
    assert (vectors.activations(case.parameters, batch) == 0.0).all()
    bound = softplus_sum_bound(np.zeros(units))  # log 2 of every unit, in single precision
    assert abs(vectors.scores(case.parameters, batch)[0]) <= bound
    assert abs(vectors.free_energies(case.parameters, batch)[0] + units * np.log(2.0)) <= bound


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_documents(function: Callable[..., Any]) -> None:
    nothing = np.array([], dtype=np.int32)
    batch = CountBatch(
        np.array([], dtype=np.int64), np.array([0], dtype=np.int64), nothing, nothing
    )
    assert len(function(make_case().parameters, batch)) == 0


def test_long_documents_keep_their_precision() -> None:
    """Weighted lengths are real and large: 10^6 tokens of three words, whose input is known
    exactly.
    """
    case = make_case(words=3, units=2)
    counts = np.array([[700_000, 200_000, 100_000]])
    long = Case(case.parameters, case.p, counts)
    theirs = long.model(np.zeros(1))
    exact = energies.inputs(_u(long), theirs.W, theirs.a) / energies.lengths(_u(long))[:, None]
    three_entries = 12 * UNIT * (np.abs(theirs.W).max() + np.abs(theirs.a).max())
    np.testing.assert_allclose(
        vectors.activations(long.parameters, long.batch()), exact, rtol=0, atol=three_entries
    )


def test_a_code_of_an_earlier_version_says_which_units_are_on() -> None:
    case = make_case(words=5, units=3)
    plain = Balance(7.5, np.zeros(3, np.float32), np.zeros((5, 0), np.float32))
    measures = vectors.Measures(7.5, plain)
    packed = vectors.encode("code", case.parameters, case.batch(), measures)
    on = vectors.posteriors(case.parameters, case.batch()) > 0.5
    np.testing.assert_array_equal(np.unpackbits(packed, axis=1, count=3), on)
