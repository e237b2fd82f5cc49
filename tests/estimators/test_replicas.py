"""Estimators with replicas: the same bits on any number of threads, and all else as without."""

from __future__ import annotations

from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from tests.estimators.test_replicated_softmax import make_counts, make_model
from tests.oracles.subjects import corpus, halves, untrained
from undertow import AlphaNCE, ReplicatedSoftmax, load
from undertow._errors import InvalidInput, TrainingDiverged
from undertow.learn import Adam, Run, Settings, loop
from undertow.learn.replicas import Replica


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return make_counts(documents=300)


def settings_seen(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Of the runs that are begun from now on."""
    seen: list[Settings] = []
    original = Run.__init__

    def begin(self: Run, parameters: Any, p: Any, settings: Settings, **others: Any) -> None:
        seen.append(settings)
        original(self, parameters, p, settings, **others)

    monkeypatch.setattr(Run, "__init__", begin)
    return seen


@pytest.mark.parametrize("replicas", [2, 3])
@pytest.mark.parametrize("learner", ["alpha-nce", "nce", "cd"])
def test_n_jobs_never_changes_the_result(
    counts: sparse.csr_array, learner: str, replicas: int
) -> None:
    one, two = (
        make_model(learner=learner, replicas=replicas, n_jobs=n_jobs).fit(counts)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.transform(counts), two.transform(counts))
    assert [record.loss for record in one.history_] == [record.loss for record in two.history_]


def test_replicas_are_part_of_the_result(counts: sparse.csr_array) -> None:
    found = [make_model(replicas=replicas).fit(counts).components_ for replicas in (1, 2, 3)]
    assert not np.array_equal(found[0], found[1])
    assert not np.array_equal(found[1], found[2])
    np.testing.assert_array_equal(make_model(replicas=3).fit(counts).components_, found[2])


def test_topics_are_found_by_several_replicas_as_well() -> None:
    models = [untrained(replicas=2, n_jobs=n_jobs).fit(corpus()) for n_jobs in (1, 2)]
    texts = halves("sport", "politics", 20)
    first, second = (model.transform_topics(texts, 9) for model in models)
    np.testing.assert_array_equal(first, second)
    assert models[0].softmax_.replicas == 2


def test_the_option_is_cloned_and_saved(counts: sparse.csr_array, tmp_path: Path) -> None:
    model = clone(make_model(replicas=3)).fit(counts)
    assert model.get_params()["replicas"] == 3
    again: Any = load(model.save(tmp_path / "model"))
    assert again.replicas == 3
    assert ReplicatedSoftmax().replicas == "auto"
    assert again.partial_fit(counts).n_iter_ == 9


@pytest.mark.parametrize("given", [0, 1.5, "many", None])
def test_other_numbers_are_refused(counts: sparse.csr_array, given: Any) -> None:
    for ask in ("fit", "partial_fit"):
        with pytest.raises(InvalidInput, match="replicas must be a whole number of at least 1"):
            getattr(make_model(replicas=given), ask)(counts)


def test_a_learner_that_cannot_share_is_refused(counts: sparse.csr_array) -> None:
    with pytest.raises(InvalidInput, match=r"replicas must be 1 with this learner: it holds"):
        make_model(learner="pcd", replicas=2).fit(counts)


def test_auto_goes_by_the_number_of_documents(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the end of the training is known; otherwise nobody knows how many are still to come."""
    monkeypatch.setattr("undertow.learn.defaults.DOCUMENTS_A_REPLICA", 150)
    seen = settings_seen(monkeypatch)
    model = make_model(max_epochs=1).fit(counts)
    make_model(max_epochs=1).fit(counts[:299])
    make_model(max_epochs=1, early_stopping=True).fit(counts)
    make_model(max_epochs=1, learner="pcd").fit(counts)
    model.partial_fit(counts)
    assert [settings.replicas for settings in seen] == [2, 1, 1, 1, 1]


def test_annealing_ends_with_the_run(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 documents in minibatches of 32 are ten, of which a replica of three takes four."""
    runs: list[Run] = []
    original = loop._train_epoch

    def train_epoch(run: Run, *others: Any) -> None:
        runs.append(run)
        original(run, *others)

    monkeypatch.setattr(loop, "_train_epoch", train_epoch)
    make_model(replicas=3, max_epochs=5).fit(counts)
    assert runs[-1].settings.planned_steps == runs[-1].steps == 5 * 4
    assert runs[-1].progress == 1.0


def test_trials_of_noise_levels_have_one_replica(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = settings_seen(monkeypatch)
    make_model(replicas=2, learner=AlphaNCE(noise_level="auto"), max_epochs=1).fit(counts)
    assert [settings.replicas for settings in seen[:-1]] == [1] * (len(seen) - 1)
    assert len(seen) > 1
    assert seen[-1].replicas == 2


def test_every_call_of_partial_fit_learns(counts: sparse.csr_array) -> None:
    """Also where the replicas meet but once in a call."""
    model, seen = make_model(replicas=2, averaging=0.999), []
    for _ in range(4):
        model.partial_fit(counts)
        seen.append(model.components_.copy())
    moves = [np.abs(after - before).max() for before, after in pairwise(seen)]
    assert min(moves) > 1e-3
    assert model.history_[-1].loss < model.history_[0].loss
    assert model.n_iter_ == 4
    first = make_model(replicas=2, averaging=0.999).partial_fit(counts)
    begun = make_model(replicas=2, averaging=0.0, optimizer=Adam(learning_rate=1e-12))
    assert np.abs(first.components_ - begun.partial_fit(counts).components_).max() > 0.01


def test_partial_fit_goes_on_on_any_number_of_threads(counts: sparse.csr_array) -> None:
    found = []
    for n_jobs in (1, 2):
        model = make_model(replicas=3, n_jobs=n_jobs)
        for part in (counts[:100], counts[100:200], counts[200:]):
            model.partial_fit(part)
        found.append(model.components_)
    np.testing.assert_array_equal(found[0], found[1])


def test_early_stopping_watches_what_was_agreed_on(counts: sparse.csr_array) -> None:
    model = make_model(replicas=2, early_stopping=True, n_iter_no_change=2, max_epochs=30)
    model.fit(counts)
    figures = [record.split_half or 0.0 for record in model.history_]
    assert min(figures) > 0.0
    best = int(np.argmax(figures))
    assert len(figures) == min(best + 3, 30)


@pytest.mark.parametrize("when", ["between two meetings", "at a meeting"])
def test_an_interruption_keeps_what_was_reached(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """What the last meeting agreed on; and more can be learned from there."""
    original, calls = Replica.take, count(1)

    def take(self: Replica, *given: Any) -> None:
        call = next(calls)  # replicas take their steps at the same time
        original(self, *given)
        if when == "between two meetings" and call == 7:  # two replicas: the fourth epoch
            raise KeyboardInterrupt

    def callback(model: Any, record: Any) -> None:
        if when == "at a meeting" and record.epoch == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Replica, "take", take)
    model = make_model(replicas=2, callbacks=[callback])
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    assert model.n_iter_ == 3
    assert len(model.history_) == 3
    expected = make_model(replicas=2, callbacks=[lambda _, record: record.epoch == 2]).fit(counts)
    np.testing.assert_array_equal(model.components_, expected.components_)
    assert model.partial_fit(counts).n_iter_ == 4


def test_divergence_is_said_and_nothing_is_kept(counts: sparse.csr_array) -> None:
    model = make_model(replicas=2).fit(counts)
    before = model.components_.copy()
    model.set_params(warm_start=True, optimizer=Adam(learning_rate=1e38))
    with pytest.raises(TrainingDiverged, match="lower learning_rate"):
        model.fit(counts)
    np.testing.assert_array_equal(model.components_, before)
