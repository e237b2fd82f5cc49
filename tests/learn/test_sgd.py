"""SGD with two momenta, against its textbook form in float64: v <- m v - rate gradient, w <- w + v,
at every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.gradients import LARGEST_GRADIENT, MOST_ENTRIES, dense_gradient, make_gradient
from tests.oracles.rounding import UNIT
from undertow._errors import InvalidInput
from undertow.counts import CsrSource, checked_counts, word_distribution
from undertow.engines import Start
from undertow.engines.cpu import CpuEngine
from undertow.engines.cpu.gradient import CpuGradient
from undertow.engines.cpu.session import CpuSession
from undertow.kernels.cpu import update
from undertow.learn import SGD, AlphaNCE, Moment, Run, Settings, train
from undertow.learn.optimizer import SGDUpdater
from undertow.model import Parameters, initial_parameters

WORDS, UNITS, CORRECTIONS, STEPS = 9, 3, 4, 8
TWO_MOMENTA = SGD(
    learning_rate=0.01, momentum=0.9, early_momentum=0.5, early_steps=3, hidden_bias_rate=0.5
)

# A step's gradient (at most LARGEST and a dense part of at most 1.2) has n + 5 roundings, and its
# product with the rate 2. A velocity, at most the sum of all steps, rounds 3 times a step: the
# momentum itself, the damping, and the push. What a velocity is off by, the weights take up once a
# step. They are below 4, and round once a step.
PUSH = TWO_MOMENTA.learning_rate * (LARGEST_GRADIENT + 1.2)
VELOCITY = STEPS * UNIT * ((MOST_ENTRIES + 7) * PUSH + 3 * STEPS * PUSH)
TOLERANCE = STEPS * VELOCITY + STEPS * UNIT * 4.0

NAMES = ("weights", "hidden_bias", "visible_bias", "corrections")


def gradients(*, dense: bool) -> Iterator[CpuGradient]:
    """Steps that touch some rows each: word 0 never, word 1 in the first step alone, and all but
    these now and then.
    """
    generator = np.random.default_rng(0)
    for step in range(STEPS):
        rows = 2 + generator.permutation(WORDS - 2)[: generator.integers(1, WORDS - 2)]
        touched = np.append(rows, 1) if step == 0 else rows
        sign = -1.0 if step % 3 == 1 else 1.0
        slopes = [sign * generator.uniform(0.8, 1.2, size) for size in (UNITS, WORDS, CORRECTIONS)]
        yield CpuGradient(
            factored=make_gradient(generator, touched.astype(np.int32), UNITS, sign),
            hidden_bias=slopes[0].astype(np.float32),
            visible_bias=slopes[1].astype(np.float32) if dense else None,
            learns_visible_bias=True,
            words=WORDS,
            loss=0.0,
            activity=np.zeros(UNITS, dtype=np.float32),
            others={"corrections": slopes[2]},
        )


@dataclass
class Subject:
    """A session, and an updater that moves what it learns."""

    session: CpuSession
    updater: SGDUpdater

    def values(self) -> dict[str, NDArray[np.floating]]:
        return {name: array.copy() for name, array in self.session.learned().items()}

    def state(self) -> dict[str, NDArray[np.floating]]:
        """What the optimizer has to keep."""
        arrays = self.session.arrays()
        return {name: array for name, array in arrays.items() if name.startswith("optimizer.")}

    def apply(self, gradient: CpuGradient, step: int) -> None:
        self.updater.apply(gradient, Moment(step, None))


def make_subject(options: SGD, n_threads: int = 1) -> Subject:
    generator = np.random.default_rng(99)
    shapes = ((WORDS, UNITS), (UNITS,), (WORDS,), (WORDS,))
    parameters = Parameters(
        *(generator.normal(0.0, 0.5, shape).astype(np.float32) for shape in shapes)
    )
    session = CpuEngine(n_threads).begin(parameters, Start(np.full(WORDS, 1 / WORDS), 0))
    session.hold("corrections", generator.normal(0.0, 0.5, CORRECTIONS), learned=True)
    subject = Subject(session, options.begin(session))
    assert subject.values().keys() == set(NAMES)
    return subject


def run_steps(subject: Subject, first: int = 0, last: int = STEPS, *, dense: bool = True) -> None:
    for number, gradient in enumerate(gradients(dense=dense)):
        if first <= number < last:
            subject.apply(gradient, number + 1)


def textbook(options: SGD, *, dense: bool) -> Iterator[dict[str, NDArray[np.float64]]]:
    """The parameters after every step."""
    begin = make_subject(options)
    exact = {name: values.astype(np.float64) for name, values in begin.values().items()}
    velocities = {name: np.zeros_like(values) for name, values in exact.items()}
    for t, gradient in enumerate(gradients(dense=dense), start=1):
        momentum = options.early_momentum if t <= options.early_steps else options.momentum
        written_out = dense_gradient(gradient.factored, WORDS)
        slopes = {
            "weights": written_out[:, :-1],
            "hidden_bias": options.hidden_bias_rate * gradient.hidden_bias.astype(np.float64),
            "visible_bias": written_out[:, -1]
            + (0.0 if gradient.visible_bias is None else gradient.visible_bias),
            "corrections": gradient.others["corrections"],
        }
        for name, values in exact.items():
            velocities[name] = momentum * velocities[name] - options.learning_rate * slopes[name]
            values += velocities[name]
        yield exact


def assert_same_bits(ours: Subject, theirs: Subject) -> None:
    for name, values in ours.values().items():
        np.testing.assert_array_equal(values, theirs.values()[name], err_msg=name)
    assert ours.state().keys() == theirs.state().keys()
    for name, state in ours.state().items():
        np.testing.assert_array_equal(state, theirs.state()[name], err_msg=name)


@pytest.mark.parametrize("early_steps", [0, 1, 3, STEPS, STEPS + 5])
@pytest.mark.parametrize("dense", [False, True], ids=["sparse slope", "dense slope"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_every_step_is_the_textbook_one(n_threads: int, dense: bool, early_steps: int) -> None:
    options = replace(TWO_MOMENTA, early_steps=early_steps)
    subject = make_subject(options, n_threads)
    steps = zip(gradients(dense=dense), textbook(options, dense=dense), strict=True)
    for t, (gradient, exact) in enumerate(steps, start=1):
        subject.apply(gradient, t)
        for name, values in subject.values().items():
            assert np.abs(exact[name]).max() < 4.0  # what the tolerance supposes
            np.testing.assert_allclose(
                values, exact[name], rtol=0, atol=TOLERANCE, err_msg=f"{name} in step {t}"
            )


def test_rows_without_a_gradient_coast() -> None:
    """Word 0 stands still; word 1, pushed once, goes on by .5 of its velocity twice, then by .9."""
    subject = make_subject(TWO_MOMENTA)
    weights = subject.session.parameters.weights
    before = weights[:2].copy()
    seen = []
    for t, gradient in enumerate(gradients(dense=True), start=1):
        subject.apply(gradient, t)
        seen.append(weights[:2].copy())
    np.testing.assert_array_equal(seen[-1][0], before[0])
    moves = np.diff([before[1], *(rows[1] for rows in seen)], axis=0)
    shares = np.cumprod([0.5, 0.5, 0.9, 0.9, 0.9, 0.9, 0.9])
    np.testing.assert_allclose(moves[1:], shares[:, None] * moves[0], rtol=0, atol=TOLERANCE)
    assert np.abs(moves[-1]).min() > 100 * TOLERANCE


def test_without_early_steps_it_is_one_momentum_to_the_bit() -> None:
    """The kernels with a momentum that does not change, as they ran before there were two."""
    options = replace(TWO_MOMENTA, early_steps=0)
    ours, theirs = make_subject(options), make_subject(options)
    rate, momentum = options.learning_rate, options.momentum
    velocities = {name: np.zeros_like(values) for name, values in theirs.values().items()}
    learned = theirs.session.learned()
    for gradient in gradients(dense=True):
        rows, weights = gradient.factored, theirs.session.parameters.weights
        for part in range(len(rows.sizes)):
            update.momentum_rows(part, rows, weights, velocities["weights"], rate, 0.0)
        update.coast(0, WORDS, weights, velocities["weights"], momentum)
        assert gradient.visible_bias is not None
        visible_slope = gradient.visible_bias.copy()
        for part in range(len(rows.sizes)):
            update.add_scalars(part, rows, visible_slope)
        for name, values, slope, own_rate in (
            ("visible_bias", learned["visible_bias"], visible_slope, rate),
            (
                "hidden_bias",
                learned["hidden_bias"],
                gradient.hidden_bias,
                rate * options.hidden_bias_rate,
            ),
            ("corrections", learned["corrections"], gradient.others["corrections"], rate),
        ):
            velocities[name] *= momentum
            velocities[name] -= (own_rate * slope).astype(values.dtype)
            values += velocities[name]
    run_steps(ours)
    for name, values in ours.values().items():
        np.testing.assert_array_equal(values, theirs.values()[name], err_msg=name)
    for name, velocity in velocities.items():
        np.testing.assert_array_equal(ours.state()[f"optimizer.{name}_velocities"], velocity)


@pytest.mark.parametrize(
    "other",
    [
        replace(TWO_MOMENTA, early_steps=0, early_momentum=0.1),  # which nothing uses
        replace(TWO_MOMENTA, early_steps=5, early_momentum=0.9),
        replace(
            TWO_MOMENTA, early_steps=STEPS + 1, early_momentum=0.9, momentum=0.2
        ),  # the last step damps by .9 too
    ],
    ids=["no early steps", "momenta that are alike", "early to the end"],
)
def test_runs_that_have_one_momentum_agree_to_the_bit(other: SGD) -> None:
    one, another = make_subject(replace(TWO_MOMENTA, early_steps=0)), make_subject(other)
    run_steps(one)
    run_steps(another)
    assert_same_bits(another, one)


@pytest.mark.parametrize(
    "stop", [2, 3, 4]
)  # before, at and after the last step of the early momentum
def test_a_restored_updater_goes_on_to_the_bit(stop: int) -> None:
    whole, first, second = (make_subject(TWO_MOMENTA) for _ in range(3))
    run_steps(whole)
    run_steps(first, last=stop)
    assert second.session.arrays().keys() == first.session.arrays().keys()
    second.session.restore({n: array.copy() for n, array in first.session.arrays().items()})
    run_steps(second, first=stop)
    assert_same_bits(second, whole)


def test_a_run_that_is_carried_on_counts_its_steps_on() -> None:
    """Ten steps, the first seven of them early: at once, and as two runs of five."""
    counts = checked_counts(np.random.default_rng(0).multinomial(20, np.full(30, 1 / 30), size=100))
    source, p = CsrSource(counts), word_distribution(counts)
    optimizer = SGD(learning_rate=1.0, early_steps=7)
    settings = Settings(learner=AlphaNCE(stream_length=64), optimizer=optimizer, batch_size=20)

    def begin(parameters: Parameters) -> Run:
        return Run(parameters, p, settings, documents=100, longest=source.longest, threads=1)

    whole = train(begin(initial_parameters(8, p, np.ones(30), 0)), source, epochs=2)
    first = train(begin(initial_parameters(8, p, np.ones(30), 0)), source, epochs=1)
    second = begin(first.parameters.copy())
    second.adopt(first.carried_state(), epoch=1)
    train(second, source, epochs=2)
    assert second.steps == whole.steps == 10
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(second.arrays()[name], array, err_msg=name)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("early_momentum", 1.0, r"early_momentum must be in \[0, 1\), got 1.0"),
        ("early_momentum", -0.1, r"early_momentum must be in \[0, 1\), got -0.1"),
        ("early_momentum", float("nan"), r"early_momentum must be in \[0, 1\), got nan"),
        ("early_momentum", "half", r"early_momentum must be a number in \[0, 1\), got 'half'"),
        ("early_steps", -1, "early_steps must be a whole number of at least 0, got -1"),
        ("early_steps", 2.5, "early_steps must be a whole number of at least 0, got 2.5"),
        ("early_steps", True, "early_steps must be a whole number of at least 0, got True"),
        ("momentum", -0.1, r"^momentum must be in \[0, 1\), got -0.1"),
    ],
)
def test_wrong_options_are_named(name: str, value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SGD(**{name: value})  # type: ignore[arg-type]
