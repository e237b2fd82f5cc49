"""A learner and an optimizer of one's own, wherever ours go: estimators, searches, files,
checkpoints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tests.estimators.test_replicated_softmax import make_counts
from undertow import ModelFileError, ReplicatedSoftmax, TopicModel, load
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CsrSource, checked_counts, word_distribution
from undertow.engines import OPTIMIZER, Gradient, Noise, Objective, Place, Pressure, Session
from undertow.learn import (
    SGD,
    Adam,
    Corpus,
    Moment,
    Options,
    Run,
    Settings,
    register_learner,
    register_optimizer,
    registry,
    train,
)
from undertow.model import initial_parameters
from undertow.storage import resume_run, save_run


@dataclass(frozen=True)
class TwoLevels(Options):
    """Contrasts every document at two noise levels, of which no one option is the noise level."""

    levels: tuple[float, float] = (0.3, 0.7)
    share: float = 0.5

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> TwoLevelsStep:
        return TwoLevelsStep(self, session, pressure)


class TwoLevelsStep:
    """The sum of both gradients, by their shares."""

    def __init__(self, options: TwoLevels, session: Session, pressure: Pressure) -> None:
        self._options, self._session, self._pressure = options, session, pressure

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        share = self._options.share
        parts = zip(self._options.levels, (share, 1.0 - share), strict=True)
        found = [self._part(batch, place, level, weight) for level, weight in parts]
        (words, rows, bias, loss, activity), second = found
        return self._session.gather(
            np.concatenate([words, second[0]]),
            np.concatenate([rows, second[1]]),
            {"hidden_bias": bias + second[2]},
            loss=loss + second[3],
            activity=activity,
        )

    def _part(self, batch: CountBatch, place: Place, level: float, weight: float) -> Any:
        kept = self._session.keep_words(batch, place, level)
        noise = self._session.draw_noise(kept, Noise(documents=4, stream_length=64))
        gradient = self._session.contrast(noise, Objective(True, 5.0), self._pressure)
        words, rows = gradient.rows()
        bias, activity = gradient.dense()["hidden_bias"], np.array(gradient.activity)
        return words, weight * rows, weight * bias, weight * gradient.loss, activity


@dataclass(frozen=True)
class Signs(Options):
    """Steps of one length, in the direction of a mean of gradients; counts its steps."""

    rate: float = 0.002
    memory: float = 0.5

    def begin(self, session: Session) -> SignsUpdater:
        shape = session.parameters.weights.shape
        session.hold(OPTIMIZER + "means", np.zeros(shape, dtype=np.float32))
        session.hold(OPTIMIZER + "count", np.zeros((), dtype=np.int64))
        return SignsUpdater(self, session)


class SignsUpdater:
    """Moves the rows of the minibatch."""

    moves_every_row = False

    def __init__(self, options: Signs, session: Session) -> None:
        self._options, self._session = options, session

    def apply(self, gradient: Gradient, moment: Moment) -> None:
        rate, memory = self._options.rate, self._options.memory
        words, rows = gradient.rows()
        held = self._session.arrays()
        means = memory * held[OPTIMIZER + "means"][words] + (1.0 - memory) * rows
        held[OPTIMIZER + "means"][words] = means
        held[OPTIMIZER + "count"] += 1
        others = {name: -0.01 * rate * np.sign(slope) for name, slope in gradient.dense().items()}
        self._session.move(words, -rate * np.sign(means), others)


@pytest.fixture
def known(own_tables: None) -> None:
    register_learner("two-levels")(TwoLevels)
    register_optimizer("signs", rate=0.004)(Signs)


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return make_counts(documents=80)


def make_model(**changes: Any) -> ReplicatedSoftmax:
    options: dict[str, Any] = {"learner": TwoLevels((0.2, 0.6)), "optimizer": Signs(0.003)}
    options |= {"max_epochs": 3, "random_state": 0, "batch_size": 32, "n_jobs": 2}
    return ReplicatedSoftmax(6, **{**options, **changes})


def forget() -> None:
    """As in another process, which has not imported the module."""
    registry.LEARNERS.pop("two-levels", None)
    registry.OPTIMIZERS.pop("signs", None)


GIVEN = pytest.mark.parametrize(
    "given",
    [{}, {"learner": "two-levels", "optimizer": "signs"}, {"optimizer": "auto"}],
    ids=["objects", "names", "auto"],
)


@pytest.mark.usefixtures("known")
@GIVEN
def test_it_is_fitted_saved_and_loaded(
    given: dict[str, Any], counts: sparse.csr_array, tmp_path: Path
) -> None:
    model = make_model(max_epochs=30, **given).fit(counts)
    assert model.noise_level_ is None
    assert model.history_[-1].loss < model.history_[0].loss
    loaded = load(model.save(tmp_path / "model"))
    assert isinstance(loaded, ReplicatedSoftmax)
    assert (loaded.learner, loaded.optimizer) == (model.learner, model.optimizer)
    assert type(loaded.learner) is type(model.learner)
    assert loaded.noise_level_ is None
    np.testing.assert_array_equal(loaded.transform(counts), model.transform(counts))
    loaded.set_params(n_jobs=2).partial_fit(counts)  # it can go on


@pytest.mark.usefixtures("known")
def test_a_name_stands_for_its_options(counts: sparse.csr_array) -> None:
    named = make_model(learner="two-levels", optimizer="signs").fit(counts)
    given = make_model(learner=TwoLevels(), optimizer=Signs(rate=0.004)).fit(counts)
    assert named.components_.tobytes() == given.components_.tobytes()
    other = make_model(learner="two-levels", optimizer=Signs()).fit(counts)
    assert other.components_.tobytes() != given.components_.tobytes()


@pytest.mark.usefixtures("known")
def test_the_number_of_threads_changes_nothing(counts: sparse.csr_array) -> None:
    bits = {make_model(n_jobs=jobs).fit(counts).components_.tobytes() for jobs in (1, 3)}
    assert len(bits) == 1


def test_the_reference_computes_the_same(counts: sparse.csr_array) -> None:
    ours, theirs = (
        make_model(engine=engine, optimizer="adam", max_epochs=2).fit(counts)
        for engine in ("cpu", "reference")
    )
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=2e-4)


def test_one_that_is_not_registered_is_fitted_and_not_saved(
    counts: sparse.csr_array, tmp_path: Path
) -> None:
    model = make_model().fit(counts)
    assert model.transform(counts).shape[0] == 80
    with pytest.raises(InvalidInput, match=r"^TwoLevels must be registered before it is saved: "):
        model.save(tmp_path / "model")
    model.set_params(learner="cd")
    with pytest.raises(InvalidInput, match=r"^Signs must be registered before it is saved: "):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"optimizer": "auto"}, "TwoLevels"),
        ({"learner": "cd"}, "Signs"),
        ({"learner": "two-levels", "optimizer": "auto"}, "learner 'two-levels'"),
        ({"learner": "cd", "optimizer": "signs"}, "optimizer 'signs'"),
    ],
)
def test_a_model_is_not_loaded_where_it_is_not_registered(
    given: dict[str, Any], missing: str, counts: sparse.csr_array, tmp_path: Path
) -> None:
    path = make_model(**given).fit(counts).save(tmp_path / "model")
    forget()
    message = (
        f"{path} must hold settings that a ReplicatedSoftmax can use here, got others: {missing} "
        f"must be registered before it is loaded: import the module that defines it, with "
        f"undertow.learn.register_learner or register_optimizer above the class"
    )
    with pytest.raises(ModelFileError, match=f"^{re.escape(message)}$"):
        load(path)
    register_learner("two-levels")(TwoLevels)
    register_optimizer("signs")(Signs)
    load(path)


@pytest.mark.usefixtures("known")
def test_clones_and_searches_look_into_it(counts: sparse.csr_array) -> None:
    model = make_model()
    assert clone(model).get_params()["learner__levels"] == (0.2, 0.6)
    assert clone(model).learner == model.learner
    grid = {"learner__share": [0.0, 0.5], "optimizer__rate": [0.001, 0.003]}
    search = GridSearchCV(make_model(max_epochs=1), grid, cv=2).fit(counts)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    assert search.best_estimator_.learner.share == search.best_params_["learner__share"]
    assert search.best_estimator_.learner.levels == (0.2, 0.6)


def test_early_stopping_and_partial_fit_go_by_it(counts: sparse.csr_array) -> None:
    stopped = make_model(early_stopping=True, max_epochs=4, n_iter_no_change=1).fit(counts)
    assert stopped.history_[0].split_half is not None
    model = make_model().partial_fit(counts)
    assert int(model._run_state[OPTIMIZER + "count"]) == 3  # 80 documents in minibatches of 32
    model.add_words(5)
    wider = sparse.hstack([counts, sparse.csr_array((80, 5), dtype=counts.dtype)], format="csr")
    model.partial_fit(sparse.csr_array(wider))
    assert int(model._run_state[OPTIMIZER + "count"]) == 6
    assert model._run_state[OPTIMIZER + "means"].shape == (45, 6)
    again = make_model(warm_start=True).fit(counts)
    assert again.fit(counts).n_iter_ == 6


def _texts() -> Iterator[str]:
    for number in range(60):
        yield ("apple pear plum cake", "wheel brake gear engine")[number % 2]


@pytest.mark.usefixtures("known")
def test_a_topic_model_takes_it_and_is_saved(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"max_epochs": 2, "batch_size": 16, "random_state": 0}
    model = TopicModel(8, learner=TwoLevels(share=0.25), optimizer="signs", **asked)
    model.set_params(learner__levels=(0.1, 0.4))
    model.fit(_texts())
    path = model.save(tmp_path / "model")
    loaded = load(path)
    assert isinstance(loaded, TopicModel)
    assert loaded.learner == TwoLevels((0.1, 0.4), 0.25)
    assert loaded.optimizer == "signs"
    texts = list(_texts())
    np.testing.assert_array_equal(loaded.transform(texts), model.transform(texts))
    forget()
    with pytest.raises(ModelFileError, match="TwoLevels must be registered before it is loaded"):
        load(path)


@pytest.mark.parametrize(("name", "given"), [("adam", Adam()), ("sgd", SGD())])
def test_optimizers_of_ours_go_by_name(name: str, given: Any, counts: sparse.csr_array) -> None:
    asked: dict[str, Any] = {"learner": "alpha-nce", "max_epochs": 1}
    named, other = (make_model(optimizer=one, **asked).fit(counts) for one in (name, given))
    assert named.components_.tobytes() == other.components_.tobytes()
    texts = list(_texts())
    model = TopicModel(8, optimizer=name, max_epochs=1, random_state=0).fit(texts)
    assert model.softmax_.optimizer == name


def begin(counts: sparse.csr_array, settings: Settings) -> tuple[Run, CsrSource]:
    checked = checked_counts(counts)
    p, source = word_distribution(checked), CsrSource(checked)
    parameters = initial_parameters(6, p, np.ones(len(p)), 0)
    return Run(parameters, p, settings, documents=80, longest=source.longest, threads=2), source


@pytest.mark.usefixtures("known")
def test_a_run_is_saved_and_resumed_to_the_bit(counts: sparse.csr_array, tmp_path: Path) -> None:
    settings = Settings(TwoLevels(), Signs(), batch_size=16)
    run, source = begin(counts, settings)
    whole = train(run, source, epochs=2)

    def stop(run: Run) -> None:
        if run.steps == 7:
            save_run(tmp_path / "run", run)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(begin(counts, settings)[0], source, epochs=2, on_batch=stop)
    resumed = resume_run(tmp_path / "run", begin(counts, settings)[0])
    train(resumed, source, epochs=2)
    assert resumed.arrays().keys() == whole.arrays().keys()
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(resumed.arrays()[name], array, err_msg=name)
    other = Settings(TwoLevels(share=0.25), Signs(), batch_size=16)
    with pytest.raises(ModelFileError, match="differs in settings"):
        resume_run(tmp_path / "run", begin(counts, other)[0])


def test_a_run_of_one_that_is_not_registered_is_not_saved(
    counts: sparse.csr_array, tmp_path: Path
) -> None:
    run, _ = begin(counts, Settings(TwoLevels(), Signs()))
    with pytest.raises(InvalidInput, match=r"^TwoLevels must be registered before it is saved: "):
        save_run(tmp_path / "run", run)
    assert not list(tmp_path.iterdir())
