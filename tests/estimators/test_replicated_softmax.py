"""The estimator: what it promises about bits, features, topics, files and errors."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from undertow import AlphaNCE, ReplicatedSoftmax, TrainingDiverged, load
from undertow.learn import SGD, Adam, EpochRecord
from undertow.learn.registry import LEARNERS

WORDS = 40


def make_counts(documents: int = 120, seed: int = 0) -> sparse.csr_array:
    """Documents of one of two themes, each with words of its own."""
    generator = np.random.default_rng(seed)
    theme = np.arange(documents) % 2
    shares = np.where((np.arange(WORDS) < WORDS // 2) == (theme[:, None] == 0), 0.9, 0.1)
    shares /= shares.sum(axis=1, keepdims=True)
    rows = [
        generator.multinomial(size, share)
        for size, share in zip(generator.integers(10, 40, documents), shares, strict=True)
    ]
    return sparse.csr_array(np.array(rows))


def make_model(**changes: Any) -> ReplicatedSoftmax:
    return ReplicatedSoftmax(
        **{"n_components": 6, "max_epochs": 8, "random_state": 0, "batch_size": 32, **changes}
    )


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return make_counts()


@pytest.fixture(scope="module")
def model(counts: sparse.csr_array) -> ReplicatedSoftmax:
    return make_model().fit(counts)


@pytest.fixture(scope="module")
def learned(counts: sparse.csr_array) -> ReplicatedSoftmax:
    """A model of enough steps that documents switch units on."""
    return make_model(max_epochs=60).fit(counts)


# Bits


@pytest.mark.parametrize("features", ["posterior", "soft", "activation", "strength"])
def test_fit_transform_is_fit_then_transform(counts: sparse.csr_array, features: str) -> None:
    at_once = make_model(features=features).fit_transform(counts)
    np.testing.assert_array_equal(
        at_once, make_model(features=features).fit(counts).transform(counts)
    )


@pytest.mark.parametrize("kind", ["posterior", "soft", "activation", "strength", "code"])
def test_a_batch_transforms_as_its_rows_do(
    model: ReplicatedSoftmax, counts: sparse.csr_array, kind: str
) -> None:
    whole = model.encode(counts, kind)
    rows = np.concatenate([model.encode(counts[[row]], kind) for row in range(counts.shape[0])])
    np.testing.assert_array_equal(whole, rows)


ONE_LAYER = [name for name, entry in LEARNERS.items() if entry.layers == 1]


@pytest.mark.parametrize("learner", ONE_LAYER)
def test_n_jobs_never_changes_the_result(counts: sparse.csr_array, learner: str) -> None:
    one = make_model(learner=learner, n_jobs=1).fit(counts)
    three = make_model(learner=learner, n_jobs=3).fit(counts)
    np.testing.assert_array_equal(one.components_, three.components_)
    np.testing.assert_array_equal(one.transform(counts), three.transform(counts))


def test_dense_and_sparse_and_other_types_are_alike(
    model: ReplicatedSoftmax, counts: sparse.csr_array
) -> None:
    expected = model.transform(counts)
    for other in (
        counts.toarray(),
        counts.tocsc(),
        counts.astype(np.float64),
        counts.astype(np.uint8),
        counts.tocoo(),
    ):
        np.testing.assert_array_equal(model.transform(other), expected)


def test_random_state_none_differs_and_a_generator_moves_on(counts: sparse.csr_array) -> None:
    assert not np.array_equal(
        make_model(random_state=None).fit(counts).components_,
        make_model(random_state=None).fit(counts).components_,
    )
    state = np.random.RandomState(3)
    first, second = (make_model(random_state=state).fit(counts).components_ for _ in range(2))
    assert not np.array_equal(first, second)


# Around scikit-learn


def test_clone_and_nested_parameters() -> None:
    model = make_model(learner=AlphaNCE(n_noise=3), optimizer=Adam(l2=0.0))
    assert model.get_params()["learner__n_noise"] == 3
    copy = clone(model)
    learner = copy.learner
    copy.set_params(learner__noise_level=0.25, optimizer__l2=0.5)
    assert (copy.learner.noise_level, copy.optimizer.l2) == (0.25, 0.5)
    assert (copy.learner.n_noise, learner.noise_level) == (3, 0.7)  # options never change
    assert (model.learner.noise_level, model.optimizer.l2) == (0.7, 0.0)


def test_grid_search_chooses_without_labels(counts: sparse.csr_array) -> None:
    search = GridSearchCV(
        make_model(learner=AlphaNCE()), {"learner__noise_level": [0.0, 0.5]}, cv=2
    ).fit(counts)
    assert search.best_params_["learner__noise_level"] in (0.0, 0.5)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_pipeline_classifies(counts: sparse.csr_array) -> None:
    labels = np.arange(counts.shape[0]) % 2
    pipeline = make_pipeline(make_model(max_epochs=40), LogisticRegression()).fit(counts, labels)
    assert pipeline.score(make_counts(seed=9), labels) > 0.95


@pytest.mark.parametrize(("kind", "frame"), [("polars", pl.DataFrame), ("pandas", pd.DataFrame)])
def test_set_output(counts: sparse.csr_array, kind: str, frame: Any) -> None:
    table = make_model().set_output(transform=kind).fit_transform(counts)
    assert isinstance(table, frame)
    columns: Any = table.columns
    assert list(columns)[:2] == ["replicatedsoftmax0", "replicatedsoftmax1"]


def test_column_names_are_kept_and_name_the_words(counts: sparse.csr_array) -> None:
    table = pd.DataFrame(counts.toarray(), columns=[f"w{i}" for i in range(WORDS)])
    model = make_model().fit(table)
    assert list(model.feature_names_in_[:2]) == ["w0", "w1"]
    assert all(
        weight.word.startswith("w")
        for topic in model.units()
        for weight in (*topic.up, *topic.down)
    )


@pytest.mark.parametrize("through", ["pickle", "joblib"])
def test_pickles(
    model: ReplicatedSoftmax, counts: sparse.csr_array, through: str, tmp_path: Path
) -> None:
    if through == "pickle":
        again = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        again = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(again.transform(counts), model.transform(counts))


def test_works_inside_joblib(model: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    parts = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(model.transform)(counts[part]) for part in (slice(0, 60), slice(60, 120))
    )
    np.testing.assert_array_equal(np.concatenate(parts), model.transform(counts))


# Learning


def test_attributes(model: ReplicatedSoftmax) -> None:
    assert model.components_.shape == (6, WORDS)
    assert model.hidden_bias_.shape == (6,)
    for name in ("visible_bias_", "word_weights_", "noise_distribution_"):
        assert getattr(model, name).shape == (WORDS,)
    assert (model.n_iter_, model.n_features_in_, len(model.history_)) == (8, WORDS, 8)
    record = model.history_[-1]
    assert isinstance(record, EpochRecord)
    assert record.tokens > 0
    assert record.seconds > 0
    assert record.split_half is None
    assert not hasattr(model, "feature_names_in_")


def test_partial_fit_goes_on(counts: sparse.csr_array) -> None:
    model = make_model()
    model.partial_fit(counts[:60])
    weights, p = model.word_weights_.copy(), model.noise_distribution_.copy()
    first = model.components_.copy()
    assert model.partial_fit(counts[60:]) is model
    assert model.n_iter_ == 2
    assert [record.epoch for record in model.history_] == [0, 1]
    assert not np.array_equal(first, model.components_)
    np.testing.assert_array_equal(weights, model.word_weights_)
    np.testing.assert_array_equal(p, model.noise_distribution_)


@pytest.mark.parametrize("learner", ONE_LAYER)
def test_partial_fit_takes_longer_documents_and_every_learner(
    counts: sparse.csr_array, learner: str
) -> None:
    model = make_model(learner=learner).partial_fit(counts[:10])
    model.partial_fit(sparse.csr_array(counts[10:60] * 50))
    assert np.isfinite(model.components_).all()


def test_partial_fit_on_the_same_rows_is_fit(counts: sparse.csr_array) -> None:
    """Epochs one by one are the epochs of a fit: the optimizer's state is carried over to the
    bit.
    """
    whole = make_model(max_epochs=3, optimizer=Adam(annealing=0), sparsity_cost=0.3).fit(counts)
    steps = (
        make_model()
    )  # without an end in sight the rate does not fall, and documents are not counted as few
    for _ in range(3):
        steps.partial_fit(counts)
    np.testing.assert_array_equal(whole.components_, steps.components_)


def test_warm_start_goes_on_and_fit_starts_anew(counts: sparse.csr_array) -> None:
    constant = Adam(annealing=0)
    whole = make_model(max_epochs=4, optimizer=constant).fit(counts)
    warm = make_model(max_epochs=2, warm_start=True, optimizer=constant).fit(counts).fit(counts)
    np.testing.assert_array_equal(whole.components_, warm.components_)
    cold = make_model(max_epochs=4, optimizer=constant)
    np.testing.assert_array_equal(whole.components_, cold.fit(counts).fit(counts).components_)


def test_noise_level_is_chosen_without_labels(counts: sparse.csr_array, tmp_path: Path) -> None:
    learner = AlphaNCE(noise_level="auto")
    model = make_model(learner=learner).fit(counts)
    figures = model.noise_level_scores_
    assert set(figures) == {number / 10 for number in range(10)}
    assert figures[model.noise_level_] >= 0.97 * max(figures.values())
    assert all(
        figures[level] < 0.97 * max(figures.values())
        for level in figures
        if level > model.noise_level_
    )
    # The level chosen is the level trained with, from the beginning and on all documents.
    plain = make_model(learner=AlphaNCE(noise_level=model.noise_level_)).fit(counts)
    np.testing.assert_array_equal(model.components_, plain.components_)
    assert plain.noise_level_ == model.noise_level_
    again = load(model.save(tmp_path / "model"))
    assert (again.learner, again.noise_level_) == (learner, model.noise_level_)
    assert np.isfinite(again.partial_fit(counts).components_).all()


def test_a_chosen_noise_level_stays_for_partial_fit(counts: sparse.csr_array) -> None:
    model = make_model(learner=AlphaNCE(noise_level="auto")).partial_fit(counts)
    level, figures = model.noise_level_, model.noise_level_scores_
    assert level in figures
    model.partial_fit(counts[:20])
    assert (model.noise_level_, model.noise_level_scores_) == (level, figures)


def test_choosing_shows_a_bar_and_needs_documents(
    counts: sparse.csr_array, capsys: pytest.CaptureFixture[str]
) -> None:
    make_model(learner=AlphaNCE(noise_level="auto"), max_epochs=1, verbose=1).fit(counts)
    assert "noise level" in capsys.readouterr().out
    with pytest.raises(
        ValueError, match="noise_level='auto' needs at least two held-out documents"
    ):
        make_model(learner=AlphaNCE(noise_level="auto")).fit(counts[:10])


def test_a_learner_without_noise_has_no_level(counts: sparse.csr_array) -> None:
    assert make_model(learner="cd", max_epochs=1).fit(counts).noise_level_ is None


def test_levels_of_each_document_survive_a_file(counts: sparse.csr_array, tmp_path: Path) -> None:
    learner = AlphaNCE(noise_level=(0.3, 0.9))
    model = make_model(learner=learner).fit(counts)
    again = load(model.save(tmp_path / "model"))
    assert (again.learner, again.noise_level_) == (learner, (0.3, 0.9))


def test_early_stopping_keeps_the_best_epoch(counts: sparse.csr_array) -> None:
    model = make_model(
        early_stopping=True, validation_fraction=0.3, n_iter_no_change=3, max_epochs=100
    ).fit(counts)
    figures = [record.split_half for record in model.history_]
    assert all(figure is not None for figure in figures)
    best = int(np.argmax(np.array(figures, dtype=float)))
    assert len(figures) == best + 4 < 100
    again = make_model(
        early_stopping=True, validation_fraction=0.3, n_iter_no_change=3, max_epochs=best + 1
    ).fit(counts)
    np.testing.assert_array_equal(model.components_, again.components_)


def test_callbacks_see_each_epoch_and_may_stop(counts: sparse.csr_array) -> None:
    seen: list[int] = []

    def stop_at_three(model: Any, record: EpochRecord) -> bool:
        seen.append(record.epoch)
        return record.epoch == 2

    assert make_model(callbacks=[stop_at_three]).fit(counts).n_iter_ == 3
    assert seen == [0, 1, 2]


def test_after_an_interrupt_the_model_is_what_was_learned(counts: sparse.csr_array) -> None:
    def interrupt(_model: Any, record: EpochRecord) -> bool:
        if record.epoch == 2:
            raise KeyboardInterrupt
        return False

    model = make_model(callbacks=[interrupt], optimizer=Adam(annealing=0))
    with pytest.raises(KeyboardInterrupt):
        model.fit(counts)
    shorter = make_model(max_epochs=3, optimizer=Adam(annealing=0)).fit(counts)
    np.testing.assert_array_equal(model.components_, shorter.components_)


def test_after_a_divergence_the_model_is_what_it_was(counts: sparse.csr_array) -> None:
    model = make_model().fit(counts)
    before = model.components_.copy()
    model.set_params(
        optimizer=SGD(learning_rate=1e38), averaging=0.0, warm_start=True, max_epochs=20
    )
    with pytest.raises(TrainingDiverged):
        model.fit(counts)
    np.testing.assert_array_equal(model.components_, before)
    assert model.n_iter_ == 8


def test_verbose_shows_a_bar(counts: sparse.csr_array, capsys: pytest.CaptureFixture[str]) -> None:
    make_model(verbose=1, max_epochs=2).fit(counts)
    assert "2/2" in capsys.readouterr().out


def test_the_bar_moves_by_minibatches(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of all epochs are its length, and waiting is told when it is worth it."""
    from rich.progress import Progress

    from undertow.estimators import _progress

    added: list[int] = []
    updates: list[dict[str, Any]] = []
    original = Progress.add_task
    monkeypatch.setattr(_progress, "EVERY", 0.0)

    def add_task(self: Progress, text: str, total: int, **more: Any) -> Any:
        added.append(total)
        return original(self, text, total=total, **more)

    monkeypatch.setattr(Progress, "add_task", add_task)
    monkeypatch.setattr(Progress, "update", lambda self, task, **facts: updates.append(facts))
    make_model(verbose=1, max_epochs=2, batch_size=10).fit(counts)
    steps = 2 * -(-counts.shape[0] // 10)
    assert added == [steps]
    assert [update["completed"] for update in updates[:3]] == [1, 2, 3]
    assert updates[-1]["completed"] == steps
    assert updates[-1]["done"] == 2
    bar = _progress.TrainingBar(Progress(), None)
    record = EpochRecord(0, 1.0, seconds=10.0, tokens=10**7, activity=0.1, dead_units=0, waited=0.4)
    for waited in (0.4, 1.2):
        bar.epoch(replace(record, waited=waited))
    assert [update["description"] for update in updates[-2:]] == [
        "loss 1.0000, 1.0 M tokens/s",
        "loss 1.0000, 1.0 M tokens/s, waited 12%",
    ]


def test_pace_is_for_runs_with_an_end(counts: sparse.csr_array) -> None:
    fast, usual = Adam(annealing=6.0, l2=3 * 1e-4), Adam()
    fitted = make_model().fit(counts)
    np.testing.assert_array_equal(
        fitted.components_, make_model(optimizer=fast).fit(counts).components_
    )
    continued = make_model().partial_fit(counts)
    np.testing.assert_array_equal(
        continued.components_, make_model(optimizer=usual).partial_fit(counts).components_
    )
    stopping = make_model(early_stopping=True, validation_fraction=0.3)
    expected = make_model(early_stopping=True, validation_fraction=0.3, optimizer=usual).fit(counts)
    np.testing.assert_array_equal(stopping.fit(counts).components_, expected.components_)


def test_trials_of_noise_levels_have_the_pace_of_the_run(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.learn import defaults

    make, planned = defaults.make_optimizer, []

    def noted(optimizer: Any, learner: Any, steps: int, *others: Any) -> Any:
        planned.append(steps)
        return make(optimizer, learner, steps, *others)

    monkeypatch.setattr(defaults, "make_optimizer", noted)
    make_model(learner=AlphaNCE(noise_level="auto"), max_epochs=4).fit(counts)
    assert len(planned) > 2
    assert set(planned) == {4 * math.ceil(counts.shape[0] / 32)}


# Features and energies


def test_features_are_the_models(model: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    from undertow.kernels.reference import energies

    u = np.ceil(np.log1p(counts.toarray())) * model.word_weights_.astype(float)
    W, a, b = (
        array.astype(float)
        for array in (model.components_.T, model.hidden_bias_, model.visible_bias_)
    )
    inputs = energies.inputs(u, W, a)
    # float32 sums over at most 40 words
    tolerance = 40 * 2.0**-23 * np.abs(u[:, :, None] * W).sum(axis=1).max()
    np.testing.assert_allclose(
        model.encode(counts, "posterior"), energies.sigmoid(inputs), atol=tolerance
    )
    np.testing.assert_allclose(
        model.encode(counts, "activation"), inputs / u.sum(axis=1, keepdims=True), atol=tolerance
    )
    shrunk = energies.sigmoid(inputs * 0.25 * model.typical_length_ / u.sum(axis=1, keepdims=True))
    stretched = model.typical_length_ / u.sum(axis=1).min()
    np.testing.assert_allclose(model.encode(counts, "soft"), shrunk, atol=stretched * tolerance)
    strengths = energies.strength(u, W, a, model.typical_length_)
    np.testing.assert_allclose(
        model.encode(counts, "strength"), strengths, atol=2 * stretched * tolerance
    )
    np.testing.assert_allclose(
        model.free_energy(counts), energies.free_energy(u, W, a, b), atol=6 * tolerance
    )


def test_reconstruction_is_a_distribution_of_the_documents_theme(
    model: ReplicatedSoftmax, counts: sparse.csr_array
) -> None:
    words = model.reconstruct(counts[:2])
    np.testing.assert_allclose(words.sum(axis=1), 1.0)
    assert words.shape == (2, WORDS)


def test_samples_have_the_lengths_asked_for(model: ReplicatedSoftmax) -> None:
    drawn = model.sample([3, 7], n_steps=5, random_state=1)
    assert drawn.shape == (2, WORDS)
    assert drawn.sum(axis=1).tolist() == [3, 7]
    np.testing.assert_array_equal(
        drawn.toarray(), model.sample([3, 7], n_steps=5, random_state=1).toarray()
    )


def test_an_empty_document_has_a_defined_vector(model: ReplicatedSoftmax) -> None:
    empty = np.zeros((1, WORDS))
    np.testing.assert_array_equal(model.encode(empty, "posterior"), np.full((1, 6), 0.5))
    np.testing.assert_array_equal(model.encode(empty, "soft"), np.full((1, 6), 0.5))
    np.testing.assert_array_equal(model.encode(empty, "activation"), np.zeros((1, 6)))
    np.testing.assert_allclose(model.encode(empty, "strength"), np.log1p(np.log(2)), rtol=1e-6)
    assert str(model.document_units(empty)[0]) == "none"


def test_empty_documents_are_left_out_of_training(counts: sparse.csr_array) -> None:
    padded = sparse.vstack([counts, sparse.csr_array((5, WORDS), dtype=counts.dtype)], format="csr")
    with_empty = make_model(weighting=None).fit(padded)
    np.testing.assert_array_equal(
        with_empty.components_, make_model(weighting=None).fit(counts).components_
    )


def test_score_is_split_half_retrieval(model: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    assert 1 / 120 < model.score(counts) <= 1.0
    assert model.score(counts) == model.score(counts)


# Topics


def test_topics(model: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    topics = model.units(n_words=4)
    assert sorted(topic.id for topic in topics) == list(range(6))
    assert [topic.activity for topic in topics] == sorted(
        (topic.activity for topic in topics), reverse=True
    )
    on = (model.encode(counts, "posterior") > 0.5).mean(axis=0)
    for topic in topics:
        assert topic.activity == pytest.approx(on[topic.id])
        assert max(len(topic.up), len(topic.down)) <= 4
        assert all(weight.weight > 0 for weight in topic.up)
        assert all(weight.weight < 0 for weight in topic.down)


def test_unit_names_are_set_and_shown(learned: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    on = next(found.units[0].id for found in learned.document_units(counts) if found.units)
    named = pickle.loads(pickle.dumps(learned)).name_units({on: "cooking"})
    assert {unit.name for unit in named.units() if unit.id == on} == {"cooking"}
    strongest = [
        found
        for found in named.document_units(counts)
        if any(unit.id == on for unit in found.units)
    ]
    assert all("cooking" in str(found) for found in strongest)


def test_document_topics_are_the_units_that_are_on(
    learned: ReplicatedSoftmax, counts: sparse.csr_array
) -> None:
    on = learned.encode(counts, "posterior")
    assert (on > 0.5).any()
    for row, found in zip(on, learned.document_units(counts), strict=True):
        assert {topic.id for topic in found.units} == set(np.flatnonzero(row > 0.5))
        strengths = [topic.strength for topic in found.units]
        assert strengths == sorted(strengths, reverse=True)


def test_attribution_sums_to_the_units_input(
    model: ReplicatedSoftmax, counts: sparse.csr_array
) -> None:
    moved = model.attribute(counts, 3)
    assert moved.shape == counts.shape
    log_odds = np.asarray(moved.sum(axis=1)).ravel()
    expected = model.encode(counts, "posterior")[:, 3]
    np.testing.assert_allclose(1 / (1 + np.exp(-log_odds)), expected, atol=1e-5)


# Files


def test_save_and_load(counts: sparse.csr_array, tmp_path: Path) -> None:
    table = pd.DataFrame(counts.toarray(), columns=[f"w{i}" for i in range(WORDS)])
    model = make_model(
        learner=AlphaNCE(n_noise=7), optimizer=Adam(l2=0.0), weighting=np.ones(WORDS)
    ).fit(table)
    model.name_units({1: "first"}).save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, ReplicatedSoftmax)
    np.testing.assert_array_equal(again.transform(table), model.transform(table))
    assert again.units() == model.units()
    assert again.history_ == model.history_
    assert again.learner == AlphaNCE(n_noise=7)
    assert list(again.feature_names_in_) == list(model.feature_names_in_)
    np.testing.assert_array_equal(again.weighting, np.ones(WORDS))
    again.partial_fit(table)
    assert again.n_iter_ == 9


def test_saving_twice_needs_a_word(model: ReplicatedSoftmax, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="already"):
        model.save(tmp_path / "model")
    model.save(tmp_path / "model", overwrite=True)


# Bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
        (
            {"learner": "sgd"},
            "learner must be one of 'alpha-nce', 'nce', 'cd', 'pcd', 'mh-cd', 'ratio-matching', or "
            "a learner's options, got",
        ),
        (
            {"weighting": "tfidf"},
            "weighting must be 'idf', None or 40 non-negative weights, got 'tfidf'",
        ),
        ({"weighting": np.ones(3)}, "weighting must hold 40 numbers, got an array of shape (3,)"),
        (
            {"weighting": -np.ones(WORDS)},
            "weighting must not be negative, got -1.0 among its values",
        ),
        ({"count_transform": "sqrt"}, "count_transform must be 'log' or None, got 'sqrt'"),
        (
            {"features": "code"},
            "features must be one of 'balanced', 'posterior', 'soft', 'activation', 'strength', "
            "got 'code'",
        ),
        (
            {"optimizer": "rmsprop"},
            "optimizer must be 'auto', one of 'adam', 'sgd', or an optimizer's options, got "
            "'rmsprop'",
        ),
        ({"max_epochs": 0}, "max_epochs must be a whole number of at least 1, got 0"),
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1, got 0"),
        ({"sparsity_target": 2.0}, "sparsity_target must be in (0, 1), got 2.0"),
        (
            {"early_stopping": True, "validation_fraction": 0.0},
            "validation_fraction must be in (0, 1), got 0.0",
        ),
        (
            {"early_stopping": True, "validation_fraction": 0.001},
            "early_stopping needs at least two held-out documents",
        ),
        ({"n_jobs": 0}, "threads must be a whole number of at least 1, got 0"),
    ],
)
def test_wrong_parameters_are_named(
    counts: sparse.csr_array, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_model(**changes).fit(counts)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1, -1]], "Negative values in data passed to X in ReplicatedSoftmax"),
        ([[1, float("nan")]], "Input X contains NaN"),
        ([[1, float("inf")]], "Input X contains infinity"),
        (np.zeros((0, 3)), "Found array with 0 sample(s)"),
        (
            np.zeros((4, 3)),
            "X must hold a document with a word of positive weight, got none in n_samples=4",
        ),
        ([[1, 2], [3, 4]], "(idf gives words that are in every document the weight 0)"),
    ],
)
def test_wrong_counts_are_refused(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_model().fit(X)


def test_without_a_transform_counts_have_to_be_whole(counts: sparse.csr_array) -> None:
    with pytest.raises(
        ValueError,
        match=r"X must be whole numbers, got 0\.5: weights such as tf-idf do not belong here",
    ):
        make_model(count_transform=None).fit([[0.5, 1.0], [1.0, 0.0]])
    assert make_model(count_transform=None).fit(counts).n_iter_ == 8


def test_wrong_use_after_fitting(model: ReplicatedSoftmax, counts: sparse.csr_array) -> None:
    with pytest.raises(
        ValueError, match="X has 39 features, but ReplicatedSoftmax is expecting 40 features"
    ):
        model.transform(counts[:, :39])
    with pytest.raises(
        ValueError, match=r"kind must be one of 'balanced', .*, 'code', got 'vector'"
    ):
        model.encode(counts, "vector")
    with pytest.raises(ValueError, match="component must be below 6, got 6"):
        model.attribute(counts, 6)
    with pytest.raises(ValueError, match="names must be of units 0 to 5, got 9"):
        model.name_units({9: "nine"})
    with pytest.raises(ValueError, match="words must name 40 columns, got 1"):
        model.units(words=["one"])
    with pytest.raises(NotFittedError):
        make_model().transform(counts)


# New words


def test_added_words_leave_old_ones_alone(counts: sparse.csr_array) -> None:
    model = make_model().fit(counts)
    before, vectors = model.components_.copy(), model.transform(counts)
    model.add_words(3)
    assert model.n_features_in_ == WORDS + 3
    np.testing.assert_array_equal(model.components_[:, :WORDS], before)
    padded = sparse.hstack(
        [counts, sparse.csr_array((counts.shape[0], 3), dtype=counts.dtype)], format="csr"
    )
    np.testing.assert_array_equal(model.transform(padded), vectors)
    assert model.noise_distribution_.sum() == pytest.approx(1.0)
    # b stays log p up to a constant, so that the frozen visible biases still bring no gain
    difference = model.visible_bias_ - np.log(model.noise_distribution_)
    np.testing.assert_allclose(difference, difference.mean(), atol=1e-5)


def test_added_words_are_learned(counts: sparse.csr_array) -> None:
    model = make_model().fit(counts).add_words(1)
    theme = (np.arange(counts.shape[0]) % 2)[:, None]
    told = sparse.hstack([counts, sparse.csr_array(3 * theme)], format="csr")
    before = model.components_[:, -1].copy()
    for _ in range(5):
        model.partial_fit(told)
    assert np.abs(model.components_[:, -1] - before).max() > 0.1


def test_words_are_not_added_to_named_columns(counts: sparse.csr_array) -> None:
    table = pd.DataFrame(counts.toarray(), columns=[f"w{i}" for i in range(WORDS)])
    with pytest.raises(
        ValueError, match="add_words must be used on a model fitted without column names"
    ):
        make_model().fit(table).add_words(1)
