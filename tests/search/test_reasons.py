"""Why a document was found."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.estimators._counts import transformed_counts
from undertow.search import Index
from undertow.search._encoded import Encoded
from undertow.search._reasons import word_parts


def test_the_parts_of_words_sum_to_the_input(model: TopicModel, table: pl.DataFrame) -> None:
    texts = table["text"].head(20)
    encoded = Encoded.of(model, model.counts(texts))
    lengths = transformed_counts(model.counts(texts), "log") @ model.softmax_.word_weights_
    inputs = model.encode(texts, "activation") * lengths[:, None]
    for topic in range(12):
        exact = model.attribute(texts, topic)
        for row in range(len(texts)):
            words, counts = encoded.words(row)
            parts = word_parts(model.softmax_.parameters_, words, counts, topic)
            assert parts.sum() == pytest.approx(inputs[row, topic], rel=1e-4, abs=1e-4)
            np.testing.assert_allclose(parts, exact[[row]].toarray()[0, words], rtol=1e-6)


def test_the_parts_of_topics_are_of_the_cosine(index: Index, model: TopicModel) -> None:
    query = "engine gear and diesel on a road"
    hits = index.search(query, 5)
    assert any(hit.reasons for hit in hits)
    on = model.encode([query, *(hit.text for hit in hits)], "posterior") > 0.5
    for row, hit in enumerate(hits, start=1):
        shared = set(np.flatnonzero(on[0] & on[row]).tolist())
        assert {reason.topic for reason in hit.reasons} <= shared
        assert len(hit.reasons) == min(3, len(shared))
        assert sum(reason.part for reason in hit.reasons) <= hit.score + 2e-3
        parts = [reason.part for reason in hit.reasons]
        assert parts == sorted(parts, reverse=True)
        for reason in hit.reasons:
            assert {part.word for part in reason.question_words} <= set(query.split())
            assert {part.word for part in reason.words} <= set(hit.text.split())


def test_texts_are_encoded_as_the_model_does(model: TopicModel, table: pl.DataFrame) -> None:
    texts = [*table["text"].head(20), "xylophone"]
    counts = model.vectorizer_.counter().counts(texts)
    np.testing.assert_array_equal(counts.toarray(), model.counts(texts).toarray())
    encoded = Encoded.of(model, counts)
    strengths = model.encode(texts, "strength")
    np.testing.assert_allclose(encoded.vectors * np.linalg.norm(strengths, axis=1)[:, None], strengths, rtol=1e-5)
    np.testing.assert_array_equal(encoded.codes, model.encode(texts, "code"))
    assert encoded.known.tolist() == [True] * 20 + [False]


def test_reasons_can_be_left_out(index: Index) -> None:
    assert all(hit.reasons == () for hit in index.search("apple", reasons=False))
