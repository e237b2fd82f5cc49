"""Many steps in one call give the bits of the verbs, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case
from undertow.counts import CountBatch, CsrSource, checked_counts
from undertow.engines import Place, Pressure, Start
from undertow.engines.cpu.engine import CpuEngine
from undertow.engines.cpu.session import CpuSession
from undertow.kernels.cpu import pool
from undertow.learn import Adam, AlphaNCE, Moment

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
    learner: AlphaNCE, adam: Adam, batches: Sequence[CountBatch], pressure: Pressure
) -> tuple[CpuSession, float, Any]:
    session = CpuEngine(1).begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, pressure), adam.begin(session)
    session.moved()
    loss, activity = 0.0, np.zeros(UNITS)
    for number, (batch, moment) in enumerate(zip(batches, moments(len(batches)), strict=True)):
        gradient = step.gradient(batch, Place(4, 3 * number))
        loss += batch.size * gradient.loss
        activity += batch.size * gradient.activity.astype(np.float64)
        updater.apply(gradient, moment)
    return session, loss, activity


def at_once(
    learner: AlphaNCE,
    adam: Adam,
    batches: Sequence[CountBatch],
    pressure: Pressure,
    engine: CpuEngine | None = None,
) -> tuple[CpuSession, Any]:
    own = engine or CpuEngine(1).replica(0, 1)
    session = own.begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, pressure), adam.begin(session)
    session.moved()
    rules = tuple(updater.rule(moment) for moment in moments(len(batches)))
    places, steps = [Place(4, 3 * n) for n in range(len(batches))], step.steps(rules, 0.0)
    assert session.documents_at_once(steps) > 0
    counted = session.stretch(batches, places, steps)
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
def test_a_stretch_gives_the_bits_of_its_steps(name: str, size: int) -> None:
    batches, adam = ordered(size)[-25:], Adam(l2=0.01, decay=0.9)
    verbs, loss, activity = by_verbs(LEARNERS[name], adam, batches, Pressure(0.1, 0.5))
    stretch, counted = at_once(LEARNERS[name], adam, batches, Pressure(0.1, 0.5))
    assert_same(stretch, verbs)
    # blocks of losses are added up one after the other, here and there
    assert counted.loss == pytest.approx(loss, rel=len(batches) * 2.0**-50)
    np.testing.assert_allclose(counted.activity, activity, rtol=len(batches) * 2.0**-50)


@learners
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_a_team_gives_the_bits_of_one(name: str, threads: int) -> None:
    """Minibatches of three shards; the arrays have to grow on the way. Ten times: who takes part in
    a step, and with what, is chance.
    """
    batches = ordered(90)
    given = (LEARNERS[name], Adam(l2=0.01, decay=0.9), [*batches, *batches], Pressure(0.1, 0.5))
    alone, seen_alone = at_once(*given)
    moved = alone.moved().tolist()
    for team in (0, 7) * 5:
        together, seen = at_once(*given, CpuEngine(threads, team=team))
        assert_same_arrays(together, alone)
        assert together.moved().tolist() == moved
        assert seen.loss == seen_alone.loss
        np.testing.assert_array_equal(seen.activity, seen_alone.activity)


def test_teams_work_side_by_side() -> None:
    """Four replicas on eight threads: each to the bits that it has alone."""
    given = (LEARNERS["windows"], Adam(), ordered(90), Pressure(0.1, 0.5))
    expected, _ = at_once(*given)
    engine, found = CpuEngine(8), dict[int, CpuSession]()

    def work(number: int) -> None:
        found[number], _ = at_once(*given, engine.replica(number, 4))

    engine.together([partial(work, number) for number in range(4)])
    for number in range(4):
        assert_same_arrays(found[number], expected)


def test_a_replica_has_a_team_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    teams: dict[int, Any] = {}
    monkeypatch.setattr(pool, "_teams", teams)
    given = (LEARNERS["windows"], Adam(), ordered(90), Pressure(0.1, 0.5))
    at_once(*given, CpuEngine(4).replica(1, 4))
    assert not teams  # it is one thread
    at_once(*given, CpuEngine(4).replica(1, 2))
    assert [*teams] == [1]


@pytest.mark.parametrize(
    ("threads", "replicas", "each"), [(1, 4, 1), (8, 4, 2), (7, 4, 1), (16, 1, 16), (4, 16, 1)]
)
def test_threads_are_shared_out_among_replicas(threads: int, replicas: int, each: int) -> None:
    assert CpuEngine(threads).replica(replicas - 1, replicas).threads == each


def test_minibatches_are_read_where_they_lie() -> None:
    """The rows of a matrix, without a copy: here every third one, as a replica of three has it."""
    learner, adam, at = LEARNERS["windows"], Adam(), {"seed": 1, "epoch": 0, "batch_size": 12}
    piece = next(source().pieces(**at, at_a_time=50))
    mine = list(source().batches(**at))[1::3]
    stretch, counted = at_once(learner, adam, piece[1::3], Pressure(0.1, 0.0))
    verbs, loss, _ = by_verbs(learner, adam, mine, Pressure(0.1, 0.0))
    assert_same(stretch, verbs)
    assert counted.loss == pytest.approx(loss, rel=1e-12)


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
    ("learner", "adam", "averaging"),
    [
        (AlphaNCE(visible_bias="learned"), Adam(), 0.0),
        (AlphaNCE(normaliser="learned"), Adam(), 0.0),
        (AlphaNCE(), Adam(moments="element"), 0.0),
        (AlphaNCE(), Adam(), 0.9),
    ],
    ids=["visible bias", "normaliser", "moments of elements", "averages"],
)
def test_steps_that_the_kernel_does_not_know_are_left_to_the_verbs(
    learner: AlphaNCE, adam: Adam, averaging: float
) -> None:
    session = CpuEngine(1).replica(0, 1).begin(CASE.parameters.copy(), CASE.start)
    step, updater = learner.begin(session, CASE.corpus, Pressure(0.1, 0.0)), adam.begin(session)
    before = session.take(["parameters.weights"])
    rules = (updater.rule(Moment(1, None)),)
    steps = step.steps(rules, averaging)
    assert session.documents_at_once(steps) == 0
    assert session.stretch(ordered(35)[:1], [Place(0, 0)], steps) is None
    np.testing.assert_array_equal(session.parameters.weights, before["parameters.weights"])
    single = CpuEngine(1).begin(CASE.parameters.copy(), CASE.start)
    steps = AlphaNCE().begin(single, CASE.corpus, Pressure(0.1, 0.0)).steps(rules, 0.0)
    Adam().begin(single)
    assert single.documents_at_once(steps) == 0
    assert single.stretch(ordered(35)[:1], [Place(0, 0)], steps) is None  # it is no replica's


def test_a_stretch_stops_where_it_diverges() -> None:
    """By a word that the second minibatch has alone, and that noise never has. Neither that step
    nor the third, which would be sound, moves anything.
    """
    batches, sessions = ordered(12), []
    word = np.setdiff1d(batches[1].words, [*batches[0].words, *batches[2].words])[:1]
    p = CASE.start.noise_distribution.copy()
    p[word] = 1e-30
    start = Start(p / p.sum(), CASE.start.seed)
    for number in (1, 3):
        session = CpuEngine(1).replica(0, 1).begin(CASE.parameters.copy(), start)
        learner, adam = LEARNERS["windows"], Adam()
        step, updater = learner.begin(session, CASE.corpus, Pressure(0.1, 0.0)), adam.begin(session)
        session.moved()
        session.parameters.weights[word] = np.nan
        rules = tuple(updater.rule(moment) for moment in moments(3)[:number])
        places = [Place(0, n) for n in range(number)]
        counted = session.stretch(batches[:number], places, step.steps(rules, 0.0))
        assert counted is not None
        sessions.append((session, counted.finite))
    (first, fine), (all_three, diverged) = sessions
    assert (fine, diverged) == (True, False)
    assert_same(all_three, first)
