"""A `TopicModel` whose vectors are joined with those of another encoder."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import undertow
from tests.oracles.subjects import fitted
from undertow import InvalidInput, ModelFileError, ReplicatedSoftmax, TopicModel
from undertow.estimators import _documents
from undertow.storage import load_model
from undertow.topics import text_sample
from undertow.vectors.joining import join, unit

WIDTH = 4
TEXTS: list[str] = fitted().table["text"].to_list()
GROUPS = np.arange(len(TEXTS)) % WIDTH  # what the other encoder sees, and words do not
VECTORS = (
    np.eye(WIDTH)[GROUPS] * 7.0 + np.random.default_rng(0).normal(size=(len(TEXTS), WIDTH)) / 10
)
EPS = float(np.finfo(np.float32).eps)


def new(features: Any = "strength") -> TopicModel:
    return TopicModel(16, max_epochs=3, features=features, random_state=0)


@cache
def _joined() -> TopicModel:
    return new().fit(TEXTS, vectors=VECTORS)


@pytest.fixture
def model() -> TopicModel:
    return copy.deepcopy(_joined())


def largest(shares: NDArray[np.float32]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = shares.argmax(axis=1)
    return found


# Fitting


def test_topics_are_regions_of_joined_vectors(model: TopicModel) -> None:
    assert model.vectors_width_ == WIDTH
    assert model.atlas_.routes.shape[1] == 16 + WIDTH
    groups = largest(model.transform_topics(TEXTS, WIDTH, vectors=VECTORS))
    own = largest(new().fit(TEXTS).transform_topics(TEXTS, WIDTH))
    agree = [
        [(groups[one == GROUPS] == topic).mean() for topic in range(WIDTH)] for one in range(WIDTH)
    ]
    assert (
        min(max(row) for row in agree) > 0.9
    )  # words say nothing of these groups, so it is the vectors
    alone = [
        [(own[one == GROUPS] == topic).mean() for topic in range(WIDTH)] for one in range(WIDTH)
    ]
    assert min(max(row) for row in alone) < 0.9


def test_training_does_not_see_them(model: TopicModel) -> None:
    np.testing.assert_array_equal(model.softmax_.components_, new().fit(TEXTS).softmax_.components_)


def test_units_of_topics_are_units(model: TopicModel) -> None:
    for topic in model.topics(WIDTH):
        assert topic.units
        assert all(0 <= one.id < 16 for one in topic.units)


def test_texts_may_come_as_a_stream_and_vectors_from_a_file(
    tmp_path: Path, model: TopicModel
) -> None:
    np.save(tmp_path / "v.npy", VECTORS)
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    found = new().fit((text for text in TEXTS), vectors=mapped)
    assert found.topics() == model.topics()


@pytest.mark.parametrize("memory", ["1GiB", 0])
def test_rows_of_a_sample_are_those_of_its_texts(
    monkeypatch: pytest.MonkeyPatch, memory: Any, tmp_path: Path
) -> None:
    most = 120  # of 300 documents; all others are counted in blocks
    monkeypatch.setattr(
        text_sample.TextSample,
        "__init__",
        lambda self: self.__dict__.update(most=most) or self.__post_init__(),
    )
    monkeypatch.setattr(
        "undertow.estimators._tree.sampled_rows",
        lambda documents: text_sample.sampled_rows(documents, most),
    )
    monkeypatch.setattr(_documents, "ROWS", 37)
    seen: list[tuple[NDArray[Any], NDArray[Any]]] = []
    whole = TopicModel._unit_vectors

    def noted(self: TopicModel, damped: Any, others: Any = None) -> Any:
        seen.append((np.asarray(damped.sum(axis=1)).ravel(), others))
        return whole(self, damped, others)

    monkeypatch.setattr(TopicModel, "_unit_vectors", noted)
    found = (
        new().set_params(memory_limit=memory, scratch_folder=tmp_path).fit(TEXTS, vectors=VECTORS)
    )
    assert bool(found.reading_.scratch_bytes) == (memory == 0)
    np.testing.assert_array_equal(seen[0][1], VECTORS[text_sample.sampled_rows(len(TEXTS), most)])
    np.testing.assert_array_equal(np.concatenate([others for _, others in seen[1:]]), VECTORS)
    assert found.atlas_.documents == found.atlas_.sizes.sum() == len(TEXTS)


def test_fitting_again_without_forgets_them(model: TopicModel) -> None:
    assert model.fit(TEXTS[:60]).vectors_width_ == 0
    assert model.transform(TEXTS[:2]).shape == (2, 16)


# Vectors


def test_what_is_compared_is_joined(model: TopicModel) -> None:
    found = model.transform(TEXTS, vectors=VECTORS)
    own = model.softmax_.encode(model.counts(TEXTS), "strength")
    assert found.shape == (len(TEXTS), 16 + WIDTH)
    np.testing.assert_allclose(found, join(own, VECTORS), atol=4 * EPS)
    np.testing.assert_array_equal(model.encode(TEXTS, "strength", vectors=VECTORS.tolist()), found)
    assert len(model.get_feature_names_out()) == model._n_features_out == found.shape[1]
    assert (
        model.set_output(transform="pandas").transform(TEXTS, vectors=VECTORS).shape == found.shape
    )


@pytest.mark.parametrize("kind", ["posterior", "soft", "activation", "code"])
def test_other_kinds_stay_the_models_own(model: TopicModel, kind: str) -> None:
    own = model.softmax_.encode(model.counts(TEXTS[:5]), kind)
    np.testing.assert_array_equal(model.encode(TEXTS[:5], kind), own)
    with pytest.raises(
        InvalidInput, match="left out unless the kind is 'balanced' or 'strength', got some"
    ):
        model.encode(TEXTS[:5], kind, vectors=VECTORS[:5])


def test_fit_transform_gives_what_transform_gives(model: TopicModel) -> None:
    found = new().fit_transform((text for text in TEXTS), vectors=VECTORS)
    np.testing.assert_array_equal(found, model.transform(TEXTS, vectors=VECTORS))
    posteriors = new("posterior")
    assert posteriors.fit_transform(TEXTS, vectors=VECTORS).shape == (len(TEXTS), 16)
    assert posteriors._n_features_out == 16


@pytest.mark.parametrize("kind", ["balanced", "strength"])
def test_a_text_without_a_side_has_zeros_there(model: TopicModel, kind: str) -> None:
    vectors = [VECTORS[0], np.zeros(WIDTH), np.zeros(WIDTH)]
    found = model.encode(["qqqq", TEXTS[0], "qqqq"], kind, vectors=vectors)
    own = found.shape[1] - WIDTH
    assert own == (model.softmax_.balance_.width if kind == "balanced" else 16)
    assert not found[0, :own].any()
    assert found[0, own:].any()
    assert found[1, :own].any()
    assert not found[1, own:].any()
    assert not found[2].any()
    shares = model.transform_topics(["qqqq", "qqqq"], WIDTH, vectors=[np.zeros(WIDTH)] * 2)
    assert not shares.any()


# Topics


def test_shares_go_by_both_sides(model: TopicModel) -> None:
    found = model.transform_topics(TEXTS, WIDTH, vectors=VECTORS)
    vectors = unit(model.transform(TEXTS, vectors=VECTORS))
    np.testing.assert_allclose(
        found, model.atlas_.shares(vectors, model.atlas_.cut(WIDTH)), atol=1e-4
    )
    first = model.document_topics(TEXTS[:3], WIDTH, vectors=VECTORS[:3])
    ids = model.atlas_.cut(WIDTH)
    assert [one.topics[0].id for one in first] == [ids[place] for place in largest(found[:3])]


def test_shares_are_the_same_chunk_by_chunk(model: TopicModel) -> None:
    whole = model.transform_topics(TEXTS, WIDTH, vectors=VECTORS)
    model.vectorizer_.set_params(chunk_size=70)
    np.testing.assert_array_equal(model.transform_topics(TEXTS, WIDTH, vectors=VECTORS), whole)


def test_words_of_a_text_explain_the_own_side(model: TopicModel) -> None:
    topic = model.atlas_.cut(WIDTH)[0]
    direction = unit(model.atlas_.directions([topic])[:, :16])[0]
    own = unit(model.softmax_.encode(model.counts(TEXTS[:9]), "strength"))
    parts = model.explain_topic(TEXTS[:9], topic)
    np.testing.assert_allclose(np.asarray(parts.sum(axis=1)).ravel(), own @ direction, atol=1e-5)


def test_examples_of_a_seed_need_no_vectors(model: TopicModel) -> None:
    assert model.seed_topic("mine", documents=TEXTS[:3]) is not None


def test_growing_anew_joins_and_parts(model: TopicModel) -> None:
    plain = new().fit(TEXTS)
    plain.grow_topics(TEXTS, vectors=VECTORS)
    assert plain.vectors_width_ == WIDTH
    assert [one.words for one in plain.topics()] == [one.words for one in model.topics()]
    plain.grow_topics(TEXTS)
    assert plain.vectors_width_ == 0
    assert plain.topics() == new().fit(TEXTS).topics()
    with pytest.raises(InvalidInput, match="a row for each document, 300, got 299"):
        plain.grow_topics(TEXTS, vectors=VECTORS[1:])
    assert plain.vectors_width_ == 0


def test_new_documents_bring_theirs(model: TopicModel) -> None:
    names = list(model.topic_names())
    model.partial_fit(TEXTS[:50], vectors=VECTORS[:50])
    assert model.drift_ is not None
    assert model.drift_.documents == 50
    assert set(names) <= set(model.topic_names())
    assert model.atlas_.documents == len(TEXTS) + 50
    first = new().partial_fit(TEXTS[:80], vectors=VECTORS[:80])
    assert first.vectors_width_ == WIDTH
    with pytest.raises(InvalidInput, match="a row for each document, 80, got 300"):
        new().partial_fit(TEXTS[:80], vectors=VECTORS)


def test_wrong_vectors_leave_a_fitted_model_as_it_was(model: TopicModel) -> None:
    words = model.words()
    with pytest.raises(InvalidInput, match="a row for each document, 1, got 3"):
        model.partial_fit(["a wholly new wordxyz"], vectors=VECTORS[:3])
    assert model.words() == words


# Errors


def calls(vectors: Any) -> Iterator[Callable[[TopicModel], object]]:
    yield lambda model: model.transform(TEXTS[:3], vectors=vectors)
    yield lambda model: model.encode(TEXTS[:3], "strength", vectors=vectors)
    yield lambda model: model.transform_topics(TEXTS[:3], vectors=vectors)
    yield lambda model: model.document_topics(TEXTS[:3], vectors=vectors)
    yield lambda model: model.partial_fit(TEXTS[:3], vectors=vectors)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (
            None,
            "vectors must be given, 4 numbers for each text, as the model was fitted with some, "
            "got none",
        ),
        (VECTORS[:2], "vectors must have a row for each document, (at least )?3, got 2 rows"),
        (VECTORS[:4], "vectors must have a row for each document, 3, got 4 rows"),
        (VECTORS[:3, :2], "vectors must have 4 numbers a row, as the model has, got 2"),
        (VECTORS[0], r"vectors must have two dimensions, documents x numbers, got shape \(4,\)"),
        (np.full((3, WIDTH), np.nan), "vectors must be finite, got nan in row 0"),
    ],
)
def test_vectors_that_do_not_fit_are_said(model: TopicModel, vectors: Any, message: str) -> None:
    for call in calls(vectors):
        with pytest.raises(InvalidInput, match=message):
            call(model)


def test_a_model_without_takes_none() -> None:
    plain = new().fit(TEXTS[:60])
    for call in calls(VECTORS[:3]):
        with pytest.raises(
            InvalidInput, match="vectors must be left out, as the model was fitted without any"
        ):
            call(plain)


def test_fit_checks_before_it_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReplicatedSoftmax, "_fit_held", lambda *_: pytest.fail("trained"))
    for vectors in (VECTORS[1:], VECTORS[0], np.full_like(VECTORS, np.inf)):
        with pytest.raises(InvalidInput, match="vectors must"):
            new().fit(TEXTS, vectors=vectors)


# Files


def test_a_joined_model_comes_back(model: TopicModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    found = undertow.load(tmp_path / "model")
    assert isinstance(found, TopicModel)
    assert found.vectors_width_ == WIDTH
    assert found.topics() == model.topics()
    ours, theirs = (one.transform(TEXTS, vectors=VECTORS) for one in (model, found))
    np.testing.assert_array_equal(ours, theirs)
    ours, theirs = (one.transform_topics(TEXTS, vectors=VECTORS) for one in (model, found))
    np.testing.assert_array_equal(ours, theirs)


def test_a_model_without_says_so(tmp_path: Path) -> None:
    new().fit(TEXTS[:60]).save(tmp_path / "model")
    assert load_model(tmp_path / "model").training["vectors_width"] == 0


@pytest.mark.parametrize("width", [WIDTH + 1, 0, -1, "4"])
def test_a_width_that_does_not_fit_is_not_believed(
    model: TopicModel, tmp_path: Path, width: Any
) -> None:
    model.save(tmp_path / "model")
    stored = load_model(tmp_path / "model")
    stored.training["vectors_width"] = width
    with pytest.raises(ModelFileError, match="must hold a sound tree of topics"):
        TopicModel.from_stored(stored, tmp_path / "model")


def test_a_model_of_an_earlier_version_has_none(tmp_path: Path) -> None:
    plain = new().fit(TEXTS[:60])
    plain.save(tmp_path / "model")
    stored = load_model(tmp_path / "model")
    del stored.training["vectors_width"]
    model = TopicModel.from_stored(stored, tmp_path / "model")
    assert model.vectors_width_ == 0
    assert model.topics() == plain.topics()
    np.testing.assert_array_equal(model.transform(TEXTS[:2]), plain.transform(TEXTS[:2]))
