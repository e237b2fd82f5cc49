"""Whole records from the shell: titles, links, columns by their own names, dates, and what a model
remembers.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from tests.search.conftest import make_table
from tests.shell import Run
from undertow.cli.search import _lines
from undertow.search import Hit

HEADER = "Nr,Headline,Story,Desk,Sent On,Page,Link,text\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose columns have to be told."""
    place = tmp_path_factory.mktemp("records")
    rows = [
        f"n{number},Issue "
        f"{number},{text},{('fruit', 'cars')[number % 2]},{number % 28 + 1:02}/02/2026,{number},"
        f"https://e.org/{number},nothing\n"
        for number, text in enumerate(make_table(60)["text"])
    ]
    (place / "news.csv").write_text(HEADER + "".join(rows))
    (place / "more.csv").write_text(
        HEADER + "x,Cherry pie,gear brake,cars,05/03/2026,99,javascript:x,nothing\n"
    )
    return place


@pytest.fixture
def model(run: Run, folder: Path) -> Path:
    """Fitted once, with all columns told."""
    if not (folder / "model").exists():
        told = (
            "--id-column",
            "Nr",
            "--text-column",
            "Story",
            "--label-column",
            "Desk",
            "--time-column",
            "Sent On",
        )
        size = ("--n-components", 8, "--max-epochs", 5, "--quiet")
        assert run("fit", folder / "news.csv", "--out", folder / "model", *told, *size)[0] == 0
    return folder / "model"


def test_columns_told_to_fit_need_not_be_told_again(
    run: Run, folder: Path, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "index"
    code, text, err = run("index", model, folder / "news.csv", "--out", out)
    assert (code, "60 documents" in text) == (0, True)
    assert "Note: time: 01/02/2026 is read with the day first, as in 13/02/2026" in err
    facts = json.loads(run("info", out, "--json")[1])
    assert facts["columns"] == {
        **dict.fromkeys(("id", "text", "label", "split", "title", "url", "text_"), "text"),
        **{"time": "day", "Page": "whole"},
    }
    where = (
        "Desk = 'cars' AND \"Sent On\" >= DATE '2026-02-20' AND page < 30 AND headline LIKE "
        "'Issue%'"
    )
    results = json.loads(run("search", out, "gear", "--where", where, "--json")[1])["results"]
    assert sorted(one["id"] for one in results) == ["n19", "n21", "n23", "n25", "n27"]
    assert {one["label"] for one in results} == {"cars"}
    first = results[0]
    assert first["title"].startswith("Issue ")
    assert first["text"].startswith(first["title"] + "\n\n")
    assert first["url"] == f"https://e.org/{first['id'][1:]}"
    assert first["kept"]["Page"] == int(first["id"][1:])
    code, text, err = run("add", out, folder / "more.csv")
    assert (code, "Note: time: 05/03/2026 is read with the day first, as before" in err) == (
        0,
        True,
    )
    results = json.loads(run("search", out, "cherry pie", "--mode", "text", "-n", 1, "--json")[1])[
        "results"
    ]
    assert (results[0]["id"], results[0]["time"]) == ("x", "2026-03-05")


def test_what_is_printed(run: Run, folder: Path, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "index"
    assert run("index", model, folder / "news.csv", "--out", out, "--keep", "Page", "-q")[0] == 0
    assert run("add", out, folder / "more.csv", "-q")[0] == 0
    _, text, _ = run("search", out, "issue gear", "--where", "page IN (1, 99)", "--mode", "text")
    assert "Issue 1  n1 " in text
    assert "https://e.org/1\n" in text
    assert "Cherry pie  x " in text
    assert "javascript" not in text
    assert text.count("Cherry pie") == 1  # not again in the text below
    assert "label cars, time 2026-03-05, Page 99" in text


def test_links_on_a_terminal() -> None:
    hit = Hit(
        "a",
        0.5,
        "Apples\n\nripe",
        {"title": "Apples", "url": "https://e.org/a", "note": "\x1b]8;;x" * 20},
    )
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=200, highlight=False)
    for line in _lines(1, hit):
        console.print(line)
    assert shown.getvalue().count(";https://e.org/a\x1b\\") == 2
    assert "\x1b]8;;x" not in shown.getvalue()
    wrong = Hit("a", 0.5, "Apples\n\nripe", {"title": "Apples", "url": "javascript:alert(1)"})
    assert [line.plain for line in _lines(1, wrong)] == [" 1. Apples  a  50%", "    ripe"]


def test_other_commands_remember_too(run: Run, folder: Path, model: Path, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.parquet"
    assert run("transform", model, folder / "news.csv", "--out", vectors, "-q")[0] == 0
    table = pl.read_parquet(vectors)
    assert table["id"].to_list()[:2] == ["n0", "n1"]
    assert table["label"].to_list()[:2] == ["fruit", "cars"]
    assert (
        run(
            "transform",
            model,
            folder / "news.csv",
            "--out",
            vectors,
            "--label-column",
            "Page",
            "--force",
            "-q",
        )[0]
        == 0
    )
    assert pl.read_parquet(vectors)["label"].to_list()[:2] == ["0", "1"]  # what is told now counts
    code, out, _ = run("evaluate", model, folder / "news.csv", "--json")
    assert (code, "purity" in out or "documents_per_second" in out) == (0, True)
    report = tmp_path / "report.html"
    assert run("report", model, folder / "news.csv", "--out", report, "--no-evaluate", "-q")[0] == 0
    assert "Issue" in report.read_text()


def test_keeping_less(run: Run, folder: Path, model: Path, tmp_path: Path) -> None:
    command = ("index", model, folder / "news.csv", "--out", tmp_path / "index")
    assert run(*command, "--keep-none", "--month-first", "--json")[0] == 0
    facts = json.loads(run("info", tmp_path / "index", "--json")[1])
    assert set(facts["columns"]) == {"id", "text", "title", "label", "split", "time", "url"}
    code, _, err = run(*command, "--force", "--keep-none", "--keep", "Page")
    assert (code, "--keep-none must not be used with --keep, got --keep Page" in err) == (2, True)
    code, out, _ = run(*command, "--force", "--title-column", "", "--json")
    assert (code, json.loads(out)["columns"]["Headline"]) == (0, "text")


def test_an_index_in_the_place_of_a_model_remembers_its_own_columns(
    run: Run, folder: Path, model: Path, tmp_path: Path
) -> None:
    index, vectors = tmp_path / "index", tmp_path / "vectors.parquet"
    assert (
        run("index", model, folder / "news.csv", "--out", index, "--label-column", "Page", "-q")[0]
        == 0
    )
    assert run("transform", index, folder / "news.csv", "--out", vectors, "-q")[0] == 0
    assert pl.read_parquet(vectors)["label"].to_list()[:2] == ["0", "1"]
