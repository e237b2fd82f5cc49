"""Runs of replicas: what each of them does, how far they are, and what becomes of errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.learn.test_meeting import (
    COUNTS,
    KINDS,
    SOURCE,
    P,
    assert_same,
    begin,
    first_parameters,
    make_settings,
    minibatches,
)
from undertow._errors import InvalidInput, TrainingDiverged
from undertow.counts import CountBatch, CsrSource
from undertow.engines import Place, Start
from undertow.engines.cpu.engine import CpuEngine
from undertow.learn import Adam, ContrastiveDivergence, Moment, Run, Settings, train
from undertow.learn.learner import Corpus
from undertow.learn.merging import shared_names
from undertow.learn.replicas import Replica

SINGLE = 2.0**-24


class Oracle:
    """Replicas as sessions of one thread that take the verbs one by one; means in float64."""

    def __init__(self, settings: Settings) -> None:
        self.settings, corpus = settings, Corpus(COUNTS.shape[0], SOURCE.longest)
        self.sessions, self.steps, self.updaters = [], [], []
        for _ in range(settings.replicas):
            session = CpuEngine(1).begin(first_parameters(), Start(P, settings.seed))
            pressure = settings.sparsity.pressure
            self.steps.append(settings.learner.begin(session, corpus, pressure))
            self.updaters.append(settings.optimizer.begin(session))
            self.sessions.append(session)
        self.names = shared_names(session, getattr(self.steps[0], "stands_still", ()))
        self.number = 0  # steps done

    def epoch(self, epoch: int) -> None:
        """Minibatch j goes to replica j modulo their number."""
        crew, interval = self.settings.replicas, self.settings.interval
        batches, planned = minibatches(epoch), self.settings.planned_steps
        for first in range(0, len(batches), crew * interval):
            before = [session.take(self.names.rows) for session in self.sessions]
            taken = [0] * crew
            for j in range(first, min(first + crew * interval, len(batches))):
                own = j % crew
                done = self.number + taken[own]
                moment = Moment(done + 1, min(done / planned, 1.0))
                gradient = self.steps[own].gradient(batches[j], Place(epoch, j))
                self.updaters[own].apply(gradient, moment)
                taken[own] += 1
            self.number += max(taken)
            self._meet([own for own in range(crew) if taken[own]], before)

    def _meet(self, took_part: list[int], before: list[dict[str, NDArray[Any]]]) -> None:
        after = {own: self.sessions[own].arrays() for own in took_part}
        moments = self.names.rows[1]  # which change wherever a row is touched
        moved = np.array(
            [(after[own][moments] != before[own][moments]).any(axis=1) for own in took_part]
        )
        brought, found = moved.sum(axis=0), {}
        for name in self.names.rows:
            rows = np.array([after[own][name] for own in took_part], dtype=np.float64)
            total = np.einsum("rk,rkh->kh", moved.astype(np.float64), rows)
            kept = before[0][name].astype(np.float64)
            share = np.maximum(brought, 1)[:, None]
            found[name] = np.where(brought[:, None] > 0, total / share, kept)
        for name in self.names.others:
            found[name] = np.mean([after[own][name].astype(np.float64) for own in took_part], 0)
        for session in self.sessions:
            session.restore(found)


@pytest.mark.parametrize("kind", ["adam", "adam per element", "all learned"])
@pytest.mark.parametrize(("replicas", "interval"), [(2, 3), (3, 1), (4, 50)])
def test_a_run_is_its_replicas_and_the_means_of_what_they_moved(
    kind: str, replicas: int, interval: int
) -> None:
    """Parameters and moments after two epochs, whose minibatches do not divide by the interval.

    A mean that is rounded in another place differs in the last bit; 20 steps with slopes of about
    1 and rates of at most .03 do not make a thousand times as much of it.
    """
    learner, optimizer = KINDS[kind]
    settings = make_settings(replicas, interval, learner=learner, optimizer=optimizer)
    run, oracle = begin(settings), Oracle(settings)
    for epoch in range(2):
        train(run, SOURCE, epochs=epoch + 1)
        oracle.epoch(epoch)
    ours, theirs = run.session.arrays(), oracle.sessions[0].arrays()
    for name in (*oracle.names.rows, *oracle.names.others):
        bound = 1000 * SINGLE * max(1.0, float(np.abs(theirs[name]).max()))
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=bound, err_msg=name)
    assert run.steps == oracle.number
    assert not np.allclose(ours["parameters.weights"], first_parameters().weights, atol=0.01)


class Yields:
    """A source that has nothing but `batches`."""

    def __init__(self, source: CsrSource) -> None:
        self._source = source
        self.vocabulary_size, self.documents = source.vocabulary_size, source.documents
        self.longest = source.longest

    def batches(self, **request: int) -> Iterator[CountBatch]:
        return self._source.batches(**request)


@pytest.mark.parametrize("kind", ["adam", "cd"])
def test_minibatches_may_come_in_any_form(kind: str) -> None:
    """One by one or in pieces, in a stretch or verb by verb: to the same bits."""
    learner, optimizer = KINDS[kind]
    settings = make_settings(3, 2, learner=learner, optimizer=optimizer)
    pieces, single, verbs = (begin(settings) for _ in range(3))
    for replica in verbs._crew:
        vars(replica)["documents_at_once"] = 0
    train(pieces, SOURCE, epochs=2)
    assert_same(train(single, Yields(SOURCE), epochs=2).arrays(), pieces.arrays())
    train(verbs, SOURCE, epochs=2)
    assert_same(verbs.session.arrays(), pieces.session.arrays())
    np.testing.assert_allclose(
        [record.loss for record in verbs.history], [record.loss for record in pieces.history]
    )


def test_all_documents_are_counted() -> None:
    run = begin(make_settings(3, 2))
    told: list[tuple[int, int, int]] = []
    train(
        run,
        SOURCE,
        epochs=2,
        on_batch=lambda run: told.append((run.batch, run.steps, run.tally.documents)),
    )
    assert told[:3] == [(6, 2, 72), (12, 4, 144), (17, 6, 200)]  # after each meeting
    assert told[3:] == [(6, 8, 72), (12, 10, 144), (17, 12, 200)]
    alone = train(begin(make_settings(1, 1)), SOURCE, epochs=2)
    for ours, theirs in zip(run.history, alone.history, strict=True):
        assert ours.tokens == theirs.tokens == int(COUNTS.sum())
        assert ours.loss == pytest.approx(theirs.loss, rel=0.2)
        assert ours.activity == pytest.approx(theirs.activity, rel=0.2)
        assert ours.seconds > ours.waited >= 0.0


def test_more_replicas_than_minibatches_take_one_step_together() -> None:
    run = train(begin(make_settings(40, 3)), SOURCE, epochs=2)
    assert run.steps == 2
    assert run.history[1].loss < run.history[0].loss


def test_a_single_meeting_counts() -> None:
    """The first step of an average is all that it knows."""
    run = begin(make_settings(2, 50, averaging=0.999))
    run.advance(minibatches())
    run.meet()
    np.testing.assert_allclose(run.result().weights, run.parameters.weights, atol=4 * SINGLE)
    assert not np.allclose(run.result().weights, first_parameters().weights, atol=0.01)


def test_progress_counts_the_steps_of_one_replica() -> None:
    run = begin(make_settings(3, 2, planned_steps=12))
    seen: list[float | None] = []
    train(run, SOURCE, epochs=2, on_batch=lambda run: seen.append(run.progress))
    assert seen == [2 / 12, 4 / 12, 6 / 12, 8 / 12, 10 / 12, 1.0]


def test_annealing_goes_by_the_steps_of_one_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, list[int], list[float | None]]] = []
    original = Replica.take

    def take(self: Replica, *given: Any) -> None:
        batches, _, moments = given[:3]
        own = moments[: len(batches)]
        told.append((run._crew.index(self), [m.step for m in own], [m.progress for m in own]))
        original(self, *given)

    monkeypatch.setattr(Replica, "take", take)
    run = begin(make_settings(2, 8, planned_steps=20))
    train(run, SOURCE, epochs=2)
    assert sorted(told) == [
        (0, [*range(1, 9)], [n / 20 for n in range(8)]),
        (0, [9], [8 / 20]),  # the 17th minibatch
        (0, [*range(10, 18)], [n / 20 for n in range(9, 17)]),
        (0, [18], [17 / 20]),
        (1, [*range(1, 9)], [n / 20 for n in range(8)]),
        (1, [*range(10, 18)], [n / 20 for n in range(9, 17)]),
    ]


class Interrupted(CpuEngine):
    """Its replicas are interrupted in some of their rounds, in the middle of their work."""

    def __init__(self, error: type[BaseException], rounds: set[int]) -> None:
        super().__init__(2)
        self._error, self._rounds, self._number = error, rounds, 0

    def together(self, works: Any) -> None:
        self._number += 1
        if self._number in self._rounds:
            works[0]()
            raise self._error
        super().together(works)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("kind", ["adam", "sgd", "cd"])
def test_an_interrupted_run_is_where_it_met_last(kind: str, error: type[BaseException]) -> None:
    """It keeps what was reached, and goes on to the bits of one that was never interrupted."""
    learner, optimizer = KINDS[kind]
    settings = make_settings(3, 2, learner=learner, optimizer=optimizer)
    run = begin(settings, Interrupted(error, {1, 6}))  # steps, then words: two rounds a meeting
    before = {name: array.copy() for name, array in run.arrays().items()}
    with pytest.raises(error):
        train(run, SOURCE, epochs=2)
    assert_same(run.arrays(), before)
    assert (run.batch, run.steps, run.tally.documents) == (0, 0, 0)
    with pytest.raises(error):
        train(run, SOURCE, epochs=2)
    assert (run.batch, run.steps, run.tally.documents) == (12, 4, 144)
    train(run, SOURCE, epochs=2)
    whole = train(begin(settings), SOURCE, epochs=2)
    assert_same(run.arrays(), whole.arrays())
    assert [record.loss for record in run.history] == [record.loss for record in whole.history]


@pytest.mark.parametrize("kind", ["adam", "all learned"])  # in a stretch, and verb by verb
def test_a_replica_that_diverges_says_where(kind: str) -> None:
    learner, optimizer = KINDS[kind]
    run = begin(make_settings(3, 2, learner=learner, optimizer=optimizer))

    def spoil(run: Run) -> None:
        if run.batch == 12:
            run._crew[1].session.parameters.hidden_bias[0] = np.nan

    # the second replica has minibatches 14 and 17 of the epoch
    where = "from minibatch 14" if kind == "adam" else "minibatch 14"
    with pytest.raises(
        TrainingDiverged, match=f"the loss is nan in epoch 1, {where}: lower learning_rate"
    ):
        train(run, SOURCE, epochs=1, on_batch=spoil)
    assert (run.batch, run.steps) == (12, 4)
    assert np.isfinite(run.result().weights).all()


def test_a_later_run_goes_on_with_what_was_learned() -> None:
    """Epoch by epoch, as `partial_fit` does it, with one Run each."""
    whole = train(begin(make_settings(3, 2)), SOURCE, epochs=2)
    first = train(begin(make_settings(3, 2)), SOURCE, epochs=1)
    first.result()  # brings averages up to now
    second = begin(make_settings(3, 2))
    second.adopt(first.carried_state(), epoch=1)
    assert (second.epoch, second.steps) == (1, 6)
    train(second, SOURCE, epochs=2)
    ours, theirs = second.session.arrays(), whole.session.arrays()
    for name in theirs:
        if not name.startswith("average."):  # these wait until somebody looks
            np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    for name in ("weights", "hidden_bias"):
        found, expected = getattr(second.result(), name), getattr(whole.result(), name)
        np.testing.assert_allclose(found, expected, atol=50 * 4 * SINGLE)


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 5)])
def test_the_number_of_replicas_may_change_from_run_to_run(before: int, after: int) -> None:
    first = train(begin(make_settings(before, 2)), SOURCE, epochs=1)
    first.result()
    second = begin(make_settings(after, 2))
    second.adopt(first.carried_state(), epoch=1)
    assert_same(second.parameters.arrays(), first.parameters.arrays())
    train(second, SOURCE, epochs=3)
    assert second.steps == first.steps + 2 * -(-17 // after)
    assert second.history[-1].loss < first.history[-1].loss


@pytest.mark.parametrize(
    ("name", "value"), [("replicas", 0), ("replicas", 2.5), ("interval", 0), ("interval", None)]
)
def test_wrong_settings_are_named(name: str, value: object) -> None:
    with pytest.raises(
        InvalidInput, match=f"{name} must be a whole number of at least 1, got {value}"
    ):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_what_replicas_cannot_do_is_said() -> None:
    pcd = ContrastiveDivergence(persistent=True)
    with pytest.raises(InvalidInput, match=r"replicas must be 1 .* it holds 'learner\.chains'"):
        begin(make_settings(2, 1, learner=pcd, optimizer=Adam()))
    with pytest.raises(InvalidInput, match="part must be below parts=2, got 2"):
        begin(make_settings(2, 1), part=2, parts=2)
    single = begin(make_settings(1, 1))
    assert not single.meets
    for ask in (single.meet, single.moved):
        with pytest.raises(InvalidInput, match="replicas must be 2 or more, or parts, for a meet"):
            ask()
