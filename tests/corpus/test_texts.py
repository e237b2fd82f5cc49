"""Texts of every kind on one path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from undertow._errors import InvalidInput
from undertow.corpus import as_corpus, texts
from undertow.corpus.texts import Watched, text_chunks

WORDS = ["one", "zwei", "три", "τέσσερα", ""]


@pytest.mark.parametrize(
    "given",
    [
        WORDS,
        tuple(WORDS),
        dict.fromkeys(WORDS),
        np.array(WORDS),
        np.array(WORDS, dtype=object),
        pd.Series(WORDS),
        pd.Series(WORDS, dtype=object),
        pl.Series(WORDS),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.DataFrame({"text": WORDS}),
        pl.LazyFrame({"id": range(5), "text": WORDS}),
        as_corpus(WORDS),
    ],
    ids=lambda given: type(given).__name__,
)
def test_chunks(given: Any) -> None:
    chunks = list(text_chunks(given, 2))
    assert [chunk.to_list() for chunk in chunks] == [WORDS[:2], WORDS[2:4], WORDS[4:]]
    assert all(chunk.dtype == pl.String for chunk in chunks)


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        (WORDS, None),
        (iter(WORDS), None),
        (pl.Series(WORDS), None),
        (as_corpus(WORDS), ["0", "1", "2", "3", "4"]),
        (pl.LazyFrame({"id": [7, 8, 9, 10, 11], "text": WORDS}), ["7", "8", "9", "10", "11"]),
        (pl.DataFrame({"key": list("abcde"), "text": WORDS}), ["0", "1", "2", "3", "4"]),
    ],
    ids=["list", "iterator", "series", "corpus", "with ids", "without"],
)
def test_whoever_watches_sees_all_texts_once_with_their_ids(
    given: Any, ids: list[str] | None
) -> None:
    seen: list[str] = []
    names: list[str] = []

    def see(texts: pl.Series, identities: pl.Series | None) -> None:
        seen.extend(texts.to_list())
        assert (identities is None) == (ids is None)
        names.extend([] if identities is None else identities.to_list())

    chunks = [chunk.to_list() for chunk in text_chunks(Watched(given, see), 2)]
    assert chunks == [WORDS[:2], WORDS[2:4], WORDS[4:]]
    assert seen == WORDS
    assert names == (ids or [])


def test_long_documents_are_watched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "BYTES", 5)
    for given in (WORDS, as_corpus(WORDS)):
        seen: list[pl.Series] = []
        chunks = list(text_chunks(Watched(given, lambda *watched: seen.append(watched[0])), 5))  # noqa: B023 - read here
        assert len(chunks) > 1
        assert pl.concat(seen).to_list() == pl.concat(chunks).to_list() == WORDS


def test_an_iterator_is_read_as_it_goes() -> None:
    seen = []

    def source() -> Any:
        for word in WORDS:
            seen.append(word)
            yield word

    chunks = text_chunks(source(), 2)
    assert next(chunks).to_list() == WORDS[:2]
    assert seen == WORDS[:2]


def test_long_documents_make_shorter_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "BYTES", 10)
    given = ["a" * 4, "b" * 4, "c" * 4, "d" * 50, "e", "f"]
    chunks = [chunk.to_list() for chunk in text_chunks(given)]
    assert chunks == [["aaaa", "bbbb"], ["cccc"], ["d" * 50, "e", "f"]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("a text", "texts must be a collection of strings, a string a document, got 'a text'"),
        (b"bytes", "texts must be a collection of strings"),
        (5, "texts must be a collection of strings"),
        (["a", "b", None], "texts must be strings, got None in row 2"),
        (["a", "b", 5], "texts must be strings, got 5 in row 2"),
        (["a", float("nan")], "texts must be strings, got nan in row 1"),
        ([b"a"], "texts must be strings, got b'a' in row 0"),
        (
            ["a", "b\ud800"],
            r"texts must be valid Unicode, got half of a surrogate pair, '\\ud800', in row 1",
        ),
        (np.array([["a"]]), r"texts must have one dimension, got an array of shape \(1, 1\)"),
        (pl.Series(["a", None]), "texts must be strings, got null in row 1"),
        (pl.Series([1, 2]), "texts must be strings, got a column of type Int64"),
        (pd.Series(["a", None], dtype=object), "texts must be strings, got None in row 1"),
    ],
)
def test_what_is_no_text_is_named(given: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        list(text_chunks(given, 2))
