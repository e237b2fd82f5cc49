"""alpha-NCE's step against the float64 oracle, and the oracle against finite differences."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.engine import (
    EPOCH,
    Case,
    dense_rows,
    make_case,
    oracle_draws,
    row_entries,
    step_gradient,
)
from undertow.engines import Gradient, Place
from undertow.engines.cpu.gradient import CpuGradient
from undertow.engines.cpu.session import CpuSession
from undertow.kernels.reference import objectives
from undertow.learn import AlphaNCE, Sparsity
from undertow.learn.alpha_nce import CORRECTIONS

# Sums of a few dozen single-precision terms of order one: 2^-24 each, with room for the polynomial
# of the exponential.
SINGLE = 2e-5

OPTIONS = [
    AlphaNCE(
        n_noise=4,
        noise_level=level,  # type: ignore[arg-type]
        uniform=uniform,
        sharpness=sharpness,
        noise=noise,  # type: ignore[arg-type]
        stream_length=20,
    )
    for level, uniform, sharpness, noise in product(
        (0.0, 0.5, (0.2, 0.9)), (True, False), (1.0, 3.0), ("windows", "independent")
    )
]


def _corrections(case: Case) -> NDArray[np.float64]:
    values = np.random.default_rng(5).normal(0.0, 0.4, int(case.counts.sum(axis=1).max()) + 1)
    values[0] = 0.0
    return values


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_step_matches_oracle(options: AlphaNCE, weighted: bool) -> None:
    case = make_case(weighted=weighted)
    options = replace(options, visible_bias="learned", normaliser="learned")
    corrections = _corrections(case)
    gradient = step_gradient(case, options, corrections=corrections)
    loss, expected = objectives.alpha_nce(
        case.model(corrections),
        oracle_draws(case, options),
        uniform=options.uniform,
        sharpness=float(options.sharpness),
    )
    words = case.parameters.words
    assert gradient.loss == pytest.approx(loss, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(gradient, words), expected.W, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], expected.a, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["visible_bias"], expected.b, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()[CORRECTIONS], expected.corrections, atol=SINGLE)


SHARDED = [
    AlphaNCE(n_noise=4, noise_level=level, noise=noise, stream_length=20, sharpness=2.0)  # type: ignore[arg-type]
    for level, noise in product((0.5, (0.2, 0.9)), ("windows", "independent"))
]
sharded = pytest.mark.parametrize("options", SHARDED, ids=str)


def _learning_all(options: AlphaNCE) -> AlphaNCE:
    return replace(options, visible_bias="learned", normaliser="learned")


@pytest.mark.parametrize("most_tokens", [9, 60], ids=["short", "longer than the stream"])
@sharded
def test_step_of_three_shards_matches_oracle(options: AlphaNCE, most_tokens: int) -> None:
    """70 documents: two whole shards, and one of 6. Everything is a mean over documents, so that
    the errors of many are no larger than those of a few; sums over documents have 70 roundings
    more.
    """
    case = make_case(documents=70, most_tokens=most_tokens, scale=0.3)
    options = _learning_all(options)
    corrections = _corrections(case)
    sparsity = Sparsity(target=0.1, cost=2.0)
    gradient = step_gradient(case, options, corrections=corrections, sparsity=sparsity, threads=3)
    model = case.model(corrections)
    loss, expected = objectives.alpha_nce(
        model,
        oracle_draws(case, options),
        uniform=options.uniform,
        sharpness=float(options.sharpness),
    )
    penalty, pressed_W, pressed_a = objectives.sparsity(model, case.counts, target=0.1, cost=2.0)
    words = case.parameters.words
    assert gradient.loss == pytest.approx(loss + penalty, abs=SINGLE)
    np.testing.assert_allclose(dense_rows(gradient, words), expected.W + pressed_W, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], expected.a + pressed_a, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()["visible_bias"], expected.b, atol=SINGLE)
    np.testing.assert_allclose(gradient.dense()[CORRECTIONS], expected.corrections, atol=SINGLE)


Bits = dict[str, object]


def _bits(gradient: Gradient) -> Bits:
    """All that a gradient says, to the bit and whatever its parts: of each word the entries in
    their order.
    """
    assert isinstance(gradient, CpuGradient)
    rows = gradient.factored
    entries: dict[int, list[tuple[float, int, bytes, float]]] = defaultdict(list)
    for word, coefficient, vector in row_entries(rows):
        scalar = float(rows.scalars[vector]) if gradient.learns_visible_bias else 0.0
        entries[word].append((coefficient, vector, rows.vectors[vector].tobytes(), scalar))
    dense = gradient.visible_bias
    return {
        "rows": dict(entries),
        "hidden bias": gradient.hidden_bias.tobytes(),
        "visible bias": None if dense is None else dense.tobytes(),
        "loss": gradient.loss,
        "activity": gradient.activity.tobytes(),
        "others": {name: array.tobytes() for name, array in gradient.others.items()},
    }


@pytest.mark.parametrize("learning_all", [False, True], ids=["frozen", "learned"])
@sharded
def test_the_number_of_threads_does_not_change_a_bit(options: AlphaNCE, learning_all: bool) -> None:
    """With more units than are summed at a time."""
    case = make_case(words=40, units=130, documents=70, most_tokens=30)
    options = _learning_all(options) if learning_all else options
    sparsity = Sparsity(target=0.1, cost=2.0)
    alone = _bits(step_gradient(case, options, sparsity=sparsity, threads=1))
    for threads in (2, 3, 5):
        assert _bits(step_gradient(case, options, sparsity=sparsity, threads=threads)) == alone


@pytest.mark.parametrize("learning_all", [False, True], ids=["frozen", "learned"])
@pytest.mark.parametrize("threads", [1, 3])
@sharded
def test_a_step_remembers_nothing_of_earlier_minibatches(
    options: AlphaNCE, threads: int, learning_all: bool
) -> None:
    """Minibatches that grow, shrink and stay as they are, in documents and in tokens: each gives
    the gradient that a new step gives. So does one after a step whose arrays hold nothing but NaN.
    """
    options = _learning_all(options) if learning_all else options
    made = make_case(words=40, documents=100, most_tokens=50)
    pressure = Sparsity(target=0.1, cost=2.0).pressure
    order = np.argsort(made.counts.sum(axis=1), kind="stable")
    short, long = order[:70], order[-70:]
    minibatches = [
        short[:33],
        short[:33],
        long[:33],
        short[:33],
        short[:1],
        long[-1:],
        short,
        long,
        short,
        long[:32],
    ]
    session = made.session(threads=threads)
    step = options.begin(session, made.corpus, pressure)
    for number, chosen in enumerate([*minibatches, long, long]):
        batch = Case(made.parameters, made.p, made.counts[chosen]).batch()
        if number == len(minibatches):
            _spoil(session)
        place = Place(EPOCH, number)
        ours = _bits(step.gradient(batch, place))
        anew = options.begin(made.session(threads=threads), made.corpus, pressure)
        assert ours == _bits(anew.gradient(batch, place)), number


def _spoil(session: CpuSession) -> None:
    """Overwrites what a session's steps compute with, apart from what has to stay: its zeros and
    its ones.
    """
    kept = session._contrast._arrays.values()
    assert kept
    for arrays in kept:
        stays = (
            arrays.split.corrections,
            arrays.split.rest_gains,
            arrays.noise.gains,
            arrays.stream.ones,
        )
        tables = (
            arrays.kept,
            arrays.split,
            arrays.noise,
            arrays.result,
            arrays.sums,
            arrays.grouping.entries,
            arrays.grouping.rows,
        )
        for array in (
            array for table in tables for array in table if not any(array is one for one in stays)
        ):
            array.fill(np.nan if array.dtype.kind == "f" else -7)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.0, 0.5])
@pytest.mark.parametrize("name", ["W", "a", "b", "corrections"])
def test_oracle_gradient_matches_finite_differences(
    name: str, level: float, weighted: bool, uniform: bool
) -> None:
    case = make_case(weighted=weighted)
    options = AlphaNCE(
        n_noise=4, noise_level=level, uniform=uniform, sharpness=2.0, stream_length=20
    )
    model, draws = case.model(_corrections(case)), oracle_draws(case, options)

    def loss(values: NDArray[np.float64]) -> float:
        changed = replace(model, **{name: values})
        return objectives.alpha_nce(changed, draws, uniform=uniform, sharpness=2.0)[0]

    _, gradients = objectives.alpha_nce(model, draws, uniform=uniform, sharpness=2.0)
    numeric = finite_differences(loss, getattr(model, name))
    if name == "corrections":
        numeric[0] = 0.0  # c_0 is fixed
    np.testing.assert_allclose(getattr(gradients, name), numeric, atol=1e-8)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_hidden_bias_gradient_is_the_sum_over_words(options: AlphaNCE) -> None:
    """a_j enters as L a_j and L sums the words' weights, so moving a_j moves every W_kj alike.
    Without the L this fails.
    """
    gradient = step_gradient(make_case(), options, sparsity=Sparsity(target=0.1, cost=2.0))
    over_words = dense_rows(gradient, 5).sum(axis=0)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], over_words, atol=SINGLE)


@pytest.mark.parametrize("noise", ["windows", "independent"])
def test_sparsity_matches_oracle_and_finite_differences(noise: str) -> None:
    case = make_case()
    options = AlphaNCE(n_noise=4, noise=noise, sharpness=1.0, stream_length=20)  # type: ignore[arg-type]
    plain = step_gradient(case, options)
    pressed = step_gradient(case, options, sparsity=Sparsity(target=0.1, cost=2.0))
    model = case.model(np.zeros(20))
    penalty, W, a = objectives.sparsity(model, case.counts, target=0.1, cost=2.0)
    assert pressed.loss - plain.loss == pytest.approx(penalty, abs=SINGLE)
    words = case.parameters.words
    np.testing.assert_allclose(
        dense_rows(pressed, words) - dense_rows(plain, words), W, atol=SINGLE
    )
    pressed_a, plain_a = pressed.dense()["hidden_bias"], plain.dense()["hidden_bias"]
    np.testing.assert_allclose(pressed_a - plain_a, a, atol=SINGLE)
    for name, analytic in (("W", W), ("a", a)):

        def loss(values: NDArray[np.float64], name: str = name) -> float:
            changed = replace(model, **{name: values})
            return objectives.sparsity(changed, case.counts, target=0.1, cost=2.0)[0]

        np.testing.assert_allclose(
            analytic, finite_differences(loss, getattr(model, name)), atol=1e-8
        )


def test_frozen_visible_bias_at_log_p_equals_the_general_formula() -> None:
    case = make_case(free_bias=False)
    frozen, learned = (
        AlphaNCE(n_noise=4, stream_length=20),
        AlphaNCE(n_noise=4, stream_length=20, visible_bias="learned"),
    )
    ours, general = step_gradient(case, frozen), step_gradient(case, learned)
    assert "visible_bias" in general.dense()
    assert "visible_bias" not in ours.dense()
    assert ours.loss == pytest.approx(general.loss, abs=SINGLE)
    words = case.parameters.words
    np.testing.assert_allclose(dense_rows(ours, words), dense_rows(general, words), atol=SINGLE)


@settings(deadline=None, max_examples=40)
@given(
    words=st.integers(1, 6),
    units=st.sampled_from([1, 3, 64, 65, 130]),
    documents=st.integers(1, 5),
    most_tokens=st.integers(1, 12),
    weighted=st.booleans(),
    noise=st.sampled_from(["windows", "independent"]),
    level=st.sampled_from([0.0, 0.3, 0.9]),
    seed=st.integers(0, 1000),
)
def test_step_matches_oracle_on_odd_shapes(
    words: int,
    units: int,
    documents: int,
    most_tokens: int,
    weighted: bool,
    noise: str,
    level: float,
    seed: int,
) -> None:
    """One word, one unit, one token, repeated words, zero weights, units that do not fill a
    block.
    """
    case = make_case(
        words=words,
        units=units,
        documents=documents,
        most_tokens=most_tokens,
        weighted=weighted,
        seed=seed,
        scale=0.3,
    )
    options = AlphaNCE(n_noise=3, noise_level=level, sharpness=2.0, noise=noise, stream_length=6)  # type: ignore[arg-type]
    gradient = step_gradient(case, options)
    loss, expected = objectives.alpha_nce(
        case.model(np.zeros(most_tokens + 2)),
        oracle_draws(case, options),
        uniform=True,
        sharpness=2.0,
    )
    tolerance = SINGLE * max(1.0, units / 10)
    assert gradient.loss == pytest.approx(loss, abs=tolerance)
    np.testing.assert_allclose(dense_rows(gradient, words), expected.W, atol=tolerance)
    np.testing.assert_allclose(gradient.dense()["hidden_bias"], expected.a, atol=tolerance)


def finite_differences(
    loss: object, values: NDArray[np.float64], step: float = 1e-5
) -> NDArray[np.float64]:
    """Central differences: their error is of order step^2 plus 2^-53 / step, far below 1e-8
    here.
    """
    assert callable(loss)
    numeric = np.zeros_like(values)
    for index in np.ndindex(values.shape):
        ends = []
        for sign in (1.0, -1.0):
            moved = values.copy()
            moved[index] += sign * step
            ends.append(loss(moved))
        numeric[index] = (ends[0] - ends[1]) / (2.0 * step)
    return numeric
