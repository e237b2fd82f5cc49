"""Seats that other libraries have for objects with `fit` and `transform`, as they use them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from undertow import ReplicatedSoftmax, TopicModel, Vectorizer

TEXTS = ["a rocket flew to the moon", "ripe apples and pears"] * 15


def embed(pipeline: Any, documents: list[str]) -> Any:
    """As BERTopic does with a pipeline of scikit-learn for its `embedding_model`."""
    assert isinstance(pipeline, Pipeline)
    try:
        check_is_fitted(pipeline)
        return pipeline.transform(documents)
    except NotFittedError:
        return pipeline.fit_transform(documents)


def test_a_pipeline_of_a_topic_model_embeds_documents() -> None:
    model = TopicModel(4, max_epochs=2, random_state=0)
    pipeline = make_pipeline(model)
    first = embed(pipeline, TEXTS)
    assert (first.dtype, len(first)) == (np.float32, 30)
    np.testing.assert_array_equal(embed(pipeline, TEXTS[:3]), first[:3])
    np.testing.assert_array_equal(embed(make_pipeline(pipeline[0]), TEXTS[:3]), first[:3])


@pytest.mark.parametrize("dense", [False, True])
def test_a_softmax_reduces_embeddings_that_are_counts(dense: bool) -> None:
    """As BERTopic does with its `umap_model`."""
    counts = embed(make_pipeline(Vectorizer()), TEXTS)
    counts = counts.toarray() if dense else counts
    softmax = ReplicatedSoftmax(4, max_epochs=2, random_state=0)
    softmax.fit(counts, y=np.zeros(30))
    assert np.isfinite(softmax.transform(counts[:5])).all()


def test_a_column_of_texts_beside_one_of_numbers() -> None:
    table = pl.DataFrame({"text": TEXTS, "price": np.arange(30.0)})
    model = TopicModel(4, max_epochs=2, random_state=0)
    columns = ColumnTransformer([("topics", model, "text"), ("price", StandardScaler(), ["price"])])
    assert columns.fit_transform(table).shape[0] == 30
