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


def made_up(vectorizer: Vectorizer, count_transform: Literal["log"] | None, units: int = 3) -> TopicModel:
    """A model of any vocabulary with weights drawn at random: what it learned does not matter here."""
    words = len(vectorizer.vocabulary_)
    generator = np.random.default_rng(words)
    softmax = ReplicatedSoftmax(units, max_epochs=1, weighting=None, count_transform=count_transform, random_state=0)
    softmax.fit(np.ones((2, words), dtype=np.int64))
    softmax.parameters_ = Parameters(
        generator.normal(size=(words, units)).astype(np.float32),
        generator.normal(size=units).astype(np.float32),
        generator.normal(size=words).astype(np.float32),
        generator.uniform(0, 3, size=words).astype(np.float32),
    )
    model = TopicModel(units, vectorizer=vectorizer, softmax=softmax)
    model.vectorizer_, model.softmax_ = vectorizer, softmax
    return model


@settings(max_examples=60, deadline=None)
@given(text=texts(), known=texts(), options=vectorizers(), count_transform=st.sampled_from(["log", None]))
def test_parts_sum_to_the_attribution(
    text: str, known: str, options: dict[str, Any], count_transform: Literal["log"] | None
) -> None:
    try:
        vectorizer = Vectorizer(None, **options).fit([text, known])
    except InvalidInput:  # not a single token
        return
    model = made_up(vectorizer, count_transform)
    for topic in range(3):
        by_word = model.attribute([text], topic)
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
        assert sum(span.part for span in found) == pytest.approx(view.total, rel=1e-9, abs=1e-9)


def test_occurrences_of_a_word_have_equal_parts(model: TopicModel) -> None:
    text = "Plum, plum and a PLUM; wheel"
    push = float(model.attribute(["plum"], 2).sum())
    found = spans(model, text, 2)
    assert [text[span.start : span.end] for span in found] == ["Plum", "plum", "PLUM", "wheel"]
    assert {span.word for span in found[:3]} == {"plum"}
    for span in found[:3]:  # three count as ceil(log 4) = 2
        assert span.part == pytest.approx(2 * push / 3)


def test_the_topics_are_those_of_the_model(model: TopicModel, table: pl.DataFrame) -> None:
    barely = min(table["text"], key=lambda text: min(abs(model.encode([text], "posterior")[0] - 0.55)))
    words = [f"{fruit} {car}" for fruit in ("plum", "pear") for car in ("wheel", "road")]  # some hardly on
    for text in [*table["text"][:6], barely, *words]:
        assert topics_in(model, text) == list(model.document_units([text])[0].units)


def test_a_view_is_under_the_strongest_topic_unless_told(model: TopicModel, table: pl.DataFrame) -> None:
    text = table["text"][0]
    view = document_view(model, text)
    assert view.topic == view.topics[0].id
    assert view == document_view(model, text, view.topic)
    assert document_view(model, text, 5).topic == 5
    assert document_view(model, text, 5).topics == view.topics


@pytest.mark.parametrize("text", ["", "zanzibar unheard of"])
def test_a_text_without_a_known_word(model: TopicModel, text: str) -> None:
    view = document_view(model, text)
    assert (view.topics, view.topic, view.total, view.spans) == ([], 0, 0.0, [])


def test_a_topic_that_is_none_is_refused(model: TopicModel) -> None:
    for call in (spans, document_view):
        with pytest.raises(InvalidInput, match="topic must be below 12"):
            call(model, "plum", 12)
