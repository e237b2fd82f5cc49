"""Titles as first lines, and the columns that have a role: found, told, remembered, or none."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from undertow._errors import InvalidInput
from undertow.corpus import Corpus, as_corpus, open_corpus
from undertow.corpus.titles import without_title


def read(corpus: Corpus) -> pl.DataFrame:
    return pl.concat(corpus.chunks(2))


@pytest.mark.parametrize(
    ("title", "body", "text"),
    [
        ("Apples", "They are ripe.", "Apples\n\nThey are ripe."),
        ("Apples", "Apples. They are ripe.", "Apples. They are ripe."),
        ("Apples", "\n Apples", "\n Apples"),
        ("Apple", "Apples are ripe.", "Apple\n\nApples are ripe."),  # another word
        (" Apples ", "", "Apples"),
        ("", "They are ripe.", "They are ripe."),
        ("  ", "They are ripe.", "They are ripe."),
        (None, "They are ripe.", "They are ripe."),
        ("a.c", "abc", "a.c\n\nabc"),
    ],
)
def test_a_title_is_the_first_line(title: str | None, body: str, text: str) -> None:
    table = pl.DataFrame(
        {"title": [title], "text": [body]}, schema={"title": pl.String, "text": pl.String}
    )
    found = read(as_corpus(table))
    assert found["text"].to_list() == [text]
    assert found["title"].to_list() == [title]
    rest = without_title(text, title)
    assert rest.strip() == (
        body.strip() if text != body or not title else body.strip().removeprefix("Apples").strip()
    )


def test_what_comes_after_a_title() -> None:
    assert without_title("Apples\n\nRipe.", "Apples") == "Ripe."
    assert without_title("Apples", "Apples") == ""
    assert without_title("Applesauce", "Apples") == "Applesauce"
    assert without_title("Ripe.", None) == "Ripe."


def test_titles_and_links_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "Headline,body,HREF,category,x\nApples,Ripe.,https://e.org,fruit,1\n"
    )
    corpus = open_corpus(tmp_path / "a.csv")
    assert corpus.columns == ("id", "text", "title", "label", "url")
    assert corpus.names == {"text": "body", "title": "Headline", "label": "category", "url": "HREF"}
    assert corpus.further == ("x",)
    assert read(corpus).to_dicts() == [
        {
            "id": "0",
            "text": "Apples\n\nRipe.",
            "title": "Apples",
            "label": "fruit",
            "url": "https://e.org",
        }
    ]
    plain = open_corpus(tmp_path / "a.csv", title_column="", url_column="", label_column="x")
    assert (plain.columns, plain.further) == (
        ("id", "text", "label"),
        ("Headline", "HREF", "category"),
    )
    assert plain.to_remember == {"text": "body", "title": "", "label": "x", "url": ""}
    assert read(plain)["text"].to_list() == ["Ripe."]
    with pytest.raises(InvalidInput, match="text_column must be given"):
        open_corpus(tmp_path / "a.csv", text_column="")


def test_columns_are_remembered_where_they_are_there() -> None:
    earlier = as_corpus(
        pl.DataFrame({"story": ["a"]}),
        {"text": "story", "title": "", "label": "desk", "time": "sent"},
    )
    assert earlier.names == {"text": "story"}
    table = pl.DataFrame(
        {
            "text": ["a"],
            "story": ["b"],
            "desk": ["c"],
            "label": ["d"],
            "title": ["e"],
            "date": ["f"],
        }
    )
    corpus = as_corpus(
        table, {"text": "story", "title": "", "label": "desk", "time": "sent", "odd": "date"}
    )
    assert corpus.names == {
        "text": "story",
        "label": "desk",
        "time": "date",
    }  # no column "sent": found by name
    assert set(corpus.further) == {"text", "label", "title"}


def test_a_given_column_wins_over_a_remembered_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("story,desk,section\na,b,c\n")
    remembered = {"text": "story", "label": "desk"}
    assert open_corpus(tmp_path / "a.csv", remembered=remembered).names == remembered
    given = open_corpus(tmp_path / "a.csv", label_column="section", remembered=remembered)
    assert given.names == {"text": "story", "label": "section"}
    other = open_corpus(tmp_path / "a.csv", text_column="desk", remembered=remembered)
    assert other.names == {"text": "desk"}  # what is remembered has another role now


def test_lists_in_json_lines(tmp_path: Path) -> None:
    rows = [{"text": "a", "tags": "x", "who": {"n": 1}}] * 2 + [
        {"text": "b", "tags": ["y", 1.5], "who": None}
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = open_corpus(tmp_path / "a.jsonl")
    assert (corpus.further, corpus.nested) == (("tags", "who"), ("tags", "who"))
    found = read(corpus.keeping(["tags", "who"]))
    assert found["tags"].to_list() == ["x", "x", '["y", 1.5]']
    assert found["who"].to_list() == ['{"n": 1}', '{"n": 1}', None]
    with pytest.raises(
        InvalidInput,
        match=r"columns must hold single values, got \['y', 1.5\] under 'tags' in line 3",
    ):
        read(open_corpus(tmp_path / "a.jsonl", label_column="tags"))


def test_lists_and_bytes_of_tables() -> None:
    table = pl.DataFrame({"text": ["a"], "tags": [["x"]], "raw": [b"x"], "n": [1], "s": [{"a": 1}]})
    assert as_corpus(table).nested == ("tags", "raw", "s")
