"""The same bits for any number of threads, and for a run that was stopped and resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from tests.oracles.subjects import corpus, halves, untrained
from tests.oracles.two_layers import with_latent
from undertow.counts import CsrSource, checked_counts, idf_weights, word_distribution
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    DeepDivergence,
    Learner,
    MetropolisDivergence,
    Optimizer,
    RatioMatching,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.model import initial_parameters
from undertow.storage import resume_run, save_run
from undertow.topics.stored_atlas import arrays_of, plain

LEARNERS: dict[str, Learner] = {
    "alpha-nce": AlphaNCE(stream_length=256),
    "alpha-nce, independent": AlphaNCE(n_noise=3, noise="independent"),
    "alpha-nce, all learned": AlphaNCE(
        stream_length=256, visible_bias="learned", normaliser="learned"
    ),
    "alpha-nce, a level per document": AlphaNCE(stream_length=256, noise_level=(0.3, 0.9)),
    "nce": AlphaNCE(noise_level=0.0, uniform=False, sharpness=1.0, stream_length=256),
    "cd": ContrastiveDivergence(n_steps=2),
    "pcd": ContrastiveDivergence(persistent=True),
    "mh-cd": MetropolisDivergence(n_steps=2),
    "ratio matching": RatioMatching(),
    "ratio matching, b frozen": RatioMatching(5, "uniform", "frozen"),
    "two layers": DeepDivergence(2),
    "two layers, mean field": DeepDivergence(
        1, persistent=False, latent="mean-field", passes=2, pretraining=0.5
    ),
}
OPTIMIZERS: dict[str, Optimizer] = {
    "adam": Adam(),
    "adam per element": Adam(moments="element", momentum=0.9),
    "sgd": SGD(),
}


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    generator = np.random.default_rng(3)
    popularity = 1.0 / np.arange(1, 301)
    rows = [
        generator.multinomial(n, popularity / popularity.sum())
        for n in generator.integers(1, 80, 400)
    ]
    return checked_counts(np.array(rows))


def begin(counts: sparse.csr_array, settings: Settings, threads: int) -> tuple[Run, CsrSource]:
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(70, p, weights, settings.seed)
    if isinstance(settings.learner, DeepDivergence):
        parameters = with_latent(parameters, 20)
    run = Run(
        parameters, p, settings, documents=counts.shape[0], longest=source.longest, threads=threads
    )
    return run, source


def make_settings(learner: Learner, optimizer: str = "adam", replicas: int = 1) -> Settings:
    return Settings(
        learner=learner,
        optimizer=OPTIMIZERS[optimizer],
        sparsity=Sparsity(0.1, 0.5),
        averaging=0.9,
        batch_size=70,  # three shards, and a last minibatch of two
        planned_steps=30,
        seed=2**40 + 5,
        replicas=replicas,
        interval=2 if replicas == 2 else 1,  # six minibatches: two meetings an epoch
    )


def assert_same(first: Run, second: Run) -> None:
    one, other = first.arrays(), second.arrays()
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    for mine, theirs in zip(first.history, second.history, strict=True):
        assert (mine.loss, mine.activity, mine.dead_units) == (
            theirs.loss,
            theirs.activity,
            theirs.dead_units,
        )
    np.testing.assert_array_equal(first.result().weights, second.result().weights)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_any_number_of_threads_gives_the_same_bits(
    counts: sparse.csr_array, name: str, threads: int
) -> None:
    settings = make_settings(LEARNERS[name])
    alone, source = begin(counts, settings, 1)
    together, _ = begin(counts, settings, threads)
    assert_same(train(alone, source, epochs=2), train(together, source, epochs=2))


class _Stop(Exception):
    pass


@pytest.mark.parametrize(
    ("name", "optimizer"),
    [(name, "adam") for name in LEARNERS]
    + [("alpha-nce", "adam per element"), ("cd", "sgd"), ("alpha-nce", "sgd")],
)
def test_stopped_and_resumed_gives_the_same_bits(
    counts: sparse.csr_array, name: str, optimizer: str, tmp_path: Path
) -> None:
    settings = make_settings(LEARNERS[name], optimizer)
    whole, source = begin(counts, settings, 1)
    train(whole, source, epochs=3)

    def stop(run: Run) -> None:
        if run.steps == 10:  # in the middle of the second epoch
            save_run(tmp_path / "run", run)
            raise _Stop

    stopped, _ = begin(counts, settings, 2)
    with pytest.raises(_Stop):
        train(stopped, source, epochs=3, on_batch=stop)
    resumed = resume_run(tmp_path / "run", begin(counts, settings, 1)[0])
    assert (resumed.epoch, resumed.batch) == (1, 4)
    assert_same(whole, train(resumed, source, epochs=3))


REPLICAS = [(name, "adam") for name in LEARNERS if name not in ("pcd", "two layers")]
REPLICAS += [("alpha-nce", "adam per element"), ("cd", "sgd"), ("alpha-nce", "sgd")]
several = pytest.mark.parametrize("replicas", [2, 3])


@several
@pytest.mark.parametrize(("name", "optimizer"), REPLICAS)
def test_replicas_on_any_number_of_threads_give_the_same_bits(
    counts: sparse.csr_array, name: str, optimizer: str, replicas: int
) -> None:
    settings = make_settings(LEARNERS[name], optimizer, replicas)
    for threads in (2, 5):
        alone, source = begin(counts, settings, 1)
        together, _ = begin(counts, settings, threads)
        assert_same(train(alone, source, epochs=2), train(together, source, epochs=2))


@several
@pytest.mark.parametrize(("name", "optimizer"), REPLICAS)
def test_replicas_stopped_and_resumed_give_the_same_bits(
    counts: sparse.csr_array, name: str, optimizer: str, replicas: int, tmp_path: Path
) -> None:
    settings = make_settings(LEARNERS[name], optimizer, replicas)
    whole, source = begin(counts, settings, 1)
    train(whole, source, epochs=3)

    def stop(run: Run) -> None:
        if (run.epoch, run.batch) == (1, settings.interval * replicas):  # in the middle of it
            save_run(tmp_path / "run", run)
            raise _Stop

    stopped, _ = begin(counts, settings, 2)
    with pytest.raises(_Stop):
        train(stopped, source, epochs=3, on_batch=stop)
    resumed = resume_run(tmp_path / "run", begin(counts, settings, 1)[0])
    assert (resumed.epoch, resumed.batch) == (1, settings.interval * replicas)
    assert_same(whole, train(resumed, source, epochs=3))


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_topics(threads: int) -> None:
    alone, together = (untrained(n_jobs=count).fit(corpus()) for count in (1, threads))
    ours, theirs = (arrays_of(model.atlas_) for model in (alone, together))
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    assert plain(alone.atlas_, alone.words()) == plain(together.atlas_, together.words())
    texts = halves("sport", "politics", 20)
    np.testing.assert_array_equal(
        alone.transform_topics(texts, 9), together.transform_topics(texts, 9)
    )


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_takes_new_documents_in_alike(threads: int) -> None:
    new = pl.concat([corpus(documents=40, seed=4), corpus(("space",), 40, seed=5)])
    alone, together = (untrained(n_jobs=count).fit(corpus(documents=120)) for count in (1, threads))
    ours, theirs = (arrays_of(model.partial_fit(new).atlas_) for model in (alone, together))
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    assert alone.drift_ == together.drift_


def test_another_seed_gives_other_bits(counts: sparse.csr_array) -> None:
    runs = []
    for seed in (0, 1):
        run, source = begin(counts, Settings(learner=AlphaNCE(stream_length=256), seed=seed), 1)
        runs.append(train(run, source, epochs=1).parameters.weights)
    assert not np.array_equal(runs[0], runs[1])


def test_a_run_with_other_settings_is_not_resumed(counts: sparse.csr_array, tmp_path: Path) -> None:
    run, _ = begin(counts, make_settings(LEARNERS["cd"]), 1)
    save_run(tmp_path / "run", run)
    for settings in (
        make_settings(LEARNERS["alpha-nce"]),
        make_settings(LEARNERS["cd"], replicas=2),
    ):
        other, _ = begin(counts, settings, 1)
        with pytest.raises(ValueError, match="holds a run that differs in settings"):
            resume_run(tmp_path / "run", other)
