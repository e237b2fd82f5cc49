"""Odd documents and odd orders of doing things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow import InvalidInput, TopicModel
from undertow.corpus import as_corpus, open_corpus
from undertow.search import Added, Deleted, Index
from undertow.search.filling import survey

MODES = ("semantic", "code", "text", "hybrid")
LETTERS = st.characters(codec="utf-8") | st.sampled_from("'\"\\`%_;-\n\r\t\0 \u202e😀")


def ids(hits: Any) -> list[str]:
    return [hit.id for hit in hits]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, model: TopicModel) -> Index:
    return Index.create(tmp_path_factory.mktemp("odd") / "index", model, ["apple"])


@pytest.mark.torture
@settings(max_examples=25, deadline=None)
@given(
    names=st.lists(st.text(LETTERS, min_size=1, max_size=30), min_size=1, max_size=4, unique=True),
    text=st.text(LETTERS),
)
def test_ids_and_texts_of_any_letters(shared: Index, names: list[str], text: str) -> None:
    names = [f"x{name}" for name in names]
    text = f"{text} apple"
    rows = pl.DataFrame({"id": names, "text": [text] * len(names), "label": names})
    assert shared.add(rows) == Added(len(names))
    assert shared.add(rows, replace=True) == Added(0, len(names))
    for mode in MODES:
        assert set(names) <= set(ids(shared.search("apple", 1000, mode=mode, duplicates=True)))
    for name in names:
        found = shared.document(name)
        assert found is not None
        assert (found.text, found.fields["label"]) == (text, name)
        quoted = name.replace("'", "''")
        assert ids(shared.search("apple", where=f"id = '{quoted}' AND label = '{quoted}'")) == [
            name
        ]
        assert name not in ids(shared.search(like=name, n=1000, duplicates=True))
    assert shared.delete(names) == Deleted(len(names), ())
    assert len(shared) == 1


def test_documents_of_which_the_model_knows_nothing(tmp_path: Path, model: TopicModel) -> None:
    index = Index.create(tmp_path / "index", model, ["xylophone", "", " ", "!!!", "木琴 木琴"])
    assert len(index) == 5
    for mode in MODES:
        assert index.search("apple", mode=mode) == []
    assert ids(index.search("xylophone", mode="text")) == ["0"]
    assert index.search(like="0", mode="semantic") == []
    for name in ("1", "2"):
        with pytest.raises(InvalidInput, match="something in it"):
            index.search(like=name)
    index.optimize()
    assert ids(index.search("xylophone", mode="hybrid")) == ["0"]
    index.add(pl.DataFrame({"id": ["5"], "text": ["apple xylophone"]}))
    assert ids(index.search("apple")) == ["5"]


def test_no_documents_at_all(tmp_path: Path, model: TopicModel) -> None:
    with pytest.raises(InvalidInput, match="corpus must hold a document"):
        Index.create(
            tmp_path / "index", model, pl.DataFrame({"text": []}, schema={"text": pl.String})
        )
    (tmp_path / "empty.csv").write_text("id,text\n")
    with pytest.raises(InvalidInput, match="corpus must hold a document"):
        Index.create(tmp_path / "index", model, open_corpus(tmp_path / "empty.csv"))
    assert not (tmp_path / "index").exists()
    index = Index.create(tmp_path / "index", model)
    assert len(index) == 0
    for mode in MODES:
        assert index.search("apple", mode=mode) == []
        assert index.search("apple", mode=mode, where="label = 'a' OR id LIKE '%'") == []
    assert index.delete("nobody") == Deleted(0, ("nobody",))
    index.optimize()
    with pytest.raises(InvalidInput, match="corpus must hold a document"):
        index.add(pl.DataFrame({"text": []}, schema={"text": pl.String}))
    assert index.add(["apple"]) == Added(1, made=("0", "0"))


def test_all_deleted_and_added_again(index: Index, table: pl.DataFrame) -> None:
    straight = Index.create(index.path.parent / "straight", index.model, table)
    for turn in range(3):
        assert index.delete(table["id"].to_list()).documents == 120
        assert len(index) == 0
        for mode in MODES:
            assert index.search("apple gear", mode=mode) == []
        if turn == 1:
            index.optimize()
        assert index.add(table) == Added(120)
        assert len(index) == 120
        for mode in MODES:
            found = ids(index.search("apple gear", 200, mode=mode))
            assert sorted(found) == sorted(ids(straight.search("apple gear", 200, mode=mode)))
    index.optimize()
    for mode in MODES:
        scores = [round(hit.score, 4) for hit in index.search("apple gear", 50, mode=mode)]
        assert scores == [
            round(hit.score, 4) for hit in straight.search("apple gear", 50, mode=mode)
        ]


def test_many_ids_at_once(index: Index, table: pl.DataFrame) -> None:
    names = [f"it's {number}" for number in range(1500)]
    index.add(pl.DataFrame({"id": names, "text": ["apple"] * 1500}))
    assert index.delete([*names, *(f"no {number}" for number in range(1500))]).documents == 1500
    assert len(index) == 120


def test_long_documents_are_cut_into_commits_by_their_bytes(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "BYTES", 1000)
    texts = ["apple " * length for length in (100, 100, 1, 1, 500, 1, 300)]
    corpus = as_corpus(texts)
    found = survey.survey(corpus, {})
    pieces = [chunk.height for chunk in survey.chunks_from(corpus, 0, found)]
    assert sum(pieces) == 7
    assert len(pieces) >= 4
    for first in range(8):
        rest = [
            text for chunk in survey.chunks_from(corpus, first, found) for text in chunk["text"]
        ]
        assert rest == texts[first:]
    assert len(Index.create(tmp_path / "index", model, texts)) == 7
