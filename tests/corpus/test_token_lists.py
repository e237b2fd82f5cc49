"""Documents that are lists of tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from undertow import InvalidInput, Vectorizer
from undertow.corpus import as_corpus, texts
from undertow.corpus.texts import Watched, shown_list, text_chunks

BASKETS = [["whole milk", "Bread"], [], ["Bread", "Bread", "<b>x</b>"], ["E-42"]]


def chunked(given: Any, rows: int = 5000) -> list[list[list[str]]]:
    return [chunk.to_list() for chunk in text_chunks(given, rows)]


@pytest.mark.parametrize(
    "given",
    [
        BASKETS,
        tuple(map(tuple, BASKETS)),
        iter(BASKETS),
        [np.array(basket, dtype=object) for basket in BASKETS],
        pl.Series(BASKETS),
        pl.Series(BASKETS, dtype=pl.List(pl.Categorical)),
        pd.Series(BASKETS),
    ],
    ids=["lists", "tuples", "iterator", "arrays", "polars", "categories", "pandas"],
)
def test_chunks_of_lists(given: Any) -> None:
    assert chunked(given, 3) == [BASKETS[:3], BASKETS[3:]]


def test_long_lists_make_shorter_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "BYTES", 10)
    given = [["aa", "bb"], ["cccc"], ["dddd"], [], ["e"]]
    assert chunked(given) == [given[:2], given[2:]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([["a"], "b"], "all texts or all lists of tokens, got lists and then 'b' in row 1"),
        (["a", ["b"]], r"all texts or all lists of tokens, got texts and then \['b'\] in row 1"),
        (["a"] * 3 + [["b"]], r"got texts and then \['b'\] in row 3"),
        ([["a"], ["b"], "c"], "got lists and then 'c' in row 2"),
        ([["a", 5]], "tokens must be strings that are not empty, got 5 in row 0"),
        ([["a"], [None]], "tokens must be strings that are not empty, got None in row 1"),
        ([["a", ""]], "tokens must be strings that are not empty, got '' in row 0"),
        ([["a\ud800"]], "tokens must be valid Unicode"),
        (pl.Series([["a"], None]), "tokens must be strings, got null in row 1"),
        (pl.Series([["a"], ["b", None]]), "tokens must be strings, got null in row 1"),
        (pl.Series([["a"], [""]]), "tokens must be strings that are not empty, got '' in row 1"),
        (pl.Series([[1], [2]]), r"tokens must be strings, got a column of type List\(Int64\)"),
    ],
)
def test_what_is_no_list_of_tokens_is_named(given: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        chunked(given, 2)


def test_tokens_are_counted_as_they_are() -> None:
    vectorizer = Vectorizer(segmenter="chinese", strip_html=True)
    counts = vectorizer.fit_transform(BASKETS)
    assert vectorizer.vocabulary_ == {"Bread": 0, "<b>x</b>": 1, "E-42": 2, "whole milk": 3}
    assert counts.toarray().tolist() == [[1, 0, 0, 1], [0] * 4, [2, 1, 0, 0], [0, 0, 1, 0]]
    assert vectorizer.transform([["Bread", "bread"]]).toarray().tolist() == [[1, 0, 0, 0]]
    coverage = vectorizer.coverage([["Bread", "soap"]])
    assert (coverage.tokens, coverage.unknown_words) == (2, (("soap", 1),))


def test_stop_words_stems_and_pairs_are_made_of_them_where_asked_for() -> None:
    plain = Vectorizer(stop_words=["The", "a"]).fit([["The", "a", "the"]])
    assert set(plain.vocabulary_) == {"the"}
    pairs = Vectorizer(ngram_range=(1, 2)).fit([["whole milk", "Bread"]])
    assert set(pairs.vocabulary_) == {"whole milk", "Bread", "whole milk Bread"}
    assert set(Vectorizer(stemmer="english").fit([["cars", "car"]]).vocabulary_) == {"car"}


def test_a_text_is_then_read_as_tokens_are_shown() -> None:
    vectorizer = Vectorizer().fit([["E-42", "Retry"], ["E-42"]])
    assert vectorizer.tokens_
    text = vectorizer.transform(["E-42 Retry retry E"])
    np.testing.assert_array_equal(text.toarray(), [[1, 1]])
    np.testing.assert_array_equal(vectorizer.counter().counts(["E-42 Retry"]).toarray(), [[1, 1]])
    assert not vectorizer.fit(["E-42 Retry"]).tokens_
    assert set(vectorizer.vocabulary_) == {"42", "retry"}
    assert vectorizer.transform([["42", "Retry"]]).toarray().tolist() == [[1, 0]]


def test_a_fixed_vocabulary_knows_what_it_counts() -> None:
    vectorizer = Vectorizer(vocabulary=["E-42", "Retry"])
    counts = vectorizer.fit_transform([["E-42"], ["Retry", "E-42"]])
    assert counts.toarray().tolist() == [[1, 0], [1, 1]]
    assert vectorizer.settings()["tokens"]
    assert vectorizer.transform(["E-42"]).toarray().tolist() == [[1, 0]]


def test_more_lists_join_the_counts() -> None:
    vectorizer = Vectorizer().partial_fit([["A", "B"]]).partial_fit([["A", "C"]])
    assert vectorizer.vocabulary_ == {"A": 0, "B": 1, "C": 2}
    chunks = vectorizer.partial_fit_chunks(iter([["C", "D"]]))
    assert [chunk.toarray().tolist() for chunk in chunks] == [[[0, 0, 1, 1]]]
    assert list(vectorizer.vocabulary_) == ["A", "B", "C", "D"]


def test_they_are_shown_with_spaces_between() -> None:
    seen: list[str] = []
    list(text_chunks(Watched(BASKETS, lambda texts, ids: seen.extend(texts))))
    assert seen == shown_list(BASKETS) == ["whole milk Bread", "", "Bread Bread <b>x</b>", "E-42"]
    assert shown_list(["a text"]) == ["a text"]
    (chunk,) = as_corpus([["E-42", "Retry"], []]).chunks()
    assert chunk["text"].to_list() == ["E-42 Retry", ""]
    with pytest.raises(
        InvalidInput, match=r"tokens must hold no white space where .* got 'whole milk'"
    ):
        as_corpus(BASKETS)
