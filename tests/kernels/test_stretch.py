"""Many steps in one call give the bits of the verbs, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow.counts import CountBatch, CsrSource, checked_counts
from undertow.engines import Place, Pressure
from undertow.engines.cpu.engine import CpuEngine
from undertow.engines.cpu.session import CpuSession
from undertow.learn import Adam, AlphaNCE, Moment
from undertow.learn.averaging import RunningAverage
from undertow.learn.history import Tally

WORDS, UNITS = 90, 70  # two blocks of units
LEARNERS: dict[str, AlphaNCE] = {
    "windows": AlphaNCE(stream_length=64),
    "independent noise": AlphaNCE(n_noise=3, noise="independent"),
    "a level per document": AlphaNCE(stream_length=64, noise_level=(0.3, 0.9)),
    "nce": AlphaNCE(stream_length=64, noise_level=0.0, uniform=False, sharpness=1.0),
}
learners = pytest.mark.parametrize("name", LEARNERS)
CASE = make_case(words=WORDS, units=UNITS, documents=2)


def source(documents: int = 200) -> CsrSource:
    """Short documents and long ones, the longest last: arrays have to grow on the way."""
    generator = np.random.default_rng(5)
    lengths = np.sort(generator.integers(1, 20, documents))
    lengths[-1] = 900
    rows = [generator.multinomial(n, np.full(WORDS, 1 / WORDS)) for n in lengths]
    return CsrSource(checked_counts(np.array(rows)))


def ordered(size: int) -> list[CountBatch]:
    """Minibatches from the shortest documents to the longest; the last ones are smaller."""
    counts = source().held()
    batches = list(source().batches(seed=1, epoch=0, batch_size=size))
    assert len(counts.rows) == sum(batch.size for batch in batches)
    return sorted(batches, key=lambda batch: -batch.size * 10**6 + int(batch.counts.sum()))


def moments(number: int) -> list[Moment]:
    return [Moment(100 + n, n / (2 * number)) for n in range(number)]


def by_verbs(
    learner: AlphaNCE,
    adam: Adam,
    batches: Sequence[CountBatch],
    pressure: Pressure,
    averaging: float = 0.0,
) -> tuple[CpuSession, Tally]:
    session = CpuEngine(1).begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, pressure), adam.begin(session)
    average = averaged(session, averaging)
    session.moved()
    tally = Tally(UNITS)
    for number, (batch, moment) in enumerate(zip(batches, moments(len(batches)), strict=True)):
        gradient = step.gradient(batch, Place(4, 3 * number))
        if average:
            average.before_update(gradient, moment.step)
        updater.apply(gradient, moment)
        if average:
            average.after_update(gradient, moment.step)
        tally.add(
            loss=gradient.loss,
            documents=batch.size,
            tokens=batch.tokens,
            activity=np.asarray(gradient.activity),
        )
    return session, tally


def averaged(session: CpuSession, decay: float) -> RunningAverage | None:
    average = RunningAverage(session, decay) if decay else None
    if average:
        average.begin_at(90)
    return average


def at_once(
    learner: AlphaNCE,
    adam: Adam,
    batches: Sequence[CountBatch],
    pressure: Pressure,
    *,
    averaging: float = 0.0,
    engine: CpuEngine | None = None,
) -> tuple[CpuSession, Any]:
    own = engine or CpuEngine(1).replica(0, 1)
    session = own.begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, pressure), adam.begin(session)
    averaged(session, averaging)
    session.moved()
    rules = tuple(updater.rule(moment) for moment in moments(len(batches)))
    places = [Place(4, 3 * number) for number in range(len(batches))]
    counted = session.stretch(batches, places, step.steps(rules, averaging))
    assert counted is not None
    return session, counted


def assert_same(ours: CpuSession, theirs: CpuSession) -> None:
    assert_same_arrays(ours, theirs)
    assert ours.moved().tolist() == theirs.moved().tolist()


def assert_same_arrays(ours: CpuSession, theirs: CpuSession) -> None:
    mine, other = ours.arrays(), theirs.arrays()
    assert mine.keys() == other.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@learners
@pytest.mark.parametrize("size", [1, 35])
@pytest.mark.parametrize("averaging", [0.0, 0.99], ids=["", "averages"])
def test_a_stretch_gives_the_bits_of_its_steps(name: str, size: int, averaging: float) -> None:
    batches, adam = ordered(size)[-25:], Adam(l2=0.01, decay=0.9)
    given = (LEARNERS[name], adam, batches, Pressure(0.1, 0.5))
    verbs, tally = by_verbs(*given, averaging)
    stretch, counted = at_once(*given, averaging=averaging)
    assert_same(stretch, verbs)
    assert_tallied(counted, tally)


def assert_tallied(counted: Any, tally: Tally) -> None:
    """Added up in the same order, so to the same bits."""
    ours = Tally(UNITS)
    for loss, activity in counted.sums():
        ours.loss += loss
        ours.activity += activity
    assert ours.loss == tally.loss
    np.testing.assert_array_equal(ours.activity, tally.activity)


@learners
@pytest.mark.parametrize("threads", [2, 3, 5])
@pytest.mark.parametrize("team", [None, 0, 7], ids=["pool", "team 0", "team 7"])
def test_workers_that_share_steps_give_the_bits_of_one(
    name: str, threads: int, team: int | None
) -> None:
    """Minibatches of three shards, in stretches of which each comes back for larger arrays."""
    batches, adam = ordered(90), Adam(l2=0.01, decay=0.9)
    given = (LEARNERS[name], adam, [*batches, *batches], Pressure(0.1, 0.5))
    alone, counted = at_once(*given, averaging=0.9)
    moved = alone.moved().tolist()
    for _ in range(5):
        engine = CpuEngine(threads, team=team)
        together, seen = at_once(*given, averaging=0.9, engine=engine)
        assert_same_arrays(together, alone)
        assert together.moved().tolist() == moved
        for ours, theirs in zip(seen.sums(), counted.sums(), strict=True):
            assert ours[0] == theirs[0]
            np.testing.assert_array_equal(ours[1], theirs[1])


def test_teams_work_at_the_same_time() -> None:
    """Four replicas on eight threads: each to the bits that it has alone."""
    given = (LEARNERS["windows"], Adam(), ordered(90), Pressure(0.1, 0.5))
    expected, _ = at_once(*given)
    engine, found = CpuEngine(8), dict[int, CpuSession]()

    def work(number: int) -> None:
        found[number], _ = at_once(*given, engine=engine.replica(number, 4))

    assert engine.replica(3, 4).threads == 2
    assert engine.replica(3, 16).threads == 1
    engine.together([partial(work, number) for number in range(4)])
    for number in range(4):
        assert_same_arrays(found[number], expected)


def test_minibatches_are_read_where_they_lie() -> None:
    """The rows of a matrix, without a copy: here every third one, as a replica of three has it."""
    learner, adam, at = LEARNERS["windows"], Adam(), {"seed": 1, "epoch": 0, "batch_size": 12}
    piece = next(source().pieces(**at, at_a_time=50))
    mine = list(source().batches(**at))[1::3]
    stretch, counted = at_once(learner, adam, piece[1::3], Pressure(0.1, 0.0))
    verbs, tally = by_verbs(learner, adam, mine, Pressure(0.1, 0.0))
    assert_same(stretch, verbs)
    assert_tallied(counted, tally)


def test_what_a_stretch_leaves_is_where_the_next_goes_on() -> None:
    learner, adam, batches = LEARNERS["windows"], Adam(), ordered(35)
    whole, _ = at_once(learner, adam, batches, Pressure(0.1, 0.5))
    session = CpuEngine(1).replica(0, 1).begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, Pressure(0.1, 0.5)), adam.begin(session)
    session.moved()
    rules = tuple(updater.rule(moment) for moment in moments(len(batches)))
    places = [Place(4, 3 * number) for number in range(len(batches))]
    for part in (slice(0, 1), slice(1, 4), slice(4, None)):
        session.stretch(batches[part], places[part], step.steps(rules[part], 0.0))
    assert_same(session, whole)


@pytest.mark.parametrize(
    ("learner", "adam"),
    [
        (AlphaNCE(visible_bias="learned"), Adam()),
        (AlphaNCE(normaliser="learned"), Adam()),
        (AlphaNCE(), Adam(moments="element")),
    ],
    ids=["visible bias", "normaliser", "moments of elements"],
)
def test_steps_that_the_kernel_does_not_know_are_left_to_the_verbs(
    learner: AlphaNCE, adam: Adam
) -> None:
    session = CpuEngine(1).replica(0, 1).begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, Pressure(0.1, 0.0)), adam.begin(session)
    before = session.take(["parameters.weights"])
    rules = (updater.rule(Moment(1, None)),)
    assert session.stretch(ordered(35)[:1], [Place(0, 0)], step.steps(rules, 0.0)) is None
    np.testing.assert_array_equal(session.parameters.weights, before["parameters.weights"])


def test_a_stretch_stops_where_it_diverges() -> None:
    session = CpuEngine(1).replica(0, 1).begin(CASE.parameters.copy(), CASE.start)
    learner, adam = LEARNERS["windows"], Adam()
    step, updater = learner.begin(session, CASE.corpus, Pressure(0.1, 0.0)), adam.begin(session)
    batches = ordered(35)
    session.moved()
    # the second minibatch is the first in which this word occurs
    word = np.setdiff1d(batches[1].words, batches[0].words)[:1]
    session.parameters.weights[word] = np.nan
    rules = tuple(updater.rule(moment) for moment in moments(3))
    counted: Any = session.stretch(
        batches[:3], [Place(0, n) for n in range(3)], step.steps(rules, 0.0)
    )
    assert not counted.finite
