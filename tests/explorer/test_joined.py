"""The explorer on an index whose vectors are joined with those of another encoder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import numpy as np
import polars as pl

from tests.explorer.asking import explorer, got
from undertow import TopicModel
from undertow.search import Index


def test_topics_are_those_of_joined_vectors(
    small_model: TopicModel, small_table: pl.DataFrame, tmp_path: Path
) -> None:
    small_model.save(tmp_path / "model")
    vectors = (
        np.eye(5)[np.arange(small_table.height) % 5]
        + np.random.default_rng(0).normal(size=(301, 5)) / 9
    )
    model = TopicModel.from_stored(
        Index.create(tmp_path / "plain", small_model)._encoder.stored, tmp_path
    )
    model.grow_topics(small_table, vectors=vectors)
    index = Index.create(tmp_path / "joined", model, small_table, vectors=vectors)
    with explorer(tmp_path / "joined") as client:
        found = got(client, "/api/search?q=" + quote("violin concert") + "&n=5")["results"]
        assert len(found) == 5
        for result in found:
            row = small_table["id"].to_list().index(result["id"])
            text = index.documents([result["id"]])[0]
            assert text is not None
            told = model.document_topics([text.text], vectors=vectors[row : row + 1])[0].topics
            assert [one["id"] for one in result["topics"]] == [one.id for one in told[:2]]
            shown = got(client, f"/api/documents/{result['id']}")
            assert [one["id"] for one in shown["topics"]] == [one.id for one in told]
