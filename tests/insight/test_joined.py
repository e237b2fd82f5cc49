"""The overview of an index whose vectors are joined with those of another encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from undertow import InvalidInput, TopicModel
from undertow.corpus import Corpus
from undertow.insight import (
    document_topic_table,
    document_view,
    layout,
    overview_of_index,
    overview_of_texts,
)
from undertow.search import Index
from undertow.vectors.joining import compared

WIDTH = 4


@pytest.fixture
def vectors(table: pl.DataFrame) -> NDArray[np.float64]:
    groups = np.eye(WIDTH)[np.arange(table.height) // 2 % WIDTH]
    return groups + np.random.default_rng(0).normal(size=groups.shape) / 9


@pytest.fixture
def joined(
    model: TopicModel, table: pl.DataFrame, vectors: NDArray[np.float64], tmp_path: Path
) -> Index:
    """The model's topics are grown anew from joined vectors."""
    model.save(tmp_path / "model")
    grown = TopicModel.from_stored(
        Index.create(tmp_path / "plain", model)._encoder.stored, tmp_path
    )
    grown.grow_topics(table["text"], vectors=vectors)
    return Index.create(tmp_path / "joined", grown, table, vectors=vectors)


def test_the_map_is_laid_out_from_joined_vectors(
    joined: Index, index: Index, table: pl.DataFrame, vectors: NDArray[np.float64]
) -> None:
    found = overview_of_index(joined)
    own = joined.model.softmax_.encode(joined.model.counts(table["text"]), "strength")
    by_hand = compared(own, vectors).astype(np.float16)
    stored = next(iter(joined.scan(["vector"])))["vector"].astype(np.float16)
    np.testing.assert_allclose(stored.astype(np.float32), by_hand.astype(np.float32), atol=2e-3)
    np.testing.assert_array_equal(found.positions, layout.positions(stored, seed=0))
    assert not np.array_equal(found.positions, overview_of_index(index).positions)
    assert overview_of_index(Index.open(joined.path)).ids == found.ids  # the stored one, checked


def test_leaves_are_those_of_the_model(
    joined: Index, table: pl.DataFrame, vectors: NDArray[np.float64]
) -> None:
    found, atlas = overview_of_index(joined), joined.model.atlas_
    nodes = atlas.cut(4)
    shares = joined.model.transform_topics(table["text"], 4, vectors=vectors)
    # Half precision may send a document at a border elsewhere.
    assert (found.topics(atlas, nodes) == shares.argmax(axis=1)).mean() > 0.95


def test_an_index_may_join_what_topics_do_not_know(
    model: TopicModel,
    table: pl.DataFrame,
    vectors: NDArray[np.float64],
    index: Index,
    tmp_path: Path,
) -> None:
    made = Index.create(tmp_path / "made", model, table, vectors=vectors)
    found, plain = overview_of_index(made), overview_of_index(index)
    assert (found.leaves == plain.leaves).mean() > 0.95
    assert not np.array_equal(found.positions, plain.positions)


def test_texts_alone_have_undertows_side(joined: Index, table: pl.DataFrame) -> None:
    found = overview_of_texts(joined.model, table)
    assert (found.leaves >= 0).all()
    assert np.isfinite(found.positions).all()


def test_a_document_is_seen_with_its_vector(
    joined: Index, table: pl.DataFrame, vectors: NDArray[np.float64]
) -> None:
    text, model = table["text"][3], joined.model
    others = joined.others(["d3"])
    view = document_view(model, text, n=4, others=others)
    told = model.document_topics([text], 4, vectors=vectors[3:4])[0]
    assert [one.id for one in view.topics] == [one.id for one in told.topics]
    np.testing.assert_allclose(
        [one.share for one in view.topics], [one.share for one in told.topics], atol=2e-3
    )
    alone = document_view(model, text, view.topic, 4)
    assert alone.total == view.total
    np.testing.assert_allclose(
        view.total, model.explain_topic([text], view.topic or 0).sum(), atol=1e-6
    )


def test_tables_of_topics_take_vectors(
    joined: Index,
    table: pl.DataFrame,
    vectors: NDArray[np.float64],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, rows=50: whole(self, rows))
    found = document_topic_table(joined.model, table, 4, vectors=vectors)
    told = joined.model.document_topics(table["text"], 4, vectors=vectors)
    assert found["topic"].to_list() == [part.id for one in told for part in one.topics]
    with pytest.raises(InvalidInput, match="vectors must be given"):
        document_topic_table(joined.model, table, 4)
    with pytest.raises(InvalidInput, match="a row for each document, 120, got 121"):
        document_topic_table(joined.model, table, 4, vectors=np.vstack([vectors, vectors[:1]]))
