"""What pyLDAvis is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.corpus import open_corpus
from undertow.insight import pyldavis_input
from undertow.insight.pyldavis import SMOOTHING, whole_shares


def test_a_topics_words_are_shared_out_by_its_documents(
    model: TopicModel, table: pl.DataFrame
) -> None:
    found = pyldavis_input(model, table["text"], 3)["topic_term_dists"]
    words, atlas = model.words(), model.atlas_
    assert found.shape == (3, len(words))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    leaves, _ = atlas.leaves_of(model._vectors_of_counts(model.counts(table["text"])))
    topics = atlas.topics_of_leaves(leaves, atlas.cut(3))
    for topic in range(3):
        texts = [
            set(text.split())
            for text, own in zip(table["text"], topics, strict=True)
            if own == topic
        ]
        held = np.array([sum(word in text for text in texts) for word in words]) + SMOOTHING
        np.testing.assert_allclose(found[topic], held / held.sum(), rtol=1e-9)


def test_documents_are_shares_of_topics(model: TopicModel, table: pl.DataFrame) -> None:
    texts = [*table["text"][:20], "zanzibar", "plum plum plum"]
    found = pyldavis_input(model, texts, 4)
    kept = [text for text in texts if text != "zanzibar"]
    assert found["doc_topic_dists"].shape == (21, 4)
    np.testing.assert_allclose(found["doc_topic_dists"].sum(axis=1), 1.0)
    shares = model.transform_topics(kept, 4).astype(np.float64)
    some = shares.any(axis=1)
    assert some.sum() > 10
    np.testing.assert_allclose(
        found["doc_topic_dists"][some],
        shares[some] / shares[some].sum(axis=1, keepdims=True),
        rtol=1e-5,
    )
    assert found["doc_lengths"].tolist() == [len(text.split()) for text in kept]
    assert found["vocab"] == model.words()
    assert found["term_frequency"].tolist() == [
        sum(text.split().count(word) for text in kept) for word in model.words()
    ]


def test_a_document_far_from_all_topics_has_the_same_share_of_each() -> None:
    shares = whole_shares(np.array([[0.0, 0.0, 0.0, 0.0], [0.2, 0.2, 0.0, 0.0]]))
    np.testing.assert_allclose(shares, [[0.25] * 4, [0.5, 0.5, 0.0, 0.0]])


def test_texts_are_any_corpus(model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_parquet(tmp_path / "corpus.parquet")
    expected = pyldavis_input(model, table["text"].to_list())
    for texts in (table, open_corpus(tmp_path / "corpus.parquet"), iter(table["text"])):
        found = pyldavis_input(model, texts)
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_texts_without_a_known_word_are_none(model: TopicModel) -> None:
    found = pyldavis_input(model, ["zanzibar"], 3)
    assert found["doc_topic_dists"].shape == (0, 3)
    assert found["doc_lengths"].shape == (0,)


def test_pyldavis_takes_it(model: TopicModel, table: pl.DataFrame) -> None:
    library = pytest.importorskip("pyLDAvis")
    prepared = library.prepare(**pyldavis_input(model, table["text"], 4), n_jobs=1)
    assert sorted(prepared.topic_coordinates.index) == list(range(4))
