"""How alike topics are, and tables of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow import InvalidInput, TopicModel
from undertow.insight import (
    document_topic_table,
    similar_topics,
    topic_info,
    topic_similarity,
    topic_table,
)


def test_similarities_are_the_cosines_of_mean_vectors(
    model: TopicModel, table: pl.DataFrame
) -> None:
    found, atlas = topic_similarity(model, 5), model.atlas_
    for one, first in enumerate(atlas.cut(5)):
        for other, second in enumerate(atlas.cut(5)):
            means = [
                (atlas.means[rows].astype(np.float64) * atlas.sizes[rows, None]).sum(axis=0)
                for rows in (atlas.tree.leaf_rows(first), atlas.tree.leaf_rows(second))
            ]
            cosine = means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1])
            assert found[one, other] == pytest.approx(cosine, abs=1e-5)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1.0)


def test_the_most_similar_come_first(model: TopicModel) -> None:
    ids, cosines = list(model.topic_names(6)), topic_similarity(model, 6)
    found = similar_topics(model, ids[2], 10, n=6)
    order = [int(place) for place in np.argsort(-cosines[2], kind="stable") if place != 2]
    assert [one.id for one in found] == [ids[place] for place in order]
    assert [one.similarity for one in found] == pytest.approx(cosines[2][order], abs=1e-6)
    assert [one.name for one in found] == [model.topic_names(6)[one.id] for one in found]
    assert similar_topics(model, ids[2], 2, n=6) == found[:2]


def test_a_topic_is_not_compared_with_its_parts_or_what_it_is_part_of(model: TopicModel) -> None:
    wide, fine = list(model.topic_names(2)), list(model.topic_names(6))
    inside = [topic for topic in fine if topic in model.atlas_.tree.below(wide[0])]
    assert {one.id for one in similar_topics(model, wide[0], 10, n=6)} == set(fine) - set(inside)
    assert [one.id for one in similar_topics(model, inside[0], 10, n=2)] == [wide[1]]


@pytest.mark.parametrize("topic", [-1, 10**6, 1.5, "3", None, True])
def test_a_topic_that_is_none_is_refused(model: TopicModel, topic: object) -> None:
    with pytest.raises(InvalidInput, match="topic must be"):
        similar_topics(model, topic)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [None, 5])
def test_the_table_of_topics(model: TopicModel, n: int | None) -> None:
    table = topic_table(model, n)
    topics = model.topics(n)
    assert table.columns == [
        "id",
        "name",
        "parent",
        "documents",
        "share",
        "words",
        "phrases",
        "coherence",
    ]
    assert table["id"].to_list() == [topic.id for topic in topics]
    assert table["parent"].to_list() == [topic.parent for topic in topics]
    assert table["documents"].to_list() == [topic.documents for topic in topics]
    assert table["words"].to_list() == [[word.word for word in topic.words] for topic in topics]
    assert table["coherence"].to_list() == [topic.coherence for topic in topics]


def test_the_table_of_documents(model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    documents = pl.concat(
        [table[:30], table[:1].with_columns(id=pl.lit("none"), text=pl.lit("zanzibar"))]
    )
    found = document_topic_table(model, documents, 4)
    assert found.columns == ["id", "topic", "name", "share"]
    expected = model.document_topics(documents["text"], 4)
    about = [name for name, topics in zip(documents["id"], expected, strict=True) if topics.topics]
    assert found["id"].unique(maintain_order=True).to_list() == about
    assert "none" not in about
    for name, topics in zip(documents["id"], expected, strict=True):
        rows = found.filter(pl.col("id") == name)
        assert rows["topic"].to_list() == [one.id for one in topics.topics]
        assert rows["name"].to_list() == [one.name for one in topics.topics]
        np.testing.assert_allclose(
            rows["share"].to_list(), [one.share for one in topics.topics], rtol=1e-6
        )
    assert document_topic_table(model, ["zanzibar"]).height == 0
    found.write_parquet(tmp_path / "table.parquet")


def test_topics_in_the_columns_of_bertopic(model: TopicModel) -> None:
    table, topics = topic_info(model, 2), model.topics(2)
    assert table.columns[:5] == ["Topic", "Count", "Name", "Representation", "Representative_Docs"]
    assert table["Id"].to_list() == [topic.id for topic in topics]
    assert table["Topic"].to_list() == [0, 1]
    first = [word.word for word in topics[0].words]
    assert table["Representation"].to_list()[0] == first
    assert table["Name"][0] == "_".join(["0", *first[:4]])
    assert table["Count"].sum() == sum(topic.documents for topic in topics)
