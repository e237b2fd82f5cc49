"""Replicas meet: they go on from the mean, and averages are of what they agreed on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from undertow.counts import CountBatch, CsrSource, checked_counts, word_distribution
from undertow.engines import Engine, Place, Start
from undertow.engines.cpu.engine import CpuEngine
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    Learner,
    Moment,
    Optimizer,
    Run,
    Settings,
    Sparsity,
    added,
    train,
)
from undertow.learn.learner import Corpus
from undertow.learn.meeting import Meeting
from undertow.learn.replicas import Replica
from undertow.model import Parameters, initial_parameters

WORDS, UNITS, SIZE, DECAY = 300, 9, 12, 0.8
NAMES = ("weights", "hidden_bias", "visible_bias")


def make_counts(documents: int = 200) -> Any:
    generator = np.random.default_rng(3)
    popularity = 1.0 / np.arange(1, WORDS + 1)
    shares = popularity / popularity.sum()
    lengths = generator.integers(1, 20, documents)
    return checked_counts(np.array([generator.multinomial(n, shares) for n in lengths]))


COUNTS = make_counts()  # 17 minibatches, the last of 8 documents
SOURCE = CsrSource(COUNTS)
P = word_distribution(COUNTS)


def first_parameters() -> Parameters:
    return initial_parameters(UNITS, P, np.ones(WORDS), 0)


def make_settings(replicas: int, interval: int, **changed: Any) -> Settings:
    given: dict[str, Any] = {
        "learner": AlphaNCE(stream_length=64, n_noise=3),
        "optimizer": Adam(l2=0.01),
        "sparsity": Sparsity(0.1, 0.5),
        "averaging": DECAY,
        "planned_steps": 60,
    }
    return Settings(batch_size=SIZE, replicas=replicas, interval=interval, **(given | changed))


def begin(settings: Settings, engine: Engine | None = None, **options: Any) -> Run:
    return Run(
        first_parameters(),
        P,
        settings,
        documents=COUNTS.shape[0],
        longest=SOURCE.longest,
        engine=engine or CpuEngine(2),
        **options,
    )


def minibatches(epoch: int = 0) -> list[CountBatch]:
    return list(SOURCE.batches(seed=0, epoch=epoch, batch_size=SIZE))


def assert_same(ours: dict[str, NDArray[Any]], theirs: dict[str, NDArray[Any]]) -> None:
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)


KINDS: dict[str, tuple[Learner, Optimizer]] = {
    "adam": (AlphaNCE(stream_length=64, n_noise=3), Adam(l2=0.01)),
    "adam per element": (AlphaNCE(stream_length=64, n_noise=3), Adam(moments="element")),
    "all learned": (
        AlphaNCE(stream_length=64, n_noise=3, visible_bias="learned", normaliser="learned"),
        Adam(),
    ),
    "sgd": (AlphaNCE(stream_length=64, n_noise=3), SGD(annealing=2.0)),
    "cd": (ContrastiveDivergence(), Adam(learning_rate=0.001)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_replica_that_meets_nobody_is_a_single_run(kind: str) -> None:
    """One that meets after every step has the parameters, moments and averages of a run without
    meetings; only averages are brought up to date in another order.
    """
    learner, optimizer = KINDS[kind]
    settings = make_settings(1, 1, learner=learner, optimizer=optimizer)
    single = begin(settings)
    corpus, start = Corpus(COUNTS.shape[0], SOURCE.longest), Start(P, 0)
    engine = CpuEngine(1)
    home = Replica(engine, first_parameters(), start, settings, corpus, averaging=DECAY)
    other = Replica(
        engine.replica(0, 1), first_parameters(), start, settings, corpus, averaging=0.0
    )
    meeting = Meeting(engine, home, [other], len(P))
    for number, batch in enumerate(minibatches()):
        moments = [Moment(number + 1, number / 60)]
        given = [batch], [Place(0, number)], moments, home.said(moments), single.tally
        meeting.work({0: lambda given=given: other.take(*given)})  # type: ignore[misc]
        meeting.here(number + 1)
        single.advance([batch])
    ours, theirs = home.session.arrays(), single.session.arrays()
    assert ours.keys() == theirs.keys()
    for name, array in theirs.items():
        if name.startswith("average.") and name != "average.until":
            np.testing.assert_allclose(ours[name], array, atol=20 * 4 * 2.0**-24, err_msg=name)
        elif name != "average.until":
            np.testing.assert_array_equal(ours[name], array, err_msg=name)
    assert home.average is not None
    result, expected = home.average.parameters(17), single.result()
    for name in NAMES:  # 17 steps of single-precision averaging of numbers below 4
        np.testing.assert_allclose(
            getattr(result, name), getattr(expected, name), atol=20 * 4 * 2.0**-24
        )


class Recorder:
    """Of a run, the step of each meeting and what it agreed on."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.seen: list[Parameters] = []

    def __call__(self, run: Run) -> None:
        self.steps.append(run.steps)
        self.seen.append(run.parameters.copy())

    def average(self, name: str, decay: float) -> NDArray[np.float64]:
        """What was agreed on counts for all steps since the meeting before."""
        total, before = np.zeros_like(getattr(self.seen[0], name), dtype=np.float64), 0
        for step, parameters in zip(self.steps, self.seen, strict=True):
            for t in range(before + 1, step + 1):
                keep = min(decay, 1.0 - 4.0 / (t + 3.0))
                total = keep * total + (1.0 - keep) * getattr(parameters, name)
            before = step
        return total


