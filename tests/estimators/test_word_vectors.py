"""Estimators whose weights start from vectors of words."""

from __future__ import annotations

import doctest
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import undertow
from tests.estimators.test_out_of_core import assert_same
from tests.estimators.test_replicated_softmax import WORDS, make_counts, make_model
from tests.estimators.test_topic_model import make_texts
from undertow import AlphaNCE, InvalidInput, TopicModel
from undertow.learn import SGD
from undertow.model import initial_parameters
from undertow.vectors.joining import unit
from undertow.vectors.word_start import started_from

WIDTH = 5
PAGE = Path(__file__).parents[2] / "docs" / "joining.md"
# What it started from is what stays.
STILL: dict[str, Any] = {"optimizer": SGD(learning_rate=1e-30), "averaging": 0.0, "max_epochs": 1}


def make_vectors(words: int = WORDS) -> NDArray[np.float64]:
    vectors = np.random.default_rng(3).normal(size=(words, WIDTH))
    vectors[7] = 0.0
    return vectors


def make_topics(
    limit: int | str = "1GiB", folder: Path | None = None, **options: Any
) -> TopicModel:
    usual: dict[str, Any] = {"vocabulary_size": 15, "chunk_size": 30}
    usual |= {"max_epochs": 5, "batch_size": 32}
    usual |= {"random_state": 0, "memory_limit": limit, "scratch_folder": folder}
    return TopicModel(6, **(usual | options))


@cache
def vocabulary() -> tuple[str, ...]:
    return tuple(make_topics(**STILL).fit(make_texts()).words())


def make_mapping() -> dict[str, NDArray[np.float32]]:
    """Of all words but the last, in another order than theirs, and of one that no text has."""
    words = sorted(vocabulary()[:-1], reverse=True)
    vectors = make_vectors(len(words) + 1).astype(np.float32)
    return dict(zip(["zyzzy", *words], vectors, strict=True))


# Counts


def test_training_starts_from_them() -> None:
    usual, found = make_model(**STILL).fit(make_counts()), make_model(**STILL)
    found.fit(make_counts(), word_vectors=make_vectors())
    shares, weights = usual.noise_distribution_, usual.word_weights_.astype(np.float64)
    start = initial_parameters(6, shares, weights, usual._seed)
    np.testing.assert_array_equal(usual.components_, start.weights.T)
    expected = started_from(start, make_vectors(), shares, usual._seed)
    np.testing.assert_array_equal(found.components_, expected.weights.T)
    np.testing.assert_array_equal(found.components_[:, 7], usual.components_[:, 7])
    assert (found.components_[:, 8] != usual.components_[:, 8]).all()


def test_results_differ_from_a_random_start_and_come_again() -> None:
    usual, found, again = (
        make_model().fit(make_counts(), word_vectors=vectors)
        for vectors in (None, make_vectors(), make_vectors())
    )
    assert not np.array_equal(usual.components_, found.components_)
    np.testing.assert_array_equal(found.components_, again.components_)
    for jobs in (1, 3):
        other = make_model(n_jobs=jobs).fit(make_counts(), word_vectors=make_vectors())
        np.testing.assert_array_equal(found.components_, other.components_)


def test_without_them_all_is_as_it_was() -> None:
    """A fit with them leaves nothing behind for one without."""
    model = make_model().fit(make_counts(), word_vectors=make_vectors())
    usual = make_model().fit(make_counts())
    model.fit(make_counts())
    for name in ("components_", "hidden_bias_", "visible_bias_", "activity_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(usual, name))


def test_trials_of_noise_levels_start_from_them() -> None:
    usual, found = (
        make_model(learner=AlphaNCE(noise_level="auto"), max_epochs=2) for _ in range(2)
    )
    usual.fit(make_counts())
    found.fit(make_counts(), word_vectors=make_vectors())
    assert found.noise_level_scores_ != usual.noise_level_scores_


def test_fit_transform_passes_them_on() -> None:
    found = make_model().fit_transform(make_counts(), word_vectors=make_vectors())
    expected = make_model().fit(make_counts(), word_vectors=make_vectors()).transform(make_counts())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (make_vectors()[1:], "word_vectors must have a row for each word, 40, got 39 rows"),
        (
            make_vectors()[0],
            "word_vectors must have two dimensions, words x numbers, got shape (5,)",
        ),
        (np.full((WORDS, 2), np.nan), "word_vectors must be finite, got nan in row 0"),
        (
            np.zeros((WORDS, 2)),
            "word_vectors must have a vector for a word at least, got rows of zeros: no word has",
        ),
    ],
)
def test_vectors_that_do_not_fit_are_said(vectors: Any, message: str) -> None:
    model = make_model()
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}"):
        model.fit(make_counts(), word_vectors=vectors)
    assert not hasattr(model, "parameters_")


