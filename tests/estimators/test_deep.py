"""The estimator of two layers: what it says of documents, against sums over everything; files,
options and errors.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

import undertow
from tests.oracles.two_layers import Whole, deep_model
from tests.storage.helpers import edit_header
from undertow import DeepReplicatedSoftmax, ReplicatedSoftmax
from undertow._errors import InvalidInput, ModelFileError, TrainingDiverged
from undertow.learn import Adam, ContrastiveDivergence, DeepDivergence
from undertow.model import TwoLayers, latent_words_of
from undertow.storage import load_model, save_model, write_folder
from undertow.vectors.encoding import VECTOR_KINDS

CLOSE = 1e-11
SINGLE = 2e-5  # what units receive is in single precision; sums of a few terms of order one
QUICK: dict[str, Any] = {"n_latent_words": 6, "max_epochs": 3, "batch_size": 32, "random_state": 0}


def made_up(documents: int = 150, words: int = 40) -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(words, 0.1), 3)
    lengths = rng.integers(1, 30, documents)
    return np.array(
        [rng.multinomial(n, topics[row % 3]) for row, n in enumerate(lengths)], dtype=np.int64
    )


COUNTS = made_up()


def new(**options: Any) -> DeepReplicatedSoftmax:
    return DeepReplicatedSoftmax(5, **(QUICK | options))


@pytest.fixture(scope="module")
def model() -> DeepReplicatedSoftmax:
    return new().fit(COUNTS)


def holding(parameters: TwoLayers) -> DeepReplicatedSoftmax:
    """An estimator whose parameters are known."""
    counts = np.eye(parameters.words, dtype=np.int64) + 1
    made = DeepReplicatedSoftmax(
        parameters.units,
        n_latent_words=latent_words_of(parameters),
        count_transform=None,
        max_epochs=1,
    ).fit(counts)
    made.parameters_ = parameters
    return made


# How likely documents are


@pytest.mark.parametrize("weighted", [False, True])
def test_log_likelihood_is_that_of_every_sequence(weighted: bool) -> None:
    whole = Whole(deep_model(units=3, weighted=weighted), 3)
    found = holding(whole.parameters).log_likelihood(whole.counts)
    np.testing.assert_allclose(found, whole.log_sums - whole.log_z, rtol=0, atol=CLOSE)
    assert np.exp(found).sum() == pytest.approx(1.0, abs=CLOSE)


def test_mean_field_bounds_and_annealing_comes_nearer() -> None:
    """log Z by annealing is off by less than a hundredth here, and is the same for all three."""
    whole = Whole(deep_model(units=3, latent=4, seed=2), 2)
    made = holding(whole.parameters)
    asked: dict[str, Any] = {"method": "annealing", "n_temperatures": 400, "random_state": 0}
    bound = made.log_likelihood(whole.counts, **asked)
    annealed = made.log_likelihood(whole.counts, inference="annealing", **asked)
    exact = made.log_likelihood(whole.counts)
    assert (bound < exact + 0.01).all()
    assert np.abs(annealed - exact).mean() < 0.5 * np.abs(bound - exact).mean()
    high = made.perplexity(whole.counts, **asked)
    best = made.perplexity(whole.counts, inference="annealing", **asked)
    truth = made.perplexity(whole.counts)
    assert high.value > best.value > 0.99 * truth.value
    assert truth.exact
    assert not high.exact
    assert high.calibrated is True


def test_empty_documents_are_certain_and_left_out() -> None:
    whole = Whole(deep_model(), 2)
    made = holding(whole.parameters)
    counts = np.array([[0, 0, 0], [1, 0, 1], [2, 3, 1]])
    found = made.log_likelihood(counts)
    assert found[0] == 0.0
    assert (found[1:] < 0.0).all()
    judged = made.perplexity(counts)
    assert judged.documents == 2
    each = found[1:] / np.array([2, 6])
    assert judged.value == pytest.approx(np.exp(-each.mean()), rel=1e-12)


def test_free_energies_are_those_of_the_bound() -> None:
    whole = Whole(deep_model(), 3)
    energies = holding(whole.parameters).free_energy(whole.counts)
    assert (energies > -whole.log_sums).all()


def test_samples_have_the_lengths_asked_for(model: DeepReplicatedSoftmax) -> None:
    drawn = model.sample([4, 1, 9], random_state=0)
    assert drawn.sum(axis=1).tolist() == [4, 1, 9]
    again = model.sample([4, 1, 9], random_state=0)
    np.testing.assert_array_equal(drawn.toarray(), again.toarray())


# Vectors


def test_vectors_of_every_kind(model: DeepReplicatedSoftmax) -> None:
    for kind in VECTOR_KINDS:
        found = model.encode(COUNTS, kind)
        assert len(found) == len(COUNTS)
        assert np.isfinite(found).all()
    assert model.transform(COUNTS).shape == (len(COUNTS), model.balance_.width)


def test_posteriors_are_the_mean_field_of_completed_documents() -> None:
    """At the fixed point, up to what mean field leaves: a document completed by hand with its
    expected latent words has the same posteriors in one layer.
    """
    whole = Whole(deep_model(units=3, latent=5, seed=4), 3)
    on = holding(whole.parameters).encode(whole.counts, "posterior").astype(np.float64)
    W, a, b = (
        getattr(whole.parameters, name).astype(np.float64)
        for name in ("weights", "hidden_bias", "visible_bias")
    )
    shares = np.exp(on @ W.T + b)
    shares /= shares.sum(axis=1, keepdims=True)
    again = 1 / (1 + np.exp(-((whole.counts + 5 * shares) @ W + 8 * a)))
    np.testing.assert_allclose(on, again, rtol=0, atol=2e-4)


def test_a_document_alone_and_among_others(model: DeepReplicatedSoftmax) -> None:
    together = model.transform(COUNTS)
    for row in (0, 77, 149):
        alone = model.transform(COUNTS[row : row + 1])
        np.testing.assert_allclose(alone[0], together[row], rtol=0, atol=SINGLE)


def test_units_and_what_words_say_to_them(model: DeepReplicatedSoftmax) -> None:
    assert len(model.units(3)) == 5
    W, a = model.parameters_.weights, model.parameters_.hidden_bias
    given = np.ceil(np.log1p(COUNTS))
    rows = model.attribute(COUNTS, 2).sum(axis=1)
    np.testing.assert_allclose(rows, given @ (W[:, 2] + a[2]), rtol=0, atol=1e-4)


# Learning


def test_the_same_bits_for_any_number_of_threads() -> None:
    one, two = (new(n_jobs=jobs, features="posterior").fit(COUNTS) for jobs in (1, 2))
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.transform(COUNTS), two.transform(COUNTS))
    other = new(n_jobs=1, random_state=1).fit(COUNTS)
    assert (one.components_ != other.components_).any()


def test_learning_makes_documents_likelier() -> None:
    """Exactly: five units are few."""
    options = {"max_epochs": 60, "optimizer": Adam(0.01, hidden_bias_rate=1.0, l2=0.0)}
    found = new(**options).fit(COUNTS).perplexity(COUNTS)
    assert found.exact
    assert found.value < 0.8 * found.unigram


def test_going_on_keeps_latent_words() -> None:
    made = new(max_epochs=2).fit(COUNTS)
    made.partial_fit(COUNTS[:50])
    assert made.n_iter_ == 3
    made.set_params(warm_start=True).fit(COUNTS)
    assert made.n_iter_ == 5
    assert latent_words_of(made.parameters_) == 6
    assert made.add_words(2).n_features_in_ == 42
    assert latent_words_of(made.parameters_) == 6


def test_early_stopping_and_other_engines() -> None:
    stopped = new(early_stopping=True, n_iter_no_change=1).fit(COUNTS)
    assert 1 <= stopped.n_iter_ <= 3
    reference = new(engine="reference", max_epochs=1).fit(COUNTS)
    cpu = new(max_epochs=1).fit(COUNTS)
    np.testing.assert_allclose(reference.components_, cpu.components_, rtol=0, atol=1e-3)


def test_a_bar_and_callbacks(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []
    new(verbose=1, callbacks=[lambda model, record: seen.append(record.epoch)]).fit(COUNTS)
    assert seen == [0, 1, 2]
    assert "epoch 3/3" in capsys.readouterr().out


def test_with_word_weights_it_is_not_calibrated() -> None:
    weighted = new(weighting="idf").fit(COUNTS)
    assert weighted.calibrated_ is False
    assert new().fit(COUNTS).calibrated_ is True
    assert np.isfinite(weighted.transform(COUNTS)).all()


def test_a_run_that_diverges_says_so() -> None:
    with pytest.raises(TrainingDiverged):
        new(optimizer=Adam(1e30)).fit(COUNTS)


# Options


def test_options_go_through_scikit_learn() -> None:
    made = new(learner=DeepDivergence(passes=3))
    copy = clone(made).set_params(learner__pretraining=0.25, n_latent_words=9)
    assert copy.learner == DeepDivergence(passes=3, pretraining=0.25)
    assert made.learner == DeepDivergence(passes=3)
    assert copy.get_params()["n_latent_words"] == 9
    assert new().set_params(learner__n_steps=2).learner == DeepDivergence(n_steps=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_latent_words": 0}, "n_latent_words must be a whole number of at least 1, got 0"),
        ({"n_latent_words": 2.5}, "n_latent_words must be a whole number of at least 1, got 2.5"),
        (
            {"n_latent_words": 10**7},
            "latent_words must be a whole number from 1 to 1,000,000, got 10000000.0",
        ),
        (
            {"learner": "cd"},
            "learner must be one of 'deep-pcd', 'deep-cd', or a DeepDivergence, got 'cd'",
        ),
        (
            {"learner": ContrastiveDivergence()},
            "learner must be one of 'deep-pcd', 'deep-cd', or a DeepDivergence, got "
            f"{ContrastiveDivergence()!r}",
        ),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        new(**options).fit(COUNTS)


def test_questions_are_checked(model: DeepReplicatedSoftmax) -> None:
    for ask in (model.log_likelihood, model.perplexity):
        with pytest.raises(InvalidInput, match=r"^inference must be one of 'mean-field', 'anneal"):
            ask(COUNTS, inference="exact")
        with pytest.raises(InvalidInput, match=r"^method must be one of"):
            ask(COUNTS, method="best")
    with pytest.raises(InvalidInput, match=r"^X must hold a document with a word"):
        model.perplexity(COUNTS[:1] * 0)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.transform(COUNTS[:, :3])


def test_one_layer_has_no_deep_learner() -> None:
    message = "learner must be one for a model without latent words, got DeepDivergence"
    with pytest.raises(InvalidInput, match=f"^{message}"):
        ReplicatedSoftmax(3, learner="deep-pcd", max_epochs=1).fit(COUNTS)


# Files


def test_it_comes_back_as_it_was(model: DeepReplicatedSoftmax, tmp_path: Path) -> None:
    loaded = undertow.load(model.save(tmp_path / "deep"))
    assert type(loaded) is DeepReplicatedSoftmax
    assert loaded.get_params() == model.get_params()
    for kind in VECTOR_KINDS:
        np.testing.assert_array_equal(loaded.encode(COUNTS, kind), model.encode(COUNTS, kind))
    np.testing.assert_array_equal(loaded.log_likelihood(COUNTS), model.log_likelihood(COUNTS))
    loaded.partial_fit(COUNTS)
    again = undertow.load(model.save(tmp_path / "deep", overwrite=True))
    assert latent_words_of(again.parameters_) == 6


def test_other_kinds_are_refused(model: DeepReplicatedSoftmax, tmp_path: Path) -> None:
    one = ReplicatedSoftmax(3, max_epochs=1).fit(COUNTS).save(tmp_path / "one")
    two = model.save(tmp_path / "two")
    for kind, folder, wanted in (
        (DeepReplicatedSoftmax, one, "latent words"),
        (ReplicatedSoftmax, two, "no latent words"),
        (undertow.TopicModel, two, ""),
    ):
        with pytest.raises(ModelFileError, match=f"must hold .*{wanted}"):
            kind.from_stored(load_model(folder), folder)


@pytest.mark.parametrize("number", [0.0, -1.0, 2.5, 2e6, np.nan, np.inf])
def test_latent_words_of_a_strangers_file(tmp_path: Path, number: float) -> None:
    arrays = dict(deep_model().arrays())
    arrays["latent_words"] = np.array(number, dtype=np.float32)
    manifest: dict[str, Any] = {"training": {}, "vocabulary": None}
    folder = write_folder(
        tmp_path / "x", kind="replicated-softmax", manifest=manifest, arrays=arrays
    )
    with pytest.raises(ModelFileError, match="must hold a sound model: latent_words must"):
        undertow.load(folder)


@pytest.mark.parametrize(
    "array", [np.ones(1, np.float32), np.ones((2, 2), np.float32), np.array(3.0)]
)
def test_latent_words_of_another_form(tmp_path: Path, array: NDArray[Any]) -> None:
    arrays = {**deep_model().arrays(), "latent_words": array}
    manifest: dict[str, Any] = {"training": {}, "vocabulary": None}
    folder = write_folder(
        tmp_path / "x", kind="replicated-softmax", manifest=manifest, arrays=arrays
    )
    with pytest.raises(ModelFileError, match="must hold a sound model: latent_words must"):
        undertow.load(folder)


def test_settings_of_a_strangers_file(tmp_path: Path, model: DeepReplicatedSoftmax) -> None:
    """What the arrays say counts; a learner that is not for two layers is refused when used."""
    folder = model.save(tmp_path / "deep")

    def lie(header: Any) -> None:
        header["manifest"]["training"]["estimator"]["n_latent_words"] = 10**9

    edit_header(folder, lie)
    assert undertow.load(folder).get_params()["n_latent_words"] == 6
    edit_header(folder, lambda header: header["manifest"]["training"]["estimator"].pop("features"))
    assert undertow.load(folder).get_params()["features"] == "balanced"


def test_parameters_alone_are_a_model(tmp_path: Path) -> None:
    loaded = undertow.load(save_model(tmp_path / "bare", deep_model(latent=7)))
    assert isinstance(loaded, DeepReplicatedSoftmax)
    assert loaded.n_latent_words == 7
    assert loaded.transform(sparse.csr_array(np.eye(3, dtype=np.int64))).shape == (3, 2)
