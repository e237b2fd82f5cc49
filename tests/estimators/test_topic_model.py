"""The text model in one object."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import undertow
from undertow import InvalidInput, ReplicatedSoftmax, TopicModel, Vectorizer

THEMES = (
    ["apple", "pear", "plum", "cherry", "grape", "melon", "orchard", "juice", "ripe", "fruit"],
    ["engine", "wheel", "brake", "clutch", "gear", "diesel", "garage", "tyre", "road", "driver"],
)


def make_texts(documents: int = 100, seed: int = 0) -> list[str]:
    generator = np.random.default_rng(seed)
    return [
        " ".join(generator.choice(THEMES[i % 2], size=generator.integers(6, 15)))
        for i in range(documents)
    ]


def make_model() -> TopicModel:
    return TopicModel(6, vocabulary_size=30, max_epochs=30, batch_size=32, random_state=0)


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return make_model().fit(make_texts())


def test_it_is_the_vectorizer_and_the_softmax(model: TopicModel) -> None:
    texts = make_texts()
    counts = Vectorizer(vocabulary_size=30).fit_transform(texts)
    softmax = ReplicatedSoftmax(6, max_epochs=30, batch_size=32, random_state=0).fit(counts)
    np.testing.assert_array_equal(model.transform(texts), softmax.transform(counts))
    np.testing.assert_array_equal(make_model().fit_transform(texts), model.transform(texts))


def test_topics_have_words(model: TopicModel) -> None:
    words = {weight.word for topic in model.units(n_words=3) for weight in topic.up}
    assert words
    assert words <= set(THEMES[0]) | set(THEMES[1])


def test_documents_have_topics_and_reasons(model: TopicModel) -> None:
    found = model.document_units(["apple pear plum cherry", ""])
    assert str(found[1]) == "none"
    moved = model.attribute(["apple pear wheel"], 2)
    assert {model.words()[column] for column in moved.indices} == {"apple", "pear", "wheel"}


def test_what_the_vocabulary_does_not_know_is_no_crash(model: TopicModel) -> None:
    np.testing.assert_array_equal(model.transform(["quux zyzzy", ""]), np.zeros((2, 12)))
    np.testing.assert_array_equal(
        model.encode(["quux zyzzy", ""], "posterior"), np.full((2, 6), 0.5)
    )
    assert model.vectorizer_.coverage(["apple quux"]).unknown_share == 0.5


def test_one_folder_holds_everything(model: TopicModel, tmp_path: Path) -> None:
    texts = make_texts(seed=3)
    model.save(tmp_path / "model")
    again = undertow.load(tmp_path / "model")
    assert isinstance(again, TopicModel)
    np.testing.assert_array_equal(again.transform(texts), model.transform(texts))
    assert again.units() == model.units()
    assert again.vectorizer_.get_params()["vocabulary_size"] == 30
    again.save(tmp_path / "again")
    assert (tmp_path / "again" / "weights.safetensors").read_bytes() == (
        tmp_path / "model" / "weights.safetensors"
    ).read_bytes()


@pytest.mark.parametrize("through_a_file", [False, True])
def test_new_words_are_appended(tmp_path: Path, through_a_file: bool) -> None:
    model = make_model().fit(make_texts())
    if through_a_file:
        model.save(tmp_path / "model")
        loaded = undertow.load(tmp_path / "model")
        assert isinstance(loaded, TopicModel)
        model = loaded
    old = dict(model.vectorizer_.vocabulary_)
    names = {topic.id for topic in model.units()}
    model.partial_fit([f"{text} quince nectarine" for text in make_texts(seed=1)[::2]])
    assert {word: model.vectorizer_.vocabulary_[word] for word in old} == old
    assert {"quince", "nectarine"} <= set(model.vectorizer_.vocabulary_)
    assert model.softmax_.n_features_in_ == len(model.vectorizer_.vocabulary_)
    assert {topic.id for topic in model.units()} == names
    assert np.isfinite(model.transform(["quince apple"])).all()


def test_partial_fit_from_nothing() -> None:
    model = make_model().partial_fit(make_texts())
    assert model.softmax_.n_iter_ == 1


def test_parameters_are_reached_and_cloned() -> None:
    model = clone(make_model()).set_params(n_components=3, min_df=2)
    assert (model.get_params()["n_components"], model.get_params()["min_df"]) == (3, 2)
    fitted = model.fit(make_texts())
    assert fitted.transform(make_texts()).shape == (
        100,
        6,
    )  # units, and as many directions of words
    assert fitted.encode(make_texts(), "strength").shape == (100, 3)


def test_session_settings_are_passed_on() -> None:
    model = TopicModel(5, max_epochs=2, random_state=3, n_jobs=1).fit(make_texts())
    assert (model.softmax_.random_state, model.softmax_.n_jobs) == (3, 1)
    assert model.vectorizer_.n_jobs == 1


def test_a_single_text_is_refused(model: TopicModel) -> None:
    with pytest.raises(
        InvalidInput, match="texts must be a list of texts, got a single text: put it into a list"
    ):
        model.transform("apple")
    with pytest.raises(InvalidInput):
        make_model().fit("apple")


def test_score_and_names(model: TopicModel) -> None:
    assert 0 < model.score(make_texts()) <= 1
    model.name_units({0: "zero"})
    assert "zero" in {topic.name for topic in model.units()}
