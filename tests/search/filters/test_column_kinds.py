"""Columns that are kept on request: their kinds, their values, filters on them, and what is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow import InvalidInput, TopicModel
from undertow.corpus import open_corpus
from undertow.search import Index
from undertow.search.filling import survey
from undertow.search.filters.column_kinds import COLUMN_KINDS, KindGuess, as_kind, kind_of
from undertow.search.filters.kept_columns import wanted

ROWS: dict[str, list[Any]] = {
    "id": ["a", "b", "c"],
    "text": ["apple pear", "plum juice", "gear and brake"],
    "author": ["Ann O'Hara", None, "Łukasz \n 😀"],
    "rating": [5, None, -3],
    "score": [0.5, None, 1e300],
    "seen": [True, None, False],
    "date": [date(2026, 1, 31), None, date(1999, 12, 31)],
    "at": [datetime(2026, 1, 31, 12, 30), None, datetime(1999, 12, 31)],
}
KEPT = {"author": "text", "rating": "whole", "score": "number", "seen": "flag", "date": "day"}
FILTERS = {
    "author = 'Ann O''Hara'": "a",
    "author LIKE '%😀'": "c",
    "rating < 0": "c",
    "rating IN (5, 6)": "a",
    "score > 1.5": "c",
    "seen = TRUE": "a",
    "date >= DATE '2026-01-01'": "a",
    "at = TIMESTAMP '2026-01-31 12:30:00'": "a",
    "NOT (rating = 5 OR seen = FALSE) AND date IS NULL": "",  # unknown is not true
    " AND ".join(
        f"{name} IS NULL" for name in ("rating", "author", "score", "seen", "date", "at")
    ): "b",
}


def written(folder: Path, suffix: str, rows: Mapping[str, list[Any]] = ROWS) -> Path:
    """A file of the rows, with the date under another name than those that are taken for the
    time.
    """
    table = pl.DataFrame(rows)
    path = folder / f"corpus.{suffix}"
    if suffix == "parquet":
        table.write_parquet(path)
    elif suffix == "csv":
        table.write_csv(path)
    else:
        path.write_text(table.write_ndjson())
    return path


@pytest.mark.parametrize(
    ("suffix", "keep"), [("parquet", None), ("csv", [*KEPT, "at"]), ("jsonl", None)]
)
def test_kept_columns_are_typed_filtered_and_shown(
    tmp_path: Path, model: TopicModel, suffix: str, keep: Any
) -> None:
    corpus = open_corpus(written(tmp_path, suffix), time_column="at")
    index = Index.create(tmp_path / "index", model, corpus, keep=keep)
    own = {"id": "text", "text": "text", "label": "text", "split": "text", "time": "moment"}
    assert index.columns == {**own, **KEPT}
    hits = {hit.id: hit for hit in index.search("apple pear plum gear", 10, mode="text")}
    for number, name in enumerate("abc"):
        expected = {column: ROWS[column][number] for column in KEPT}
        assert hits[name].fields == {
            "label": None,
            "split": None,
            "time": ROWS["at"][number],
            **expected,
        }
    for where, found in FILTERS.items():
        assert (
            "".join(hit.id for hit in index.search("apple plum gear", where=where, mode="text"))
            == found
        ), where
    document = index.document("a")
    assert document is not None
    assert document.fields["rating"] == 5


def test_kinds_can_be_told(tmp_path: Path, model: TopicModel) -> None:
    corpus = open_corpus(written(tmp_path, "csv"), time_column="at")
    index = Index.create(
        tmp_path / "index", model, corpus, keep=["rating:number", "score:text", "date:moment"]
    )
    assert {name: index.columns[name] for name in ("rating", "score", "date")} == {
        "rating": "number",
        "score": "text",
        "date": "moment",
    }
    assert index.search("apple", where="rating > 4.5 AND score = '0.5'")[0].fields[
        "date"
    ] == datetime(2026, 1, 31)
    table = pl.DataFrame(ROWS).drop("at")
    same = Index.create(
        tmp_path / "table", model, table, keep={"rating": "number", "score": "text", "seen": None}
    )
    assert (same.columns["rating"], same.columns["score"], same.columns["seen"]) == (
        "number",
        "text",
        "flag",
    )


def test_what_is_added_has_the_same_columns(tmp_path: Path, model: TopicModel) -> None:
    table = pl.DataFrame(ROWS).drop("at", "date")
    index = Index.create(tmp_path / "index", model, table, keep=["author", "rating", "seen"])
    (tmp_path / "more.csv").write_text("id,text,seen,rating,author,other\nd,cherry,TRUE,007,Bo,x\n")
    added = index.add(open_corpus(tmp_path / "more.csv"))
    assert added.remarks == ("not kept by the index: 'other'",)
    assert index.search("cherry", mode="text")[0].fields == {
        "label": None,
        "split": None,
        "author": "Bo",
        "rating": 7,
        "seen": True,
    }
    before = index.version
    one = table.head(1).with_columns(id=pl.lit("new"))
    wrong: list[tuple[pl.DataFrame, str]] = [
        (
            one.with_columns(rating=0.5),
            "rating must hold whole numbers of 64 bits, got a column of Float64",
        ),
        (
            one.with_columns(rating=pl.lit("5x")),
            "rating must hold whole numbers of 64 bits, got '5x' in document 0",
        ),
        (one.with_columns(seen=1), "seen must hold true or false, got a column of Int32"),
        (one.with_columns(author=pl.lit([1])), "author must hold .* got a column of List"),
    ]
    for rows, message in wrong:
        with pytest.raises(InvalidInput, match=message):
            index.add(rows)
    assert (index.version, len(index)) == (before, 4)


def test_a_wrong_value_at_the_end_changes_nothing(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 2)
    index = Index.create(
        tmp_path / "index", model, pl.DataFrame(ROWS).drop("at", "date"), keep="rating"
    )
    (tmp_path / "more.csv").write_text("id,text,rating\nf,pear,1\nd,plum,2\ne,plum,three\n")
    with pytest.raises(InvalidInput, match=r"rating must hold .*, got 'three' in document 2"):
        index.add(open_corpus(tmp_path / "more.csv"))
    assert index.search("apple", mode="text")[0].fields["rating"] == 5
    assert len(index) == 3


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (["label:whole"], "keep must not give a kind to the label, which is a text, got 'whole'"),
        (["Vector"], "kept columns must be those of the table, which has .*; got 'Vector'"),
        (["no"], "kept columns must be those of the table, which has .*; got 'no'"),
        ([""], "must name columns by 1 to 200 characters that can be shown, got ''"),
        (["a\nb"], "that can be shown, got 'a"),
        (["rating", "rating"], "must name columns that differ, got 'rating' again"),
        (["rating:integer"], "must give a kind of flag, whole, .*, got 'integer' for rating"),
        ([3], "must hold names of columns, got 3"),
        ({"rating": "x"}, "must give a kind of"),
        ([f"c{number}" for number in range(65)], "at most 64 columns, got 65"),
        (
            ["author:whole"],
            'author must hold whole numbers of 64 bits, got "Ann O\'Hara" in document 0',
        ),
        (["lists"], "lists must hold true or false, .* got a column of List"),
        (
            ["huge"],
            "huge must hold whole numbers of 64 bits, got 18446744073709551615 in document 0",
        ),
        (["far"], "far must hold days such as 2026-01-31, got .* in document 0"),
    ],
)
def test_wrong_wishes_are_refused_before_anything_is_made(
    tmp_path: Path, model: TopicModel, keep: Any, message: str
) -> None:
    columns = {
        "lists": pl.Series([[1]] * 3),
        "huge": pl.Series([2**64 - 1] * 3, dtype=pl.UInt64),
        "far": pl.Series([4_000_000] * 3, dtype=pl.Int32).cast(pl.Date),
        "label": pl.Series(["x"] * 3),
    }
    with pytest.raises(InvalidInput, match=message):
        Index.create(
            tmp_path / "index", model, pl.DataFrame(ROWS).with_columns(**columns), keep=keep
        )
    assert not (tmp_path / "index").exists()


def test_an_index_begun_without_documents_is_told_the_kinds(
    tmp_path: Path, model: TopicModel
) -> None:
    with pytest.raises(
        InvalidInput, match=r"keep must give kinds where there is no corpus .*got none for 'rating'"
    ):
        Index.create(tmp_path / "index", model, keep=["author:text", "rating"])
    index = Index.create(tmp_path / "index", model, keep=["author:text", "rating:whole"])
    index.add(pl.DataFrame(ROWS).drop("at", "date"))
    assert (
        index.search("apple", where="rating = 5", mode="text")[0].fields["author"] == "Ann O'Hara"
    )


@pytest.mark.parametrize(
    "name", ["select", "order", "Count", "timestamp", "date", "x1", "user", "distance", "row"]
)
def test_names_that_mean_something_elsewhere(tmp_path: Path, model: TopicModel, name: str) -> None:
    table = pl.DataFrame({"text": ["apple", "apple"], "time": [1, 2], name: [1, 2]})
    index = Index.create(tmp_path / "index", model, table)
    for mode in ("semantic", "code", "text", "hybrid"):
        hits = index.search("apple", where=f"{name} > 1 AND {name} = 2", mode=mode)
        assert [(hit.id, hit.fields[name]) for hit in hits] == [("1", 2)]


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "flag": st.booleans(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "day": st.dates(),
    "moment": st.datetimes(),
    "text": st.text(st.characters(codec="utf-8")),
}
TYPES: dict[str, Any] = {
    "flag": pl.Boolean,
    "whole": pl.Int64,
    "number": pl.Float64,
    "day": pl.Date,
    "moment": pl.Datetime("us"),
    "text": pl.String,
}


def as_written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.torture
@settings(deadline=None)  # the first texts that may be dates wait for patterns to be compiled
@given(st.data(), st.sampled_from(list(COLUMN_KINDS)))
def test_what_is_written_is_read_again(data: st.DataObject, kind: str) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=8))
    strings = pl.Series(
        "x", [None if value is None else as_written(value) for value in values], dtype=pl.String
    )
    assert as_kind(strings, kind).to_list() == values
    typed = pl.Series("x", values, dtype=TYPES[kind])
    assert kind_of(typed) == kind
    assert as_kind(typed, kind).to_list() == values
    guess = KindGuess()
    guess.look(strings[:3])
    guess.look(strings[3:])
    order = list(COLUMN_KINDS)
    if any(value is not None for value in values):
        assert order.index(guess.kind) <= order.index(kind)  # a text may happen to be a number
        assert as_kind(strings, guess.kind).null_count() == strings.null_count()
    else:
        assert guess.kind == "text"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "0", "-7", "+7"], "whole"),
        (["1", "2.5", "1e3", ".5"], "number"),
        (["1", "x"], "text"),
        (["007", "12"], "text"),
        (["-01.5"], "text"),
        (["9223372036854775808"], "number"),
        (["1e999"], "text"),
        (["nan", "inf"], "text"),
        (["true", "False"], "flag"),
        (["true", "1"], "text"),
        (["2026-01-31", None], "day"),
        (["2026-01-31", "2026-01-31T12:00Z"], "moment"),
        (["2026-02-30"], "text"),
        (["20260131"], "whole"),
        (["2026-W05-6"], "text"),
        ([" 1"], "text"),
        ([None, None], "text"),
        ([""], "text"),
        (["٣"], "text"),
    ],
)
def test_the_narrowest_kind_that_fits(values: list[str | None], kind: str) -> None:
    guess = KindGuess()
    guess.look(pl.Series("x", values, dtype=pl.String))
    assert guess.kind == kind


def test_values_of_other_types() -> None:
    east = timezone(timedelta(hours=2))
    moments = pl.Series("x", [datetime(2026, 1, 1, 1, tzinfo=east)]).cast(
        pl.Datetime("ns", "Europe/Paris")
    )
    assert as_kind(moments, "moment").to_list() == [datetime(2025, 12, 31, 23)]
    assert as_kind(pl.Series(["2026-01-01 01:00:00.123456789+02:00"]), "moment").to_list() == [
        datetime(2025, 12, 31, 23, 0, 0, 123456)
    ]
    assert as_kind(pl.Series([datetime(2026, 1, 1, tzinfo=UTC)]), "moment").to_list() == [
        datetime(2026, 1, 1)
    ]
    assert as_kind(pl.Series([float("nan"), 1.0, None]), "number").to_list() == [None, 1.0, None]
    assert as_kind(pl.Series([Decimal("1.50")]), "number").to_list() == [1.5]
    assert as_kind(pl.Series(["b", "a"], dtype=pl.Categorical), "text").to_list() == ["b", "a"]
    assert as_kind(pl.Series([None, None]), "whole").to_list() == [None, None]
    assert as_kind(pl.Series([1, None]), "text").to_list() == ["1", None]
    with pytest.raises(InvalidInput, match="must hold moments such as"):
        as_kind(pl.Series(["0001-01-01T00:00+02:00"]), "moment")  # before the first year


def test_wishes() -> None:
    assert wanted(["a", "b:number"]) == {"a": None, "b": "number"}
    assert wanted("a:text") == {"a": "text"}
    assert wanted({"a": None, "b": "day"}) == {"a": None, "b": "day"}
    assert wanted(()) == {}
