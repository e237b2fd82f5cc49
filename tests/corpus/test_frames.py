"""Tables of pandas are taken where those of polars are."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from undertow import InvalidInput, Vectorizer
from undertow.corpus import as_corpus
from undertow.corpus.texts import columns_of, text_chunks, with_columns

FRAME = pd.DataFrame(
    {
        "key": [7, 8],
        "Body": ["one two", "two three"],
        "label": pd.Series(["x", None], dtype=object),
        "kind": pd.Categorical(["p", "q"]),
        "date": pd.to_datetime(["2020-01-01", None]),
        "when": pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"),
        "score": [1.5, np.nan],
        3: [["a"], 5],
    }
)
FRAME.index = pd.Index([5, 5])


def test_columns_are_found_and_read_as_in_polars() -> None:
    corpus = as_corpus(FRAME)
    assert corpus.names == {"text": "Body", "label": "label", "time": "date"}
    (chunk,) = corpus.keeping(["key", "kind", "when", "score"]).chunks()
    assert chunk["id"].to_list() == ["0", "1"]
    assert chunk["label"].to_list() == ["x", None]
    assert chunk["time"].to_list() == [datetime.datetime(2020, 1, 1), None]
    assert chunk["key"].to_list() == [7, 8]
    assert chunk["kind"].to_list() == ["p", "q"]
    assert chunk["when"][1] == datetime.datetime(2021, 1, 1, tzinfo=datetime.UTC)
    assert chunk["score"].to_list() == [1.5, None]
    assert columns_of(FRAME) == corpus.names
    assert [texts.to_list() for texts in text_chunks(FRAME)] == [["one two", "two three"]]
    assert with_columns(FRAME, {"text": "kind"}).names["text"] == "kind"


def test_counts_are_those_of_the_column() -> None:
    column = FRAME["Body"]
    counts = Vectorizer().fit_transform(FRAME)
    np.testing.assert_array_equal(
        counts.toarray(), Vectorizer().fit_transform(column.tolist()).toarray()
    )
    np.testing.assert_array_equal(counts.toarray(), Vectorizer().fit_transform(column).toarray())


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "text_column must be given"),
        (pd.DataFrame({"text": ["x", None]}), "texts must be strings, got null in row 1"),
        (pd.DataFrame({"text": ["x", 5]}), "text_column must hold strings, got Object"),
        (pd.DataFrame([["x", "y"]], columns=["text", "text"]), "got 'text' twice"),
        (pl.DataFrame({"text": [["x"]]}), r"text_column must hold strings, got List\(String\)"),
    ],
)
def test_what_is_no_table_of_texts_is_named(frame: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        list(text_chunks(frame))
