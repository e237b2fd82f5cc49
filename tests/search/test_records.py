"""Whole records: titles, links, all columns under their own names, and dates as people write
them.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from undertow import InvalidInput, TopicModel, load
from undertow.corpus import as_corpus, open_corpus
from undertow.search import Index
from undertow.search.filters.column_names import ColumnNames, stored_names, written
from undertow.search.filters.expression import expression, names_of
from undertow.search.filters.kept_columns import MOST, chosen
from undertow.search.record import web_link

TABLE = pl.DataFrame(
    {
        "id": ["a", "b", "c"],
        "headline": ["Melon harvest", "apple pear", None],
        "body": ["apple pear plum", "apple pear. gear", "gear and brake"],
        "Desk": ["politics", "sport", "sport"],
        "category": ["fruit", "both", None],
        "Word Count": [3, 4, 5],
        "code": ["x", "y", "z"],
        "größe": [1.5, 2.5, None],
        'a"b`c': [True, False, None],
        "not": ["p", "q", "r"],
        "link": ["https://e.org/a?x=1&y=2", "javascript:alert(1)", None],
    }
)


@pytest.fixture(scope="module")
def index(model: TopicModel, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.create(tmp_path_factory.mktemp("records") / "index", model, TABLE)


def found(index: Index, where: str) -> str:
    return "".join(sorted(hit.id for hit in index.search("apple gear", where=where, mode="text")))


def test_all_columns_are_kept_under_their_own_names(index: Index) -> None:
    assert index.columns == {
        **dict.fromkeys(("id", "text", "label", "split", "title", "url", "Desk"), "text"),
        **{
            "Word Count": "whole",
            "code": "text",
            "größe": "number",
            'a"b`c': "flag",
            "not": "text",
        },
    }
    assert index.remarks == ()
    hit = index.search("apple", where="id = 'a'", mode="text")[0]
    assert hit.fields == {
        **{
            "label": "fruit",
            "split": None,
            "title": "Melon harvest",
            "url": "https://e.org/a?x=1&y=2",
        },
        **{
            "Desk": "politics",
            "Word Count": 3,
            "code": "x",
            "größe": 1.5,
            'a"b`c': True,
            "not": "p",
        },
    }
    document = index.document("a")
    assert document is not None
    assert document.fields == hit.fields
    own = {"id": "id", "text": "body", "title": "headline", "label": "category", "url": "link"}
    assert index.corpus_columns == {
        "split": "split",
        **own,
    }  # the model was fitted on a table with a split


def test_an_opened_index_knows_the_names_too(index: Index) -> None:
    opened = Index.open(index.path)
    assert opened.columns == index.columns
    assert found(opened, "category = 'both' AND \"Word Count\" > 3") == "b"
    batch = next(opened.scan(["id", "Word Count", "größe", "label"]))
    assert dict(zip(batch["id"], batch["Word Count"], strict=True)) == {"a": 3, "b": 4, "c": 5}
    with pytest.raises(InvalidInput, match="columns must be one of"):
        next(opened.scan(["Word_Count"]))


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("Desk = 'politics'", "a"),
        ("desk = 'politics'", "a"),  # in any case, if that leaves one
        ("DESK = 'sport' AND NOT id = 'c'", "b"),
        ("category = 'fruit'", "a"),
        ("label = 'fruit'", "a"),
        ("Category IS NULL", "c"),
        ("headline LIKE 'Melon%' OR title = 'x'", "a"),
        ("body LIKE 'gear%'", "c"),
        ('"Word Count" >= 4', "bc"),
        ("`word count` IN (3, 5)", "ac"),
        ("größe > 2", "b"),
        ("code = 'y'", "b"),
        ('"a""b`c" = TRUE', "a"),
        ('`a"b``c` = FALSE', "b"),
        ('"not" = \'r\' AND "label" IS NULL', "c"),
        ("link LIKE 'https:%'", "a"),
    ],
)
def test_filters_name_columns_as_the_corpus_does(index: Index, where: str, ids: str) -> None:
    assert found(index, where) == ids


def test_a_name_that_could_be_two(tmp_path: Path, model: TopicModel) -> None:
    table = pl.DataFrame(
        {"text": ["apple"] * 2, "a": [1, 2], "A": [2, 1], "Label": ["x", "y"], "label": ["y", "x"]}
    )
    index = Index.create(tmp_path / "index", model, table)
    assert [hit.fields["A"] for hit in index.search("apple", where="A = 2")] == [2]
    assert [hit.fields["A"] for hit in index.search("apple", where="a = 2")] == [1]
    assert [hit.id for hit in index.search("apple", where="Label = 'x' AND label = 'y'")] == ["0"]
    with pytest.raises(
        InvalidInput, match="where must name one column, got 'LABEL', which could be label or Label"
    ):
        index.search("apple", where="LABEL = 'x'")
    with pytest.raises(InvalidInput, match=r"columns of the index \(id, .*\), got 'b'"):
        index.search("apple", where="b = 1")


def test_a_column_with_the_name_of_a_role_that_another_has(
    tmp_path: Path, model: TopicModel
) -> None:
    (tmp_path / "a.csv").write_text("text,label,stars,title\napple,x,5,t\ngear,y,4,u\n")
    corpus = open_corpus(tmp_path / "a.csv", label_column="stars", title_column="")
    index = Index.create(tmp_path / "index", model, corpus)
    assert index.search("apple", where="label = '5' AND stars = '5'")[0].fields == {
        **{"label": "5", "split": None, "label_": "x", "title_": "t"}
    }
    assert index.search("apple", where="title = 't' AND label_ = 'x'")[0].text == "apple"


def test_names_to_store() -> None:
    names = [
        "label_",
        "Label",
        "two words",
        "two-words",
        "9",
        "_rowid",
        "Ünï",
        "AND",
        "x" * 100,
        "vector",
        "a",
    ]
    stored = stored_names(names)
    assert list(stored.values()) == names
    assert len({name.casefold() for name in stored}) == len(names)
    assert stored["a"] == "a"
    assert stored["label_"] == "label_"
    assert all(name.isascii() and name[0].isalpha() and len(name) <= 64 for name in stored)
    assert [written(name) for name in ("a", "two words", "AND", 'x"y')] == [
        "a",
        '"two words"',
        '"AND"',
        '"x""y"',
    ]
    assert ColumnNames({"a": "text"}).stored("A") == "a"


def test_titles_are_part_of_the_text(index: Index) -> None:
    hits = {hit.id: hit for hit in index.search("melon harvest pear brake", mode="text")}
    assert hits["a"].text == "Melon harvest\n\napple pear plum"
    assert (hits["a"].title, hits["a"].body) == ("Melon harvest", "apple pear plum")
    assert (hits["b"].text, hits["b"].body) == ("apple pear. gear", ". gear")
    assert (hits["c"].title, hits["c"].body) == (None, "gear and brake")
    assert index.search("melon", mode="semantic")[0].id == "a"  # the vector knows it as well


def test_only_links_of_the_web_are_links(index: Index) -> None:
    hits = {hit.id: hit for hit in index.search("apple gear", mode="text")}
    assert [hits[name].url for name in "abc"] == ["https://e.org/a?x=1&y=2", None, None]
    assert hits["b"].fields["url"] == "javascript:alert(1)"  # what was stored is not changed


@pytest.mark.parametrize(
    ("link", "safe"),
    [
        ("http://e.org", True),
        ("HTTPS://e.org/ü?q=%20#a", True),
        (" https://e.org ", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt://e.org/%0aalert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//e.org", False),
        ("e.org", False),
        ("https://", False),
        ("https:e.org", False),
        ("https://e.org/a b", False),
        ("https://e.org/\x1b]8;;", False),
        ("https://e.org\\@f.org", False),
        ("java\nscript:alert(1)", False),
        ("https://[e.org", False),
        ("https://e.org/" + "a" * 2000, False),
        ("", False),
        (None, False),
        (5, False),
    ],
)
def test_what_is_a_link(link: object, safe: bool) -> None:
    assert (web_link(link) is not None) is safe


def test_what_cannot_be_kept_is_said(tmp_path: Path, model: TopicModel) -> None:
    table = pl.DataFrame(
        {"text": ["apple", "gear"], "tags": [["a"], []], "raw": [b"x", b"y"], "ok": [1, 2]}
    )
    table = table.with_columns(
        huge=pl.Series([1, 2**64 - 1], dtype=pl.UInt64), took=pl.Series([1, 2]).cast(pl.Duration)
    )
    table = table.with_columns(pl.lit("x").alias("a\nb"))
    index = Index.create(tmp_path / "index", model, table)
    assert set(index.columns) == {"id", "text", "label", "split", "ok"}
    assert index.remarks == (
        r"not kept (names that cannot be shown): 'a\nb'",
        "not kept (lists, structures or bytes): 'tags', 'raw'",
        "not kept: huge must hold whole numbers of 64 bits, got 18446744073709551615 in document 1",
        "not kept: took must hold true or false, whole numbers of 64 bits, numbers, days such as "
        "2026-01-31, moments "
        "such as 2026-01-31 12:00:00, texts, got a column of Duration(time_unit='us')",
    )
    assert index.search("apple")[0].fields["ok"] == 1
    again = Index.create(tmp_path / "index", model, table, keep=(), overwrite=True)
    assert (set(again.columns), again.remarks) == ({"id", "text", "label", "split"}, ())


def test_of_too_many_columns_the_first_are_kept() -> None:
    table = pl.DataFrame(
        {"text": ["apple"], **{f"c{number}": [number] for number in range(MOST + 2)}}
    )
    kept = chosen(as_corpus(table), None)
    assert list(kept.columns) == [f"c{number}" for number in range(MOST)]
    assert kept.remarks == ("not kept (more than 64 columns): 'c64', 'c65'",)


def test_nested_values_behind_the_first_lines(tmp_path: Path, model: TopicModel) -> None:
    rows = [{"text": "apple", "tag": "x", "list": [1]}] * 1200 + [
        {"text": "gear", "tag": ["y"], "list": None}
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    index = Index.create(tmp_path / "index", model, open_corpus(tmp_path / "a.jsonl"))
    assert index.remarks == ("not kept (lists, structures or bytes): 'list'",)
    assert index.search("gear", where="tag != 'x'")[0].fields["tag"] == '["y"]'


def test_adding_leaves_empty_and_out_and_says_so(tmp_path: Path, model: TopicModel) -> None:
    index = Index.create(
        tmp_path / "index", model, TABLE.select("id", "body", "Desk", "Word Count", "category")
    )
    more = pl.DataFrame(
        {"id": ["d"], "body": ["brake"], "category": ["cars"], "Word Count": [7], "x": [1]}
    )
    more = more.with_columns(headline=pl.lit("Diesel"), link=pl.lit("https://e.org/d"))
    added = index.add(more)
    assert added.remarks == (
        "left empty, as the corpus has no such column: 'Desk'",
        "not kept by the index: 'x'",
    )
    hit = index.search("diesel", where="headline = 'Diesel'", mode="text")[0]
    assert (hit.title, hit.url, hit.body) == ("Diesel", "https://e.org/d", "brake")
    assert (hit.fields["label"], hit.fields["Desk"], hit.fields["Word Count"]) == ("cars", None, 7)


def test_columns_are_remembered(tmp_path: Path, model: TopicModel) -> None:
    rows = pl.DataFrame(
        {
            "story": ["apple pear plum", "gear", "apple", "plum gear"],
            "text": ["brake"] * 4,
            "desk": list("abab"),
            "label": ["x"] * 4,
        }
    )
    (tmp_path / "a.csv").write_text(rows.write_csv())
    opened = open_corpus(
        tmp_path / "a.csv", text_column="story", label_column="desk", title_column=""
    )
    fitted = TopicModel(12, max_epochs=40, batch_size=32, random_state=0).fit(opened)
    assert fitted.columns_ == {"text": "story", "title": "", "label": "desk"}
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert isinstance(again, TopicModel)
    assert again.columns_ == fitted.columns_
    assert again.counts(rows).sum() == 7  # a table of the same columns is read likewise
    index = Index.create(tmp_path / "index", again, rows)
    assert [hit.id for hit in index.search("gear", where="desk = 'b'", mode="text")] == ["3", "1"][
        ::-1
    ]
    index.add(rows.head(1).with_columns(id=pl.lit("new"), story=pl.lit("cherry")))
    assert [hit.id for hit in index.search("cherry", mode="text")] == ["new"]


def test_an_index_remembers_other_columns_than_its_model(tmp_path: Path, model: TopicModel) -> None:
    (tmp_path / "a.csv").write_text("text,stars,category\napple,5,fruit\n")
    index = Index.create(
        tmp_path / "index", model, open_corpus(tmp_path / "a.csv", label_column="stars")
    )
    index.add(pl.DataFrame({"id": ["n"], "text": ["gear"], "stars": [4], "category": ["cars"]}))
    assert index.search("gear", mode="text")[0].fields == {
        "label": "4",
        "split": None,
        "category": "cars",
    }


# Dates


def dated(folder: Path, model: TopicModel, *dates: str, **options: Any) -> Index:
    (folder / "a.csv").write_text("text,date\n" + "".join(f'apple,"{one}"\n' for one in dates))
    return Index.create(
        folder / "index", model, open_corpus(folder / "a.csv"), overwrite=True, **options
    )


@pytest.mark.parametrize(
    ("dates", "kind", "first"),
    [
        (["31/01/2026", "01/02/2026"], "day", date(2026, 1, 31)),
        (["Jan 31, 2026", "1 February 2026"], "day", date(2026, 1, 31)),
        (["2026/1/31", "2026.02.01"], "day", date(2026, 1, 31)),
        (["31.1.26", "1.2.26"], "day", date(2026, 1, 31)),
        (["January 2026", "2026-02"], "day", date(2026, 1, 1)),
        (
            ["Sat, 31 Jan 2026 12:00:00 +0200", "Sun Feb 1 00:00:00 2026"],
            "moment",
            datetime(2026, 1, 31, 10),
        ),
        (["01/31/2026 9:05 pm", "02/01/2026"], "moment", datetime(2026, 1, 31, 21, 5)),
        (["2026", "2027"], "whole", 2026),
        (["soon", "later"], "text", "soon"),
    ],
)
def test_times_in_the_usual_formats(
    tmp_path: Path, model: TopicModel, dates: list[str], kind: str, first: object
) -> None:
    index = dated(tmp_path, model, *dates)
    assert index.columns["time"] == kind
    assert index.document("0").fields["time"] == first  # type: ignore[union-attr]
    if kind in ("day", "moment"):
        for where in (
            "time >= DATE '2026-02-01'",
            "date >= '2026-02-01'",
            "time > DATE 'Jan 31, 2026' AND id = '1'",
        ):
            assert [hit.id for hit in index.search("apple", where=where)] == ["1"], where


def test_texts_of_a_table_are_times_too(tmp_path: Path, model: TopicModel) -> None:
    table = pl.DataFrame(
        {"text": ["apple"] * 2, "time": ["31/01/2026", None], "note": ["1.2.03", "4.5.06"]}
    )
    index = Index.create(tmp_path / "index", model, table)
    assert (index.columns["time"], index.columns["note"]) == (
        "day",
        "text",
    )  # versions, for all one knows


def test_the_whole_column_says_which_number_is_the_day(
    tmp_path: Path, model: TopicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what decides comes in another chunk
    monkeypatch.setattr("undertow.search.filling.survey.ROWS", 2)
    index = dated(tmp_path, model, "05/02/2026", "06/02/2026", "07/02/2026", "31/01/2026")
    assert index.document("0").fields["time"] == date(2026, 2, 5)  # type: ignore[union-attr]
    assert index.remarks == ("time: 05/02/2026 is read with the day first, as in 31/01/2026",)
    more = {"id": ["n"], "text": ["gear"], "date": ["08/02/2026"]}
    added = index.add(pl.DataFrame(more))  # which does not say so itself
    assert index.document("n").fields["time"] == date(2026, 2, 8)  # type: ignore[union-attr]
    assert added.remarks == ("time: 08/02/2026 is read with the day first, as before",)
    index.add(pl.DataFrame(more).with_columns(id=pl.lit("m")), day_first=False)
    assert index.document("m").fields["time"] == date(2026, 8, 2)  # type: ignore[union-attr]


def test_dates_that_do_not_say_which_is_the_day(tmp_path: Path, model: TopicModel) -> None:
    index = dated(tmp_path, model, "05/02/2026")
    assert index.document("0").fields["time"] == date(2026, 5, 2)  # type: ignore[union-attr]
    assert index.remarks == (
        "time: 05/02/2026 is read with the month first: no date says which it is",
    )
    told = dated(tmp_path, model, "05/02/2026", day_first=True)
    assert told.document("0").fields["time"] == date(2026, 2, 5)  # type: ignore[union-attr]
    assert told.remarks == ("time: 05/02/2026 is read with the day first, as told",)
    both = dated(tmp_path, model, "05/02/2026", "13/02/2026", "14/02/2026", "02/15/2026")
    remark = (
        "time: 05/02/2026 is read with the day first, as in 13/02/2026; 02/15/2026 only makes "
        "sense the other way"
    )
    assert both.remarks == (remark,)


def test_a_time_that_is_no_date_is_named(tmp_path: Path, model: TopicModel) -> None:
    index = dated(tmp_path, model, "31/01/2026", "n/a")
    assert index.columns["time"] == "text"
    assert index.remarks == ("time stays text: 'n/a' is no date",)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("time > DATE '05/02/2026'", "where must give DATE as YYYY-MM-DD, got '05/02/2026'"),
        ("time > '2026'", "where must compare time with DATE"),
        ("time > 'soon'", "where must compare time with DATE"),
        ("time LIKE '2026-01-31'", "where must compare time with DATE"),
        ("time > TIMESTAMP '05/02/2026 10:00'", "where must give TIMESTAMP as"),
    ],
)
def test_dates_of_filters_must_say_the_day(where: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        expression(where, ColumnNames({"time": "day"}))


def test_an_index_of_before_has_no_names_and_opens() -> None:
    plain = names_of(pa.schema([pa.field("label", pa.string()), pa.field("rating", pa.int64())]))
    assert (plain.columns, plain.roles) == ({"label": "text", "rating": "whole"}, {})
    assert plain.stored("Rating") == "rating"
