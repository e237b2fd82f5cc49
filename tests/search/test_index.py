"""An index from its making to its answers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from undertow import InvalidInput, TopicModel
from undertow._errors import IndexFileError, NewerIndex
from undertow.search import Added, Deleted, Index
from undertow.search.filling import survey

PLANTED = "melon juice from a ripe melon, and zanzibar"
MODES = ("semantic", "code", "text", "hybrid")


def ids(hits: Any) -> list[str]:
    return [hit.id for hit in hits]


def one(name: str, text: str, **more: Any) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": [name], "text": [text], **{key: [value] for key, value in more.items()}}
    )


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_a_planted_document(index: Index, mode: str) -> None:
    index.add(one("planted", PLANTED, label="x"))
    hits = index.search(PLANTED, 200, mode=mode)
    best = next(hit for hit in hits if hit.id == "planted")
    assert best.score == hits[0].score  # documents may have equal codes
    assert (best.id, best.text, best.fields["label"]) == ("planted", PLANTED, "x")


@pytest.mark.parametrize("mode", MODES)
def test_results_are_of_the_theme_and_in_order(
    index: Index, table: pl.DataFrame, mode: str
) -> None:
    hits = index.search("engine gear and diesel", 20, mode=mode)
    texts = dict(zip(table["id"], table["text"], strict=True))
    assert len(hits) == 20
    assert all(hit.text == texts[hit.id] and int(hit.id[1:]) % 2 == 1 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_exact_cosines_are_those_of_numpy(
    index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    query = "apple pear and a road"
    vectors, asked = (
        model.encode(texts, "strength").astype(np.float64) for texts in (table["text"], [query])
    )
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked)
    cosines = dict(zip(table["id"], (vectors @ asked[0]) / lengths, strict=True))
    hits = index.search(query, 120, mode="semantic", duplicates=True)
    assert {hit.id for hit in hits} == set(cosines)
    for hit in hits:
        assert hit.score == pytest.approx(cosines[hit.id], abs=2e-3)  # half precision
    best = sorted(cosines.values(), reverse=True)[:10]
    np.testing.assert_allclose([cosines[hit.id] for hit in hits[:10]], best, atol=2e-3)


def test_an_index_is_one_thing_that_can_be_moved(index: Index, tmp_path: Path) -> None:
    before = index.search("apple", 5)
    os.rename(index.path, tmp_path / "moved")
    again = Index.open(tmp_path / "moved")
    assert again.search("apple", 5) == before
    assert len(again) == 120


def test_adding_merges_by_id(index: Index) -> None:
    added = index.add(
        pl.concat([one("d0", "a road and a wheel"), one("new", "a plum")]), replace=True
    )
    assert added == Added(added=1, replaced=1)
    assert len(index) == 121
    assert (
        index.search("wheel", 200, mode="text", where="id = 'd0'")[0].text == "a road and a wheel"
    )
    for mode in MODES:
        assert ids(index.search("road wheel", 200, mode=mode)).count("d0") == 1


def test_deleting(index: Index) -> None:
    assert index.delete(["d1", "nobody's", "d1"]) == Deleted(1, ("nobody's",))
    assert index.delete("nobody") == Deleted(0, ("nobody",))
    assert len(index) == 119
    for mode in MODES:
        assert "d1" not in ids(index.search("engine gear diesel", 200, mode=mode))
    index.optimize()
    assert "d3" in ids(index.search("engine gear diesel", 200, mode="code"))


@pytest.mark.parametrize("mode", MODES)
def test_filters_hold_in_every_mode(index: Index, mode: str) -> None:
    hits = index.search("engine gear", 200, mode=mode, where="label = 'cars' AND id != 'd1'")
    assert hits
    assert {hit.fields["label"] for hit in hits} == {"cars"}
    assert "d1" not in ids(hits)
    assert index.search("engine gear", mode=mode, where="label = 'none'") == []


@pytest.mark.parametrize("mode", MODES)
def test_like_a_document(index: Index, mode: str) -> None:
    hits = index.search(like="d2", n=10, mode=mode)
    assert len(hits) == 10
    assert "d2" not in ids(hits)
    assert all(int(hit.id[1:]) % 2 == 0 for hit in hits)


def test_documents_without_known_words_are_found_by_text(index: Index) -> None:
    index.add(one("odd", "xylophone 木琴"))
    assert ids(index.search("xylophone", mode="text")) == ["odd"]
    assert ids(index.search("xylophone", mode="hybrid")) == ["odd"]
    assert index.search("xylophone", mode="semantic") == []
    assert index.search("xylophone", mode="code") == []
    assert not index.knows("xylophone")
    assert "odd" not in ids(index.search("apple", 200)) + ids(
        index.search("apple", 200, mode="code")
    )


@pytest.mark.parametrize(
    "text",
    [
        "it's \"quoted\" and 'quoted' ''twice'' apple",
        "<script>alert('apple')</script>",
        "apple\n\n\tpear\r\nplum \\ \\n",
        "apple 😀 naïve \u202e zero\u200dwidth",
        "apple'; DROP TABLE documents; --",
        '[bold]apple[/bold] +must -not field:apple (unclosed "apple AND OR NOT *',
    ],
)
def test_texts_are_texts(index: Index, text: str) -> None:
    name = text[:40]
    index.add(one(name, text, label=text))
    for mode in MODES:
        hit = next(hit for hit in index.search(text, 200, mode=mode) if hit.id == name)
        assert (hit.text, hit.fields["label"]) == (text, text)
    quoted = text.replace("'", "''")
    assert ids(index.search("apple", where=f"label = '{quoted}'")) == [name]
    assert index.search(like=name, n=3)
    assert index.delete(name) == Deleted(1, ())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "query or like must be given, one of them, got neither"),
        ({"query": "a", "like": "d1"}, "got both"),
        ({"query": " "}, "query must be a text with something in it"),
        ({"query": "a" * 100_001}, "query must have at most 100,000 characters, got 100,001"),
        ({"query": "a", "n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"query": "a", "n": 1001}, "n must be at most 1,000, got 1,001"),
        (
            {"query": "a", "mode": "magic"},
            "mode must be one of 'hybrid', 'semantic', 'text', 'code', got 'magic'",
        ),
        ({"query": 7}, "query must be a text, got 7"),
        ({"query": "a\udc80"}, "query must be valid Unicode"),
        ({"query": "a", "where": "label = '\udc80'"}, "where must be valid Unicode"),
        ({"like": "nobody"}, "like must be the id of a document of the index, got 'nobody'"),
        ({"query": "a", "where": "author = 'x'"}, "columns of the index .*got 'author'"),
        ({"query": "a", "where": "label='a'; drop table docs"}, "got ';'"),
    ],
)
def test_wrong_questions_are_refused(index: Index, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        index.search(**arguments)


def test_ids_must_differ(index: Index, tmp_path: Path, model: TopicModel) -> None:
    twice = pl.concat([one("a", "apple"), one("b", "pear"), one("a", "plum")])
    with pytest.raises(InvalidInput, match="ids must differ, got 'a' twice"):
        index.add(twice)
    with pytest.raises(InvalidInput, match="ids must differ, got 'a' twice"):
        Index.create(tmp_path / "new", model, twice)
    assert not (tmp_path / "new").exists()
    with pytest.raises(InvalidInput, match="ids must have 1 to 1,024 characters, got one of 0"):
        index.add(one("", "apple"))


def test_texts_alone_are_numbered(tmp_path: Path, model: TopicModel) -> None:
    index = Index.create(tmp_path / "index", model, ["apple pear", "gear and brake"])
    assert ids(index.search("brake", mode="text")) == ["1"]
    empty = Index.create(tmp_path / "empty", model)
    assert empty.search("apple") == empty.search("apple", mode="code") == []
    empty.add(["apple pear"])
    assert ids(empty.search("pear", mode="hybrid")) == ["0"]


def test_times_can_be_compared(tmp_path: Path, model: TopicModel) -> None:
    index = Index.create(tmp_path / "index", model, one("a", "apple"))
    index.add(one("b", "apple", time=datetime(2026, 3, 1, 12, tzinfo=UTC)))
    assert index.columns["time"] == "moment"
    assert ids(index.search("apple", where="time >= DATE '2026-03-01'")) == ["b"]
    assert ids(index.search("apple", where="time IS NULL")) == ["a"]
    days = Index.create(tmp_path / "days", model, one("a", "apple", date=date(2026, 3, 1)))
    assert ids(days.search("apple", where="time = DATE '2026-03-01'")) == ["a"]
    for value, kind, where in (
        ("soon", "text", "'soon'"),
        (1999, "whole", "1999"),
        (0.5, "number", "0.5"),
    ):
        index = Index.create(tmp_path / kind, model, one("a", "apple", year=value))
        assert index.columns["time"] == kind
        assert ids(index.search("apple", where=f"time = {where}")) == ["a"]
    with pytest.raises(
        InvalidInput, match=r"time must hold days such as 2026-01-31, got 'soon' in document 0"
    ):
        days.add(one("b", "apple", date="soon"))


class Interrupt(Exception):
    """In place of Ctrl-C."""


def test_an_interrupted_run_goes_on_where_it_stopped(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)
    seen: list[int] = []

    def stop_at_100(done: int, total: int) -> None:
        assert total == 120
        seen.append(done)
        if done == 100:
            raise Interrupt

    with pytest.raises(Interrupt):
        Index.create(tmp_path / "index", model, table, progress=stop_at_100)
    with pytest.raises(IndexFileError, match="must be finished, got an index half made"):
        Index.open(tmp_path / "index")
    with pytest.raises(InvalidInput, match="an unfinished index of other documents"):
        Index.create(tmp_path / "index", model, table.head(110))
    index = Index.create(
        tmp_path / "index", model, table, progress=lambda done, total: seen.append(done)
    )
    assert seen == [50, 100, 100, 120]
    straight = Index.create(tmp_path / "straight", model, table)
    assert index.search("apple gear", 120) == straight.search("apple gear", 120)


def test_a_finished_index_is_replaced_only_when_asked(
    tmp_path: Path, model: TopicModel, table: pl.DataFrame
) -> None:
    Index.create(tmp_path / "index", model, table)
    with pytest.raises(InvalidInput, match="must not hold a finished index"):
        Index.create(tmp_path / "index", model, table)
    assert len(Index.create(tmp_path / "index", model, table.head(5), overwrite=True)) == 5
    (tmp_path / "index" / "mine.txt").write_text("keep me")
    with pytest.raises(IndexFileError, match=r"an index alone to be replaced, got 'mine.txt'"):
        Index.create(tmp_path / "index", model, table, overwrite=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").touch()
    with pytest.raises(InvalidInput, match="path must be free or hold an index"):
        Index.create(tmp_path / "mine", model, table, overwrite=True)


def test_what_is_opened_is_checked(index: Index, tmp_path: Path, model: TopicModel) -> None:
    facts = index.path / "index.json"
    content = json.loads(facts.read_text())
    with pytest.raises(IndexFileError, match=r"must be a search index, got no index.json"):
        Index.open(tmp_path)
    with pytest.raises(InvalidInput, match="path must be a folder on this machine"):
        Index.open("ftp://bucket/index")
    facts.write_text(json.dumps({**content, "format": 2}))
    with pytest.raises(NewerIndex, match="must be of format 1 or older, got 2"):
        Index.open(index.path)
    facts.write_text(json.dumps({**content, "surprise": 2}))
    with pytest.raises(IndexFileError, match="must describe a search index"):
        Index.open(index.path)
    facts.write_text(json.dumps(content))
    (tmp_path / "outside").mkdir()
    (index.path / "model" / "more").symlink_to(tmp_path / "outside")
    with pytest.raises(IndexFileError, match="got the link 'more' in it"):
        Index.open(index.path)
    (index.path / "model" / "more").unlink()
    model.name_units({0: "another"}).save(index.path / "model", overwrite=True)
    model.softmax_.unit_names_.clear()
    with pytest.raises(IndexFileError, match="the model that it was made with, got another"):
        Index.open(index.path)


def test_damaged_documents_are_an_error_of_ours(index: Index) -> None:
    for file in (index.path / "documents" / "documents.lance" / "data").iterdir():
        file.write_bytes(b"nonsense")
    with pytest.raises(IndexFileError, match="must be as it was written, got 8 bytes where it had"):
        Index.open(index.path)
    for file in (index.path / "documents" / "documents.lance" / "_versions").iterdir():
        file.write_bytes(b"nonsense")
    with pytest.raises(IndexFileError, match="got another kind of file, or one that is cut off"):
        Index.open(index.path)


def test_without_the_database_the_extra_is_named(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    calls: list[Callable[[], Index]] = [
        lambda: Index.open(tmp_path),
        lambda: Index.create(tmp_path / "new", model, ["apple"]),
    ]
    for call in calls:
        with pytest.raises(
            InvalidInput,
            match=r"needs lancedb, which is not installed: pip install 'undertow\[search\]'",
        ):
            call()


def test_others_see_a_change_when_they_look_again(index: Index) -> None:
    other = Index.open(index.path)
    index.add(one("planted", PLANTED))
    assert "planted" not in ids(other.search("plum melon", 200))
    other.refresh()
    assert "planted" in ids(other.search("plum melon", 200))
    other.add(one("second", "plum"))
    assert {"planted", "second"} <= set(ids(other.search("plum melon", 200)))
