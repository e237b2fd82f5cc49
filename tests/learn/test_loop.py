"""The training loop: records, callbacks, divergence, dead units, and options that are wrong."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from undertow._errors import InvalidInput, TrainingDiverged
from undertow.counts import CountBatch, CsrSource, checked_counts, word_distribution
from undertow.engines import Place
from undertow.engines.cpu import CpuEngine
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    EpochRecord,
    Moment,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.learn.averaging import RunningAverage
from undertow.model import Parameters, initial_parameters
from undertow.vectors import posteriors


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    generator = np.random.default_rng(0)
    return checked_counts(generator.multinomial(20, np.full(30, 1 / 30), size=100))


def begin(
    counts: sparse.csr_array, settings: Settings | None = None, units: int = 8
) -> tuple[Run, CsrSource]:
    p = word_distribution(counts)
    parameters = initial_parameters(units, p, np.ones(counts.shape[1]), 0)
    source = CsrSource(counts)
    chosen = settings or Settings(learner=AlphaNCE(stream_length=64), batch_size=32)
    return Run(
        parameters, p, chosen, documents=counts.shape[0], longest=source.longest, threads=1
    ), source


def test_history_holds_an_epoch_a_line(counts: sparse.csr_array) -> None:
    run, source = begin(counts)
    seen: list[EpochRecord] = []
    train(
        run,
        source,
        epochs=3,
        measure=lambda _: 0.25,
        on_epoch=lambda _, record: seen.append(record),
    )
    assert run.history == seen
    assert [record.epoch for record in seen] == [0, 1, 2]
    assert all(
        record.tokens == 2000 and record.seconds > 0 and record.split_half == 0.25
        for record in seen
    )
    assert run.steps == 3 * 4  # 100 documents in minibatches of 32


class SlowSource:
    """A source that makes the loop wait, and says when it is closed."""

    def __init__(self, source: CsrSource) -> None:
        self.vocabulary_size, self.documents, self.longest = (
            source.vocabulary_size,
            source.documents,
            source.longest,
        )
        self._source, self.closed = source, False

    def batches(self, **request: int) -> Iterator[CountBatch]:
        try:
            for batch in self._source.batches(**request):
                time.sleep(0.02)
                yield batch
        finally:
            self.closed = True


def test_waiting_for_minibatches_is_measured(counts: sparse.csr_array) -> None:
    run, source = begin(counts)
    record = train(run, source, epochs=1).history[0]
    assert 0 < record.waited < record.seconds
    slow = train(run, SlowSource(source), epochs=2).history[1]
    assert 4 * 0.02 <= slow.waited < slow.seconds
    assert slow.waited - record.waited > 0.5 * 4 * 0.02


def test_a_source_is_closed_when_training_fails(counts: sparse.csr_array) -> None:
    run, source = begin(counts)
    slow = SlowSource(source)

    def stop(_: Run) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:  # which keeps the frames of the loop alive
        train(run, slow, epochs=1, on_batch=stop)
    assert slow.closed
    del caught


def test_epochs_are_counted_in_all(counts: sparse.csr_array) -> None:
    run, source = begin(counts)
    train(run, source, epochs=2)
    train(run, source, epochs=2)
    assert run.epoch == 2


def test_a_true_answer_ends_the_training(counts: sparse.csr_array) -> None:
    run, source = begin(counts)
    train(run, source, epochs=10, on_epoch=lambda run, _: run.epoch == 2)
    assert run.epoch == 2


def test_loss_falls(counts: sparse.csr_array) -> None:
    generator = np.random.default_rng(1)
    half = np.repeat([1.0, 0.0], 15)
    topics = generator.multinomial(20, half / 15, size=100) * (np.arange(100) % 2)[:, None]
    topics += (
        generator.multinomial(20, half[::-1] / 15, size=100) * (1 - np.arange(100) % 2)[:, None]
    )
    run, source = begin(checked_counts(topics))
    train(run, source, epochs=10)
    assert run.history[-1].loss < 0.9 * run.history[0].loss


def test_a_loss_that_is_not_finite_stops_and_says_where(counts: sparse.csr_array) -> None:
    run, source = begin(counts)

    def spoil(run: Run) -> None:
        if run.steps == 6:
            run.parameters.weights[:, 0] = np.nan

    with pytest.raises(
        TrainingDiverged,
        match=r"the loss is nan in epoch 2, minibatch 3: lower learning_rate or .* l2",
    ):
        train(run, source, epochs=5, on_batch=spoil)


@pytest.mark.parametrize("name", ["weights", "hidden_bias", "visible_bias"])
def test_a_parameter_that_is_not_finite_is_named(counts: sparse.csr_array, name: str) -> None:
    run, source = begin(counts)

    def spoil(run: Run) -> None:
        if run.steps == 4:
            getattr(run.parameters, name)[...] = np.inf

    with pytest.raises(
        TrainingDiverged, match=f"{name} is not finite, or beyond .*, after epoch 1: lower"
    ):
        train(run, source, epochs=1, on_batch=spoil)


def test_a_diverging_run_is_caught(counts: sparse.csr_array) -> None:
    settings = Settings(learner=AlphaNCE(stream_length=64), optimizer=SGD(learning_rate=1e38))
    run, source = begin(counts, settings)
    with pytest.raises(TrainingDiverged, match=r"not finite|the loss is"):
        train(run, source, epochs=20)


def test_dead_units_are_counted_and_reported(
    counts: sparse.csr_array, caplog: pytest.LogCaptureFixture
) -> None:
    run, source = begin(counts)
    run.parameters.hidden_bias[:] = [-50, 50, 0, 0, 0, 0, 0, 0]  # always off, always on, alive
    with caplog.at_level(logging.INFO, logger="undertow"):
        train(run, source, epochs=1)
    assert run.history[0].dead_units == 2
    assert "2 of 8 hidden units are dead (always off or always on)" in caplog.text


def test_sparsity_moves_activity_towards_its_target(counts: sparse.csr_array) -> None:
    activity = {}
    for cost in (0.0, 30.0):
        run, source = begin(
            counts, Settings(learner=AlphaNCE(stream_length=64), sparsity=Sparsity(0.1, cost))
        )
        activity[cost] = train(run, source, epochs=60).history[-1].activity
    assert abs(activity[30.0] - 0.1) < 0.05 < abs(activity[0.0] - 0.1)


def test_averages_are_those_of_every_step(counts: sparse.csr_array) -> None:
    settings = Settings(learner=AlphaNCE(stream_length=64, n_noise=2), averaging=0.8, batch_size=10)
    run, source = begin(counts, settings)
    names = ("weights", "hidden_bias", "visible_bias")
    seen: list[Parameters] = []
    train(run, source, epochs=2, on_batch=lambda run: seen.append(run.parameters.copy()))
    for name in names:
        expected = np.zeros_like(getattr(seen[0], name), dtype=np.float64)
        for step, one in enumerate(seen, start=1):
            keep = min(0.8, 1.0 - 4.0 / (step + 3.0))
            expected = keep * expected + (1.0 - keep) * getattr(one, name)
        # 20 steps of single-precision averaging of numbers below 4
        np.testing.assert_allclose(getattr(run.result(), name), expected, atol=4 * 20 * 2.0**-23)
    assert isinstance(run.average, RunningAverage)
    assert not np.array_equal(run.result().weights, run.parameters.weights)


@pytest.mark.parametrize("optimizer", [Adam(annealing=4), SGD(annealing=4)], ids=["adam", "sgd"])
def test_an_annealed_step_is_one_at_that_rate(
    counts: sparse.csr_array, optimizer: Adam | SGD
) -> None:
    """A quarter of the run behind it, a step has the rate 4 * 3/4 of what is given; past the end,
    4/100.
    """
    for progress, rate in [(0.0, 4.0), (0.25, 3.0), (1.0, 0.04), (None, 1.0)]:
        results = []
        for changed, point in [
            (optimizer, progress),
            (replace(optimizer, learning_rate=0.1 * rate), None),
        ]:
            if point is not None or progress is None:
                changed = replace(changed, learning_rate=0.1)
            learner = AlphaNCE(stream_length=64, visible_bias="learned", normaliser="learned")
            run, source = begin(
                counts, Settings(learner=learner, optimizer=changed, batch_size=100)
            )
            batch = next(iter(source.batches(seed=0, epoch=0, batch_size=100)))
            run.updater.apply(run.step.gradient(batch, Place(0, 0)), Moment(1, point))
            results.append(run.arrays())
        for name, array in results[0].items():
            np.testing.assert_allclose(array, results[1][name], rtol=1e-6, atol=1e-7, err_msg=name)


def test_progress_counts_planned_steps(counts: sparse.csr_array) -> None:
    run, source = begin(
        counts, Settings(learner=AlphaNCE(stream_length=64), batch_size=50, planned_steps=8)
    )
    seen: list[float | None] = []
    train(run, source, epochs=5, on_batch=lambda run: seen.append(run.progress))
    assert seen == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.0, 1.0]
    assert begin(counts)[0].progress is None


def test_the_rate_falls_as_the_run_goes_on(counts: sparse.csr_array) -> None:
    settings = Settings(learner=AlphaNCE(stream_length=64), batch_size=50, planned_steps=40)
    run, source = begin(counts, settings)
    weights = [run.parameters.weights.copy()]
    train(
        run, source, epochs=20, on_batch=lambda run: weights.append(run.parameters.weights.copy())
    )
    moves = [np.abs(after - before).mean() for before, after in pairwise(weights)]
    assert np.mean(moves[-4:]) < 0.2 * np.mean(moves[:4])


def test_a_level_to_be_chosen_cannot_begin_a_run(counts: sparse.csr_array) -> None:
    with pytest.raises(
        InvalidInput, match="noise_level must be chosen before a run begins, got 'auto'"
    ):
        begin(counts, Settings(learner=AlphaNCE(noise_level="auto")))


def test_source_of_another_vocabulary_is_refused(counts: sparse.csr_array) -> None:
    run, _ = begin(counts)
    with pytest.raises(InvalidInput, match="source must have 30 words as the model, got 29"):
        train(run, CsrSource(counts[:, :29]), epochs=1)


@pytest.mark.parametrize(
    ("options", "name", "value", "message"),
    [
        (AlphaNCE, "n_noise", 0, "n_noise must be a whole number of at least 1, got 0"),
        (AlphaNCE, "n_noise", True, "n_noise must be a whole number of at least 1, got True"),
        (AlphaNCE, "noise_level", 1.3, r"noise_level must be in \[0, 1\), got 1.3"),
        (AlphaNCE, "noise_level", float("nan"), r"noise_level must be in \[0, 1\), got nan"),
        (
            AlphaNCE,
            "noise_level",
            (0.2, 0.5, 0.7),
            "noise_level must be one number, two numbers or 'auto', got 3",
        ),
        (AlphaNCE, "noise_level", (0.2, 1.0), r"noise_level must be in \[0, 1\), got 1.0"),
        (
            AlphaNCE,
            "noise_level",
            (0.5, 0.2),
            r"noise_level must give the lower number first, got \(0.5, 0.2\)",
        ),
        (AlphaNCE, "noise_level", "half", "noise_level must be one of 'auto', got 'half'"),
        (Adam, "annealing", -1, "annealing must be of at least 0, got -1"),
        (
            Settings,
            "planned_steps",
            -1,
            "planned_steps must be a whole number of at least 0, got -1",
        ),
        (AlphaNCE, "sharpness", 0, "sharpness must be above 0, got 0"),
        (AlphaNCE, "noise", "pink", "noise must be one of 'windows', 'independent', got 'pink'"),
        (
            AlphaNCE,
            "visible_bias",
            "thawed",
            "visible_bias must be one of 'frozen', 'learned', got 'thawed'",
        ),
        (
            ContrastiveDivergence,
            "n_steps",
            0,
            "n_steps must be a whole number of at least 1, got 0",
        ),
        (Adam, "learning_rate", -1, "learning_rate must be above 0, got -1"),
        (Adam, "decay", 1.0, r"decay must be in \[0, 1\), got 1.0"),
        (Adam, "l2", "much", "l2 must be a number of at least 0, got 'much'"),
        (Adam, "moments", "none", "moments must be one of 'row', 'element', got 'none'"),
        (SGD, "momentum", 1.0, r"momentum must be in \[0, 1\), got 1.0"),
        (Sparsity, "target", 0.0, r"sparsity_target must be in \(0, 1\), got 0.0"),
        (Settings, "batch_size", 0, "batch_size must be a whole number of at least 1, got 0"),
        (Settings, "seed", -1, "seed must be a whole number of at least 0, got -1"),
        (Settings, "averaging", 1.0, r"averaging must be in \[0, 1\), got 1.0"),
    ],
)
def test_wrong_options_are_named(options: type, name: str, value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        options(**{name: value})


def _features(parameters: Parameters, batch: CountBatch, out: list[np.ndarray]) -> None:
    out.extend(posteriors(parameters, batch, engine=CpuEngine(2)) for _ in range(20))


def test_two_python_threads_may_transform_at_once(counts: sparse.csr_array) -> None:
    run, _ = begin(counts, units=70)
    batch = CountBatch.from_csr(counts)
    expected = posteriors(run.parameters, batch, engine=CpuEngine(1))
    found: list[np.ndarray] = []
    workers = [
        threading.Thread(target=_features, args=(run.parameters, batch, found)) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 40
    assert all(np.array_equal(expected, one) for one in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_trains_to_the_same_bits(counts: sparse.csr_array) -> None:
    run, source = begin(counts, units=70)
    posteriors(
        run.parameters, CountBatch.from_csr(counts), engine=CpuEngine(2)
    )  # the parent's pool has threads by now
    expected = train(run, source, epochs=1).parameters.weights.tobytes()
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  # the child is not measured
        again, source = begin(counts, units=70)
        same = train(again, source, epochs=1).parameters.weights.tobytes() == expected
        os.write(writable, b"same" if same else b"other")
        os._exit(0)
    os.close(writable)
    answer = os.read(readable, 10)
    os.waitpid(child, 0)
    assert answer == b"same"
