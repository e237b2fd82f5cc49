"""What pyLDAvis is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.corpus import open_corpus
from undertow.insight import pyldavis_input
from undertow.insight.pyldavis import shares_of_topics


def test_a_topics_words_are_those_of_a_document_where_it_alone_is_on(model: TopicModel, table: pl.DataFrame) -> None:
    found = pyldavis_input(model, table["text"])["topic_term_dists"]
    parameters = model.softmax_.parameters_
    assert found.shape == (12, parameters.words)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for topic in range(12):
        logits = [
            float(weight) * (float(row[topic]) + float(parameters.hidden_bias[topic]) + float(bias))
            for weight, row, bias in zip(
                parameters.word_weights, parameters.weights, parameters.visible_bias, strict=True
            )
        ]
        expected = np.exp(logits) / np.exp(logits).sum()
        np.testing.assert_allclose(found[topic], expected, rtol=1e-6)


def test_documents_are_shares_of_posteriors(model: TopicModel, table: pl.DataFrame) -> None:
    texts = [*table["text"][:20], "zanzibar", "plum plum plum"]
    found = pyldavis_input(model, texts)
    kept = [text for text in texts if text != "zanzibar"]
    assert found["doc_topic_dists"].shape == (21, 12)
    np.testing.assert_allclose(found["doc_topic_dists"].sum(axis=1), 1.0)
    posteriors = model.encode(kept, "posterior").astype(np.float64)
    np.testing.assert_allclose(found["doc_topic_dists"], posteriors / posteriors.sum(axis=1, keepdims=True))
    assert found["doc_lengths"].tolist() == [len(text.split()) for text in kept]
    assert found["vocab"] == model.words()
    assert found["term_frequency"].tolist() == [
        sum(text.split().count(word) for text in kept) for word in model.words()
    ]


def test_a_document_without_topics_has_the_same_share_of_each() -> None:
    shares = shares_of_topics(np.array([[0.1, 0.5, 0.2, 0.0], [0.9, 0.9, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(shares, [[0.25] * 4, [0.5, 0.5, 0.0, 0.0], [0.25] * 4])


def test_texts_are_any_corpus(model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_parquet(tmp_path / "corpus.parquet")
    expected = pyldavis_input(model, table["text"].to_list())
    for texts in (table, open_corpus(tmp_path / "corpus.parquet"), iter(table["text"])):
        found = pyldavis_input(model, texts)
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_texts_without_a_known_word_are_none(model: TopicModel) -> None:
    found = pyldavis_input(model, ["zanzibar"])
    assert found["doc_topic_dists"].shape == (0, 12)
    assert found["doc_lengths"].shape == (0,)


def test_pyldavis_takes_it(model: TopicModel, table: pl.DataFrame) -> None:
    library = pytest.importorskip("pyLDAvis")
    prepared = library.prepare(**pyldavis_input(model, table["text"]), n_jobs=1)
    assert sorted(prepared.topic_coordinates.index) == list(range(12))
