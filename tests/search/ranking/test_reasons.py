"""Why a document was found: words and topics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.search import Index, Why
from undertow.search.encoding.encoded import Encoded
from undertow.search.ranking.reasons import LEAST, TOPICS

QUERY = "engine gear and DIESEL on a road, xylophone"


def test_words_are_those_that_both_hold_as_they_were_asked_for(index: Index) -> None:
    for mode in ("hybrid", "text"):
        for hit in index.search(QUERY, 5, mode=mode):
            held = [part.word for part in hit.why.words]
            assert held
            assert set(held) <= set(hit.text.split()) & {"engine", "gear", "diesel", "road"}
            assert set(held) | set(hit.why.missing) == {
                "engine",
                "gear",
                "diesel",
                "road",
            }  # no document has the rest
            assert not set(held) & set(hit.why.missing)
            parts = [part.part for part in hit.why.words]
            assert parts == sorted(parts, reverse=True)
            assert sum(parts) == pytest.approx(1.0)


def test_topics_are_those_that_both_are_about(index: Index, model: TopicModel) -> None:
    hits = index.search(QUERY, 5)
    topics = [topic.id for topic in model.topics()]
    shares = model.transform_topics([QUERY, *(hit.text for hit in hits)])
    names = model.topic_names()
    assert any(hit.why.topics for hit in hits)
    for row, hit in enumerate(hits, start=1):
        both = np.minimum(shares[0], shares[row])
        assert len(hit.why.topics) == min(TOPICS, int((both >= LEAST).sum()))
        for found in hit.why.topics:
            assert found.name == names[found.topic]
            assert found.part == pytest.approx(
                both[topics.index(found.topic)], abs=5e-3
            )  # half precision


def test_a_question_by_meaning_has_no_words(index: Index) -> None:
    (hit, *_) = index.search("engine gear", mode="semantic")
    assert hit.why.words == ()
    assert hit.why.topics


def test_a_question_by_words_that_the_model_does_not_know_has_no_topics(index: Index) -> None:
    index.add(["a xylophone is no fruit"])
    (hit,) = index.search("xylophone")
    assert [part.word for part in hit.why.words] == ["xylophone"]
    assert hit.why.topics == ()


def test_renamed_topics_are_named_so(index: Index) -> None:
    topic = index.search("engine gear", 1)[0].why.topics[0].topic
    index.model.rename_topic(topic, "Cars")
    assert index.search("engine gear", 1)[0].why.topics[0].name == "Cars"


def test_texts_are_encoded_as_the_model_does(model: TopicModel, table: pl.DataFrame) -> None:
    texts = [*table["text"].head(20), "xylophone"]
    counts = model.vectorizer_.counter().counts(texts)
    np.testing.assert_array_equal(counts.toarray(), model.counts(texts).toarray())
    encoded = Encoded.of(model, counts)
    strengths = model.encode(texts, "strength")
    np.testing.assert_allclose(
        encoded.vectors * np.linalg.norm(strengths, axis=1)[:, None], strengths, rtol=1e-5
    )
    np.testing.assert_array_equal(encoded.codes, model.encode(texts, "code"))
    assert encoded.known.tolist() == [True] * 20 + [False]


def test_reasons_can_be_left_out(index: Index) -> None:
    assert all(hit.why == Why() for hit in index.search("apple", reasons=False))