@pytest.mark.parametrize("kind", ["adam", "all learned"])
@pytest.mark.parametrize(("replicas", "interval"), [(2, 3), (3, 2), (5, 1), (2, 50)])
def test_averages_are_those_of_what_was_agreed_on(kind: str, replicas: int, interval: int) -> None:
    """Also where epochs end with fewer steps than there are between two meetings, and where rows
    stand still over some of them.
    """
    learner, optimizer = KINDS[kind]
    run = begin(make_settings(replicas, interval, learner=learner, optimizer=optimizer))
    meetings = Recorder()
    train(run, SOURCE, epochs=2, on_batch=meetings)
    assert meetings.steps[-1] == run.steps == 2 * -(-17 // replicas)
    result = run.result()
    for name in NAMES:
        expected = meetings.average(name, DECAY)
        np.testing.assert_allclose(getattr(result, name), expected, atol=50 * 4 * 2.0**-24)


def test_to_look_at_the_result_changes_nothing_but_rounding() -> None:
    """As early stopping does after every epoch."""
    runs = []
    for look in (False, True):
        run = begin(make_settings(3, 2))
        train(run, SOURCE, epochs=3, measure=lambda run, look=look: look and run.result() and 0.5)  # type: ignore[misc]
        runs.append(run)
    assert_same(
        {name: array for name, array in runs[0].arrays().items() if "average" not in name},
        {name: array for name, array in runs[1].arrays().items() if "average" not in name},
    )
    np.testing.assert_allclose(
        runs[0].result().weights, runs[1].result().weights, atol=50 * 4 * 2.0**-24
    )


class Elsewhere(CpuEngine):
    """Leaves meetings to `take` and `restore`."""

    def meet(self, *_: Any) -> bool:
        return False


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("replicas", [2, 3])
def test_in_place_or_not_gives_the_same_bits(kind: str, replicas: int) -> None:
    learner, optimizer = KINDS[kind]
    settings = make_settings(replicas, 2, learner=learner, optimizer=optimizer)
    here, there = (begin(settings, engine(2)) for engine in (CpuEngine, Elsewhere))
    assert_same(train(here, SOURCE, epochs=2).arrays(), train(there, SOURCE, epochs=2).arrays())


def by_hand(run: Run, epochs: int, at_a_time: int) -> Run:
    """As a cluster does it: what was moved travels."""
    for epoch in range(epochs):
        run.epoch, run.batch = epoch, 0
        batches = minibatches(epoch)
        for first in range(0, len(batches), at_a_time):
            run.advance(batches[first : first + at_a_time])
            run.settle(added([run.moved()]))
    return run


def test_what_is_moved_and_settled_is_a_meeting() -> None:
    settings = make_settings(3, 2)
    ours, theirs = by_hand(begin(settings), 2, 6), train(begin(settings), SOURCE, epochs=2)
    assert_same(ours.session.arrays(), theirs.session.arrays())


@pytest.mark.parametrize("parts", [2, 3])
def test_parts_of_a_run_end_where_its_replicas_end(parts: int) -> None:
    """Part p of a cluster with the minibatches of replica p: the same draws and the same sums, to
    the bit, in all parts. At the end of an epoch some parts have no step to take.
    """
    interval = 4
    whole = train(begin(make_settings(parts, interval)), SOURCE, epochs=2)
    runs = [begin(make_settings(1, interval), part=part, parts=parts) for part in range(parts)]
    for epoch in range(2):
        own = [minibatches(epoch)[part::parts] for part in range(parts)]
        for run in runs:
            run.epoch, run.batch = epoch, 0
        for first in range(0, len(own[0]), interval):
            for run, batches in zip(runs, own, strict=True):
                run.advance(batches[first : first + interval])
            total = added([run.moved() for run in runs])
            steps = max(run.steps for run in runs)
            for run in runs:
                run.steps = steps
                run.settle(total)
    for run in runs:
        assert_same(run.session.arrays(), whole.session.arrays())


def test_a_part_that_had_no_step_yet_meets_all_the_same() -> None:
    """It begins in the middle of a run, as a new worker does, and has no minibatch left."""
    settings = make_settings(1, 2)
    first, second = (begin(settings, part=part, parts=2) for part in (0, 1))
    batches = minibatches()
    for run, own in ((first, batches[0:4:2]), (second, batches[1:4:2])):
        run.advance(own)
    total = added([first.moved(), second.moved()])
    for run in (first, second):
        run.settle(total)
    late = begin(settings, part=1, parts=2)
    late.batch, late.steps = second.batch, second.steps
    late.restore({name: array.copy() for name, array in second.arrays().items()})
    first.advance(batches[4:8:2])
    total = added([first.moved(), late.moved()])
    late.steps = first.steps
    for run in (first, late):
        run.settle(total)
    assert_same(first.session.arrays(), late.session.arrays())


def test_those_who_took_no_step_go_on_from_the_mean() -> None:
    run = begin(make_settings(4, 1))
    batches = minibatches()
    run.advance(batches[:2])  # two of four
    run.meet()
    home = run.session.take(["parameters.weights", "parameters.hidden_bias"])
    for replica in run._crew:
        for name, array in replica.session.take(list(home)).items():
            np.testing.assert_array_equal(array, home[name], err_msg=name)
    run.advance(batches[2:3])  # it belongs to the third: the first of the four took no step
    moved = run._crew[2].session.take(["parameters.hidden_bias"])["parameters.hidden_bias"]
    assert not np.array_equal(moved, home["parameters.hidden_bias"])
    run.meet()
    for replica in (run._home, *run._crew):
        np.testing.assert_array_equal(replica.session.parameters.hidden_bias, moved)


def test_a_meeting_of_nobody_changes_nothing() -> None:
    run = begin(make_settings(2, 2))
    run.advance(minibatches()[:4])
    run.meet()
    before = {name: array.copy() for name, array in run.arrays().items()}
    run.meet()
    run.advance([])
    run.settle(run.moved())
    assert_same(run.arrays(), before)
