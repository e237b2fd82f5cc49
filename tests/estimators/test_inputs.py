"""What a `TopicModel` takes: tables, lists of tokens, iterators, and vectorizers of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

import undertow
from tests.estimators.test_topic_model import make_texts
from undertow import Index, InvalidInput, TopicModel, Vectorizer
from undertow.corpus import as_corpus
from undertow.insight import document_topic_table

QUICK: dict[str, Any] = {"max_epochs": 5, "batch_size": 32, "random_state": 0}
TEXTS = make_texts()
BASKETS = [[f"Item {word}!" for word in text.split()] for text in TEXTS]


def new(**options: Any) -> TopicModel:
    return TopicModel(5, **(QUICK | options))


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return new().fit(TEXTS)


@pytest.fixture(scope="module")
def baskets() -> TopicModel:
    return new().fit(BASKETS)


# Tables


@pytest.mark.parametrize("library", [pd, pl])
def test_tables_and_columns_are_taken(model: TopicModel, library: Any) -> None:
    frame = library.DataFrame({"story": TEXTS, "body": ["wrong"] * 100})
    expected = model.transform(TEXTS)
    np.testing.assert_array_equal(new().fit(frame["story"]).transform(frame["story"]), expected)
    named = new().fit(library.DataFrame({"id": range(100), "text": TEXTS}))
    np.testing.assert_array_equal(named.transform(TEXTS), expected)
    assert named.columns_ == {"id": "id", "text": "text"}


@pytest.mark.parametrize("library", [pd, pl])
def test_a_later_table_is_read_as_the_first(library: Any) -> None:
    frame = library.DataFrame({"story": TEXTS, "body": ["wrong"] * 100})
    first = as_corpus(pl.DataFrame({"story": TEXTS}))
    model = new().fit(first)
    assert model.columns_ == {"text": "story"}
    for found, expected in (
        (model.transform(frame), model.transform(TEXTS)),
        (model.transform_topics(frame), model.transform_topics(TEXTS)),
        (model.counts(frame).toarray(), model.counts(TEXTS).toarray()),
    ):
        np.testing.assert_array_equal(found, expected)
    assert model.document_topics(frame) == model.document_topics(TEXTS)
    assert document_topic_table(model, frame).equals(document_topic_table(model, TEXTS))
    np.testing.assert_array_equal(
        model.grow_topics(frame).topics()[0].share, model.grow_topics(TEXTS).topics()[0].share
    )


# Lists of tokens


def test_tokens_are_learned_from_as_texts_are(model: TopicModel, baskets: TopicModel) -> None:
    assert [f"Item {word}!" for word in model.words()] == baskets.words()
    np.testing.assert_array_equal(baskets.transform(BASKETS), model.transform(TEXTS))
    np.testing.assert_array_equal(baskets.transform_topics(BASKETS), model.transform_topics(TEXTS))
    assert baskets.transform([[], ["Item apple!"]]).any(axis=1).tolist() == [False, True]
    typical = [document for topic in baskets.topics() for document in topic.typical]
    assert typical
    assert all(document.title.startswith("Item ") for document in typical)


def test_tokens_are_in_every_step(baskets: TopicModel, tmp_path: Path) -> None:
    baskets.save(tmp_path / "model")
    again = undertow.load(tmp_path / "model")
    assert isinstance(again, TopicModel)
    np.testing.assert_array_equal(again.transform(BASKETS), baskets.transform(BASKETS))
    assert again.vectorizer_.tokens_
    assert again.get_params()["lowercase"]
    again.partial_fit(iter([*BASKETS, ["Item New!"]]))
    assert again.words()[-1] == "Item New!"
    assert again.explain_topic(BASKETS[:2], again.topics()[0].id).shape == (2, 21)
    made = again.seed_topic("by example", documents=BASKETS[::2])
    assert made is not None
    assert again.curation_.actions[-1].documents[0] == " ".join(BASKETS[0])
    with pytest.raises(InvalidInput, match="all texts or all lists of tokens"):
        again.transform(["Item", ["Item"]])


def test_tokens_without_spaces_are_searched(tmp_path: Path) -> None:
    events = [[f"E-{word.upper()}" for word in text.split()] for text in TEXTS]
    model = new().fit(events)
    index = Index.create(tmp_path / "index", model, events)
    (hit,) = index.search(" ".join(events[3]), 1)
    assert hit.text == " ".join(events[3])
    np.testing.assert_array_equal(
        Index.open(tmp_path / "index").model.transform([hit.text]), model.transform(events[3:4])
    )
    with pytest.raises(InvalidInput, match="tokens must hold no white space"):
        Index.create(tmp_path / "other", model, BASKETS)


# Iterators


def once(texts: list[Any]) -> Iterator[Any]:
    yield from texts


def test_partial_fit_reads_an_iterator_once() -> None:
    more = [f"{text} quince" for text in make_texts(seed=1)]
    held, streamed = new().partial_fit(TEXTS), new().partial_fit(once(TEXTS))
    np.testing.assert_array_equal(held.transform(TEXTS), streamed.transform(TEXTS))
    held.partial_fit(more)
    streamed.partial_fit(once(more))
    assert "quince" in streamed.words()
    np.testing.assert_array_equal(held.transform(more), streamed.transform(more))
    assert held.atlas_.documents == streamed.atlas_.documents == 200


def test_partial_fit_reads_a_corpus_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = new().fit(TEXTS)
    read: list[int] = []
    corpus = as_corpus(TEXTS)
    chunks = corpus.chunks

    def noticed(rows: int) -> Iterator[pl.DataFrame]:
        read.append(rows)
        return chunks(rows)

    monkeypatch.setattr(corpus, "chunks", noticed)
    model.partial_fit(corpus)
    assert len(read) == 1


def test_what_cannot_be_read_changes_nothing() -> None:
    model = new().fit(TEXTS)
    words, before = model.words(), model.transform(TEXTS)
    with pytest.raises(InvalidInput, match="got 5 in row 1"):
        model.partial_fit(["quince", 5])
    joined = new().fit(TEXTS, vectors=np.eye(100, 4))
    with pytest.raises(InvalidInput, match="vectors must"):
        joined.partial_fit(once(["quince quince"]), vectors=np.eye(3, 4))
    assert joined.words() == model.words() == words
    np.testing.assert_array_equal(model.transform(TEXTS), before)


# Vectorizers of others


def test_another_vectorizer_gives_the_counts(model: TopicModel, tmp_path: Path) -> None:
    own = CountVectorizer(stop_words=["apple"])
    borrowed = new(vectorizer=own).fit(once(TEXTS))
    assert not hasattr(own, "vocabulary_")
    assert borrowed.words() == borrowed.vectorizer_.vectorizer.get_feature_names_out().tolist()
    assert set(borrowed.words()) == set(model.words()) - {"apple"}
    np.testing.assert_array_equal(
        borrowed.counts(TEXTS).toarray(),
        borrowed.vectorizer_.vectorizer.transform(TEXTS).toarray(),
    )
    assert borrowed.transform(TEXTS).shape == (100, 10)
    assert borrowed.topics()
    assert borrowed.document_topics(TEXTS[:3])
    assert 0 < borrowed.score(TEXTS) <= 1
    borrowed.partial_fit(once(TEXTS))
    assert borrowed.softmax_.n_iter_ == 6
    said = r"must have a vectorizer of undertow to be saved .* got CountVectorizer\(.* give its"
    with pytest.raises(InvalidInput, match=said):
        borrowed.save(tmp_path / "model")
    with pytest.raises(InvalidInput, match=said):
        Index.create(tmp_path / "index", borrowed, TEXTS)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InvalidInput, match="to find words in a text again"):
        undertow.insight.document_view(borrowed, TEXTS[0])


def test_counts_of_another_vectorizer_are_the_same_on_disk() -> None:
    held, spooled = (
        new(vectorizer=CountVectorizer(), memory_limit=limit).fit(TEXTS) for limit in (10**9, 0)
    )
    assert spooled.reading_.scratch_bytes > 0
    np.testing.assert_array_equal(held.transform(TEXTS), spooled.transform(TEXTS))


@pytest.mark.parametrize(
    ("vectorizer", "message"),
    [
        (TfidfVectorizer(), r"must give counts, whole .* got 0\.\d+ from TfidfVectorizer\(\)"),
        (HashingVectorizer(), r"get_feature_names_out, get_params, got HashingVectorizer\(\)"),
        (Vectorizer, "vectorizer must be a Vectorizer, or have fit_transform"),
        ("english", "vectorizer must be a Vectorizer, or have fit_transform, .* got 'english'"),
    ],
)
def test_what_gives_no_counts_is_refused(vectorizer: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        new(vectorizer=vectorizer).fit(TEXTS)
