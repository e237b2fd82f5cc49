"""A model with another array, a second layer, goes wherever models go, without an edit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.fingerprints import digest
from tests.oracles.engine import make_case
from undertow._errors import InvalidInput, TrainingDiverged
from undertow.counts import CountBatch, CsrSource, checked_counts
from undertow.engines import Gradient, Place, Pressure, Session, find_engine
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    Corpus,
    Learner,
    Options,
    Run,
    Settings,
    Sparsity,
    register_learner,
    train,
)
from undertow.model import Parameters
from undertow.model.parameters import array_of
from undertow.storage import load_model, resume_run, save_model, save_run
from undertow.vectors import Measures, encode, sample_documents
from undertow.vectors.balance import plain_balance

TOPS = 4
CASE = make_case(words=12, documents=20, most_tokens=30)


@dataclass
class Deep(Parameters):
    """With a second layer."""

    deep_weights: NDArray[np.float32] = array_of("units", "tops")


def deep() -> Deep:
    """A model of the case with a second layer."""
    layer = np.random.default_rng(1).normal(0.0, 0.5, (CASE.parameters.units, TOPS))
    return Deep(**CASE.parameters.copy().arrays(), deep_weights=layer.astype(np.float32))


@dataclass(frozen=True)
class Pull(Options):
    """A toy: pulls the rows of words that occur, and the second layer, towards a number."""

    towards: float = 0.25

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> PullStep:
        return PullStep(self.towards, session)


class PullStep:
    """Half the squared distance, as a loss."""

    def __init__(self, towards: float, session: Session) -> None:
        self._towards, self._session = towards, session

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        now: Any = self._session.parameters
        words = np.unique(batch.words)
        rows, layer = now.weights[words] - self._towards, now.deep_weights - self._towards
        return self._session.gather(
            words,
            rows,
            {"deep_weights": layer},
            loss=float((rows**2).sum() + (layer**2).sum()) / 2.0,
            activity=np.full(now.units, 0.5),
        )


@pytest.fixture(autouse=True)
def known(own_tables: None) -> None:
    register_learner("pull")(Pull)


PULL = Pull()


def begin(engine: str, optimizer: Any, averaging: float = 0.9, learner: Learner = PULL) -> Run:
    settings = Settings(learner, optimizer, Sparsity(cost=0.0), averaging, batch_size=5)
    sizes = {"documents": len(CASE.counts), "longest": CASE.corpus.longest}
    return Run(deep(), CASE.p, settings, **sizes, engine=engine, threads=2)


def source() -> CsrSource:
    return CsrSource(checked_counts(CASE.counts))


OPTIMIZERS: dict[str, Any] = {
    "adam": Adam(learning_rate=0.05, l2=0.0),
    "adam per element": Adam(learning_rate=0.05, l2=0.0, moments="element"),
    "sgd": SGD(learning_rate=0.05),
}
both = pytest.mark.parametrize("engine", ["cpu", "reference"])
all_optimizers = pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)


@both
@all_optimizers
def test_it_is_learned_and_averaged(engine: str, optimizer: Any) -> None:
    run = begin(engine, optimizer)
    means = run.parameters.copy().learned()
    decay = [1.0 - 4.0 / (step + 3.0) for step in range(1, 13)]  # below .9 until step 37

    def follow(run: Run) -> None:
        stays = max(decay[run.steps - 1], 0.0)
        for name, array in run.parameters.learned().items():
            means[name] = stays * means[name] + (1.0 - stays) * array

    train(run, source(), epochs=3, on_batch=follow)
    assert run.steps == 12
    assert run.history[-1].loss < 0.6 * run.history[0].loss
    now, result = run.parameters, run.result()
    assert isinstance(now, Deep)
    assert isinstance(result, Deep)
    gap = np.abs(now.deep_weights - 0.25).mean()
    assert gap < 0.8 * np.abs(deep().deep_weights - 0.25).mean()
    for name, mean in means.items():
        np.testing.assert_allclose(getattr(result, name), mean, atol=1e-5, err_msg=name)


@all_optimizers
def test_engines_agree(optimizer: Any) -> None:
    ours, theirs = (
        train(begin(engine, optimizer), source(), epochs=2).result()
        for engine in ("cpu", "reference")
    )
    for name, array in theirs.arrays().items():
        np.testing.assert_allclose(getattr(ours, name), array, atol=2e-5, err_msg=name)


@both
@all_optimizers
def test_it_is_resumed_to_the_bit(engine: str, optimizer: Any, tmp_path: Path) -> None:
    whole = train(begin(engine, optimizer), source(), epochs=2)

    def stop(run: Run) -> None:
        if run.steps == 5:
            save_run(tmp_path / "run", run)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(begin(engine, optimizer), source(), epochs=2, on_batch=stop)
    resumed = resume_run(tmp_path / "run", begin(engine, optimizer))
    assert resumed.steps == 5
    train(resumed, source(), epochs=2)
    assert digest(resumed.result().arrays()) == digest(whole.result().arrays())


@both
def test_it_goes_on_in_a_later_run(engine: str) -> None:
    """As `partial_fit` goes on: parameters and what optimizers remember are carried over."""
    run = train(begin(engine, Adam()), source(), epochs=1)
    carried = run.carried_state()
    later = begin(engine, Adam())
    later.adopt(carried, epoch=1)
    for name in ("parameters.deep_weights", "average.deep_weights"):
        np.testing.assert_array_equal(later.arrays()[name], carried[name])
    moments = later.arrays()["optimizer.deep_weights_moments"]
    assert moments.shape == (CASE.parameters.units, TOPS)
    assert moments.all()


@both
def test_it_is_checked_for_finiteness(engine: str) -> None:
    run = begin(engine, SGD(learning_rate=0.05), averaging=0.0)

    def spoil(run: Run) -> None:
        if run.steps < 4:
            return
        name = "parameters.deep_weights"
        run.session.restore({name: np.full_like(run.session.arrays()[name], np.nan)})

    with pytest.raises(
        TrainingDiverged, match=r"^deep_weights is not finite, or beyond 1e\+12, after epoch 1"
    ):
        train(run, source(), epochs=1, on_batch=spoil)


@both
@pytest.mark.parametrize("learner", [AlphaNCE(), ContrastiveDivergence(words="exact")], ids=str)
def test_learners_that_know_nothing_of_it_leave_it_alone(engine: str, learner: Any) -> None:
    run = begin(engine, Adam(), learner=learner)
    result = train(run, source(), epochs=1).result()
    assert isinstance(result, Deep)
    np.testing.assert_allclose(result.deep_weights, deep().deep_weights, rtol=1e-6)
    assert np.abs(result.weights - deep().weights).max() > 1e-3


@both
def test_it_encodes_and_samples(engine: str) -> None:
    made = find_engine(engine)
    plain = CASE.parameters
    balance = plain_balance(3, 11.0, np.zeros((12, 0), dtype=np.float32))
    measures = Measures(11.0, balance)
    for kind in ("posterior", "strength"):
        ours, theirs = (
            encode(kind, one, CASE.batch(), measures, engine=made) for one in (deep(), plain)
        )
        np.testing.assert_array_equal(ours, theirs)
    drawn, expected = (
        sample_documents(one, [3, 7], n_steps=2, seed=1, engine=made) for one in (deep(), plain)
    )
    np.testing.assert_array_equal(drawn.words, expected.words)


def test_it_is_stored_copied_and_fingerprinted(tmp_path: Path) -> None:
    ours = deep()
    loaded = load_model(save_model(tmp_path / "model", ours)).parameters
    assert isinstance(loaded, Deep)
    copied = ours.copy()
    assert digest(loaded.arrays()) == digest(copied.arrays()) == digest(ours.arrays())
    copied.deep_weights[0, 0] += 1.0
    assert digest(copied.arrays()) != digest(ours.arrays())


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^deep_weights must have shape \(3, 5\) to fit"):
        replace(deep(), deep_weights=np.zeros((4, 5), dtype=np.float32))
    spoilt = deep()
    spoilt.deep_weights[0, 0] = np.inf
    with pytest.raises(InvalidInput, match=r"^deep_weights must be finite, got inf"):
        save_model(tmp_path / "model", spoilt)
