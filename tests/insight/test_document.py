"""One document under a topic: parts of occurrences, exactly."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus.test_occurrences import texts, vectorizers
from undertow import InvalidInput, ReplicatedSoftmax, TopicModel, Vectorizer
from undertow.insight import document_view, spans, topics_in
from undertow.model import Parameters


def made_up(
    vectorizer: Vectorizer, count_transform: Literal["log"] | None, documents: list[str]
) -> TopicModel:
    """A model of any vocabulary with weights drawn at random: what it learned does not matter
    here.
    """
    words, units = len(vectorizer.vocabulary_), 3
    generator = np.random.default_rng(words)
    softmax = ReplicatedSoftmax(
        units, max_epochs=1, weighting=None, count_transform=count_transform, random_state=0
    )
    softmax.fit(np.ones((2, words), dtype=np.int64))
    softmax.parameters_ = Parameters(
        generator.normal(size=(words, units)).astype(np.float32),
        generator.normal(size=units).astype(np.float32),
        generator.normal(size=words).astype(np.float32),
        generator.uniform(0, 3, size=words).astype(np.float32),
    )
    model = TopicModel(units, vectorizer=vectorizer)
    model.vectorizer_, model.softmax_ = vectorizer, softmax
    return model.grow_topics(documents)


@settings(max_examples=40, deadline=None)
@given(
    text=texts(),
    known=texts(),
    options=vectorizers(),
    count_transform=st.sampled_from(["log", None]),
)
def test_parts_sum_to_what_the_model_explains(
    text: str, known: str, options: dict[str, Any], count_transform: Literal["log"] | None
) -> None:
    try:
        vectorizer = Vectorizer(None, **options).fit([text, known])
    except InvalidInput:  # not a single token
        return
    model = made_up(vectorizer, count_transform, [text, known])
    for topic in model.topic_names():
        by_word = model.explain_topic([text], topic)
        found = spans(model, text, topic)
        sums: Counter[int] = Counter()
        for span in found:
            sums[vectorizer.vocabulary_[span.word]] += span.part  # type: ignore[assignment]
        assert set(sums) == set(by_word.indices.tolist())
        np.testing.assert_allclose(
            [sums[word] for word in by_word.indices.tolist()], by_word.data, rtol=1e-6, atol=1e-6
        )
        view = document_view(model, text, topic)
        assert view.spans == found
        assert view.total == pytest.approx(float(by_word.sum()), rel=1e-6, abs=1e-6)


def test_the_total_is_the_cosine_with_the_topic(model: TopicModel, table: pl.DataFrame) -> None:
    text = table["text"][0]
    vector = model.encode([text], "strength")[0]
    for topic in model.topic_names(4):
        direction = model.atlas_.directions([topic])[0]
        cosine = vector @ direction / np.linalg.norm(vector)
        assert document_view(model, text, topic).total == pytest.approx(float(cosine), abs=1e-5)


def test_occurrences_of_a_word_have_equal_parts(model: TopicModel) -> None:
    text, topic = "Plum, plum and a PLUM; wheel", next(iter(model.topic_names(2)))
    found = spans(model, text, topic)
    assert [text[span.start : span.end] for span in found] == ["Plum", "plum", "PLUM", "wheel"]
    assert {span.word for span in found[:3]} == {"plum"}
    whole = model.explain_topic([text], topic)
    part = whole[0, model.words().index("plum")]
    for span in found[:3]:
        assert span.part == pytest.approx(part / 3)


@pytest.mark.parametrize("n", [None, 2, 6])
def test_the_topics_are_those_of_the_model(
    model: TopicModel, table: pl.DataFrame, n: int | None
) -> None:
    for text in [*table["text"][:6], "plum wheel", "zanzibar"]:
        expected = model.document_topics([text], n)[0].topics
        found = topics_in(model, text, n)
        assert [(one.id, one.name) for one in found] == [(one.id, one.name) for one in expected]
        assert [one.share for one in found] == pytest.approx(
            [one.share for one in expected], abs=1e-5
        )
        assert document_view(model, text, n=n).topics == found


def test_a_view_is_under_the_largest_topic_unless_told(
    model: TopicModel, table: pl.DataFrame
) -> None:
    text = table["text"][0]
    view = document_view(model, text)
    assert view.topic == view.topics[0].id
    assert view == document_view(model, text, view.topic)
    other = next(topic for topic in model.topic_names() if topic != view.topic)
    assert document_view(model, text, other).topic == other
    assert document_view(model, text, other).topics == view.topics


def test_a_text_far_from_all_is_under_the_topic_that_it_lies_in(
    model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas = type(model.atlas_)
    monkeypatch.setattr(
        atlas, "shares", lambda self, vectors, nodes, threads: np.zeros((1, len(nodes)))
    )
    view = document_view(model, "wheel road diesel engine")
    assert view.topics == []
    assert view.topic is not None
    assert "wheel" in {word.word for word in model.topic(view.topic).words}
    assert view.spans


@pytest.mark.parametrize("text", ["", "zanzibar unheard of"])
def test_a_text_without_a_known_word(model: TopicModel, text: str) -> None:
    view = document_view(model, text)
    assert (view.topics, view.topic, view.total, view.spans) == ([], None, 0.0, [])
    chosen = next(iter(model.topic_names()))
    assert document_view(model, text, chosen).topic == chosen


@pytest.mark.parametrize("topic", [-1, 10**6, "3", True])
def test_a_topic_that_is_none_is_refused(model: TopicModel, topic: Any) -> None:
    for call in (spans, document_view):
        with pytest.raises(InvalidInput, match="topic must be the id of a topic"):
            call(model, "plum", topic)