def test_a_warm_start_takes_none() -> None:
    model = make_model(warm_start=True).fit(make_counts(), word_vectors=make_vectors())
    before = model.components_.copy()
    message = "word_vectors must be left out where warm_start goes on from a fitted model, got some"
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        model.fit(make_counts(), word_vectors=make_vectors())
    np.testing.assert_array_equal(model.components_, before)
    assert model.fit(make_counts()).n_iter_ == 16


# Texts


def test_vectors_are_aligned_by_name() -> None:
    model = make_topics().fit(make_texts(), word_vectors=make_mapping())
    assert tuple(model.words()) == vocabulary()
    rows = np.array([make_mapping().get(word, np.zeros(WIDTH)) for word in model.words()])
    assert not rows[-1].any()
    counts = model.vectorizer_.transform(make_texts())
    expected = clone(model.softmax_).fit(counts, word_vectors=rows)
    np.testing.assert_array_equal(model.softmax_.components_, expected.components_)
    assert not np.array_equal(
        model.softmax_.components_, make_topics().fit(make_texts()).softmax_.components_
    )
    others = {word: vector for word, vector in make_mapping().items() if word != "zyzzy"}
    assert_same(make_topics().fit(make_texts(), word_vectors=others), model)


def test_a_spool_gives_the_model_of_memory(tmp_path: Path) -> None:
    on_disk, in_memory = (
        make_topics(limit, tmp_path).fit(make_texts(), word_vectors=make_mapping())
        for limit in (0, "1GiB")
    )
    assert on_disk.reading_.scratch_bytes > 0 == in_memory.reading_.scratch_bytes
    assert_same(on_disk, in_memory)
    usual = make_topics(0, tmp_path).fit(make_texts())
    assert not np.array_equal(on_disk.softmax_.components_, usual.softmax_.components_)


def test_vectors_of_texts_are_passed_on_likewise() -> None:
    texts = make_texts()
    found = make_topics().fit_transform(texts, word_vectors=make_mapping())
    np.testing.assert_array_equal(
        found, make_topics().fit(texts, word_vectors=make_mapping()).transform(texts)
    )
    vectors = np.random.default_rng(0).normal(size=(len(texts), 3))
    both = make_topics().fit(texts, vectors=vectors, word_vectors=make_mapping())
    assert both.vectors_width_ == 3
    np.testing.assert_array_equal(both.encode(texts, vectors=vectors)[:, :12], unit(found))


def test_stems_are_looked_up_as_they_are() -> None:
    texts = ["running runner apples", "apples pears running", "pears wheels"] * 10
    model = make_topics(**STILL).set_params(stemmer="english")
    usual = clone(model).fit(texts).softmax_.components_
    column = model.fit(
        texts, word_vectors={"appl": [1.0, 2.0], "pear": [2.0, 1.0], "apples": [9.0]}
    ).words()
    changed = (model.softmax_.components_ != usual).all(axis=0)
    assert {word for word, new in zip(column, changed, strict=True) if new} == {"appl", "pear"}


def test_a_model_that_started_from_them_comes_back(tmp_path: Path) -> None:
    model = make_topics().fit(make_texts(), word_vectors=make_mapping())
    model.save(tmp_path / "model")
    found = undertow.load(tmp_path / "model")
    assert isinstance(found, TopicModel)
    np.testing.assert_array_equal(found.transform(make_texts()), model.transform(make_texts()))
    assert found.topics() == model.topics()
    found.partial_fit([*make_texts(20), "new words zyzzy"])
    assert np.isfinite(found.softmax_.components_).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (make_vectors(), "word_vectors must be a mapping of words to vectors, got ndarray"),
        (
            {"apple": [1.0, 2.0], "pear": [1.0]},
            "word_vectors must have as many numbers for each word, got ",
        ),
        (
            {"apple": [1.0, np.inf], "pear": [1.0, 2.0]},
            "word_vectors['apple'] must be finite, got inf among its values",
        ),
        (
            {"zyzzy": [1.0]},
            "word_vectors must have a vector for a word of the vocabulary, got none for 15 words "
            "such ",
        ),
        (
            {"apple": [0.0]},
            "word_vectors must have a vector for a word at least, got rows of zeros: no word has a "
            "vec",
        ),
        (
            {"apple": [1.0]},
            "word_vectors must tell words apart, got one vector for all that have one, 1",
        ),
    ],
)
@pytest.mark.parametrize("limit", [0, "1GiB"])
def test_mappings_that_do_not_fit_are_said(
    tmp_path: Path, limit: Any, given: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}"):
        make_topics(limit, tmp_path).fit(make_texts(), word_vectors=given)
    assert list(tmp_path.iterdir()) == []


# The page


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its session of word vectors does what it shows."""
    monkeypatch.chdir(tmp_path)
    sessions = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(sessions) == 1
    lesson = doctest.DocTestParser().get_doctest(sessions[0], {}, "joining.md", str(PAGE), 0)
    assert doctest.DocTestRunner().run(lesson).failed == 0
    assert len(lesson.examples) > 3
