"""From a model and a corpus to answers, and what wrong use says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.search.conftest import make_table
from tests.shell import Run
from undertow import TopicModel
from undertow.search.database.store import Store
from undertow.search.filling import survey


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and a model."""
    place = tmp_path_factory.mktemp("search")
    table = make_table()
    table.write_parquet(place / "corpus.parquet")
    model = TopicModel(12, max_epochs=40, batch_size=32, random_state=0)
    model.fit(table).save(place / "model")
    return place


@pytest.fixture
def index(run: Run, folder: Path, tmp_path: Path) -> Path:
    assert (
        run(
            "index",
            folder / "model",
            folder / "corpus.parquet",
            "--out",
            tmp_path / "index",
            "--quiet",
        )[0]
        == 0
    )
    return tmp_path / "index"


def test_from_a_corpus_to_answers(run: Run, folder: Path, tmp_path: Path) -> None:
    code, out, err = run(
        "index", folder / "model", folder / "corpus.parquet", "--out", tmp_path / "index"
    )
    assert code == 0
    assert "120 documents" in out
    assert "undertow search" in out
    assert "120/120" in err
    code, out, _ = run("search", tmp_path / "index", "diesel engine", "-n", 3)
    assert code == 0
    assert " 3. d" in out
    assert "has engine, diesel" in out or "has diesel, engine" in out
    assert "; about " in out
    assert "%" in out


@pytest.mark.parametrize("mode", ["semantic", "code", "text", "hybrid"])
def test_json_has_its_shape(run: Run, index: Path, mode: str) -> None:
    code, out, err = run(
        "search",
        index,
        "ripe fruit",
        "-n",
        4,
        "--mode",
        mode,
        "--where",
        "label = 'fruit'",
        "--json",
    )
    assert (code, err) == (0, "")
    results = json.loads(out)["results"]
    assert len(results) == 4
    for result in results:
        assert set(result) == {"id", "score", "text", "label", "split", "kept", "why", "alike"}
        assert result["kept"] == {}
        assert result["label"] == "fruit"
        assert 0.0 <= result["score"] <= 1.0
        assert set(result["why"]) == {"words", "missing", "topics"}
        for topic in result["why"]["topics"]:
            assert set(topic) == {"topic", "name", "part"}
        assert bool(result["why"]["words"]) == (mode in ("text", "hybrid"))


def test_further_columns_are_kept_on_request(run: Run, folder: Path, tmp_path: Path) -> None:
    rows = "id,text,author,score,when\na,apple,Ann,5,2026-01-31\n"
    rows += "b,apple,Bo,0.5,2026-02-01\nc,apple,,,\n"
    (tmp_path / "corpus.csv").write_text(rows)
    options = ("--keep", "author", "--keep", "score", "--time-column", "when")
    code, out, _ = run(
        "index", folder / "model", tmp_path / "corpus.csv", "--out", tmp_path / "index", *options
    )
    assert (code, "3 documents" in out) == (0, True)
    facts = json.loads(run("info", tmp_path / "index", "--json")[1])
    assert {name: facts["columns"][name] for name in ("author", "score", "time")} == {
        "author": "text",
        "score": "number",
        "time": "day",
    }
    asked = ("--where", "score >= 1 OR author IS NULL", "--json", "--duplicates")
    code, out, _ = run("search", tmp_path / "index", "apple", *asked)
    found = {result["id"]: result for result in json.loads(out)["results"]}
    assert set(found) == {"a", "c"}
    assert (found["a"]["kept"], found["a"]["time"]) == (
        {"author": "Ann", "score": 5.0},
        "2026-01-31",
    )
    assert found["c"]["kept"] == {"author": None, "score": None}
    assert 0 < found["a"]["score"] <= 1.001
    code, out, _ = run("search", tmp_path / "index", "apple", "--where", "author = 'Ann'")
    assert "author Ann, score 5.0" in out
    (tmp_path / "more.csv").write_text("id,text,score\nd,apple,1\n")
    code, _, err = run("add", tmp_path / "index", tmp_path / "more.csv")
    assert (code, "left empty, as the corpus has no such column: 'author'" in err) == (0, True)
    (tmp_path / "more.csv").write_text("id,text,score,author,date\nd,apple,1,Cy,2026-01-01\n")
    assert run("add", tmp_path / "index", tmp_path / "more.csv", "--replace")[0] == 0
    command = (
        "index",
        folder / "model",
        tmp_path / "corpus.csv",
        "--out",
        tmp_path / "other",
        "--keep=code",
        "-q",
    )
    code, _, err = run(*command)
    assert (code, "kept columns must be those of" in err, err.count("\n")) == (2, True, 1)


def test_like_a_document(run: Run, index: Path) -> None:
    code, out, _ = run("search", index, "--like", "d3", "-n", 2, "--json")
    assert code == 0
    assert all(int(result["id"][1:]) % 2 for result in json.loads(out)["results"])


def test_adding_and_deleting(run: Run, index: Path, tmp_path: Path) -> None:
    odd = "<script>alert('apple')</script> [bold]pear[/bold] \x1b[31m😀\nplum"
    pl.DataFrame({"id": ["d0", "odd's"], "text": ["gear", odd]}).write_parquet(
        tmp_path / "more.parquet"
    )
    code, _, err = run("add", index, tmp_path / "more.parquet")
    assert (code, "got 'd0', which is there already" in err, "--replace" in err) == (2, True, True)
    code, out, _ = run("add", index, tmp_path / "more.parquet", "--replace", "--optimize")
    assert (code, "Added 1 and replaced 1 documents" in out) == (0, True)
    code, out, _ = run("search", index, "alert", "--mode", "text")
    assert "<script>alert('apple')</script> [bold]pear[/bold]" in out
    assert "\x1b[31m" not in out
    code, out, err = run("delete", index, "--id", "odd's", "--id", "nobody")
    assert (
        code,
        out.startswith("Deleted 1 documents"),
        "No document has the id 'nobody'" in err,
    ) == (0, True, True)
    facts = json.loads(run("delete", index, "d1", "--id", "nobody", "--json")[1])
    assert (facts["deleted"], facts["missing"], facts["documents"]) == (1, ["nobody"], 119)
    facts = json.loads(run("add", index, tmp_path / "more.parquet", "--replace", "--json")[1])
    assert (facts["added"], facts["replaced"], facts["made_ids"], facts["documents"]) == (
        1,
        1,
        None,
        120,
    )


def test_texts_without_ids_are_given_new_ones(run: Run, index: Path, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("gear and brake\nxylophone\n")
    code, out, _ = run("add", index, tmp_path / "more.txt")
    assert (code, "Added 2 and replaced 0 documents" in out, "ids are new: 0 to 1." in out) == (
        0,
        True,
        True,
    )
    assert json.loads(run("add", index, tmp_path / "more.txt", "--json")[1])["made_ids"] == [
        "2",
        "3",
    ]
    (tmp_path / "one.txt").write_text("xylophone\n")
    assert "ids are new: 4." in run("add", index, tmp_path / "one.txt")[1]
    assert json.loads(run("info", index, "--json")[1])["documents"] == 125
    code, _, err = run("add", index, tmp_path / "one.txt", "--replace")
    assert (code, "--replace must be used with documents that have ids" in err) == (2, True)


def test_deleting_by_ids_as_they_are(run: Run, index: Path) -> None:
    facts = json.loads(run("delete", index, "d1", "d2", "nobody", "--json")[1])
    assert (facts["deleted"], facts["missing"], facts["documents"]) == (2, ["nobody"], 118)
    assert json.loads(run("delete", index, "--json", "--", "-d3", "d4")[1])["missing"] == ["-d3"]
    code, _, err = run("delete", index)
    assert (code, "ID must be given" in err, err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize(
    ("replace", "at", "said"),
    [
        (False, "append_whole", "Stopped. The index is as it was."),
        (False, "index_ids", "had been added already: do not add them again."),
        (True, "index_ids", "the same command does the rest."),
    ],
)
def test_ctrl_c_tells_what_was_added(
    run: Run,
    index: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    replace: bool,
    at: str,
    said: str,
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    pl.DataFrame({"id": ["new"], "text": ["plum"]}).write_parquet(tmp_path / "more.parquet")
    monkeypatch.setattr(Store, at, interrupted)
    code, _, err = run("add", index, tmp_path / "more.parquet", *(["--replace"] if replace else []))
    assert (code, said in err) == (130, True)
    assert json.loads(run("info", index, "--json")[1])["documents"] == 120 + (at != "append_whole")


def test_info_of_an_index(run: Run, index: Path) -> None:
    facts = json.loads(run("info", index, "--json")[1])
    assert (facts["documents"], facts["units"], facts["columns"]["label"]) == (120, 12, "text")
    assert facts["bytes"] > 1000
    assert "documents" in run("info", index)[1]


def test_an_index_is_a_model_too(run: Run, folder: Path, index: Path, tmp_path: Path) -> None:
    """Wherever a command asks for a model, the one that an index holds will do."""
    table, page = tmp_path / "vectors.parquet", tmp_path / "page.html"
    corpus = folder / "corpus.parquet"
    for command, *more in (
        ("topics", "--json"),
        ("units", "--json"),
        ("evaluate", corpus, "--json"),
        ("transform", corpus, "--out", table, "--force", "--quiet"),
        ("report", "--out", page, "--force", "--quiet"),
        ("index", corpus, "--out", tmp_path / "second", "--force", "--quiet"),
    ):
        answers = []
        for place in (index, folder / "model"):
            code, out, err = run(command, place, *more)
            assert code == 0, err
            answers.append(out)
        if command != "evaluate":  # which tells its speed
            assert answers[0] == answers[1], command


def test_ctrl_c_keeps_what_was_indexed(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "ROWS", 50)
    append = Store.append
    commits: list[int] = []

    def interrupted(store: Store, rows: Any) -> None:
        if len(commits) == 1:
            raise KeyboardInterrupt
        commits.append(rows.num_rows)
        append(store, rows)

    command = ("index", folder / "model", folder / "corpus.parquet", "--out", tmp_path / "index")
    monkeypatch.setattr(Store, "append", interrupted)
    code, _, err = run(*command)
    assert code == 130
    assert "the same command goes on from there" in err
    code, _, err = run("search", tmp_path / "index", "apple")
    assert (code, "got an index half made" in err) == (1, True)
    monkeypatch.setattr(Store, "append", append)
    code, out, _ = run(*command, "--json")
    assert (code, json.loads(out)["documents"]) == (0, 120)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("apple", "--where", "label='a'; drop table docs"),
            "--where must follow the grammar of filters, got ';'",
        ),
        (("apple", "--where", "author = 'a'"), "got 'author'"),
        (("apple", "-n", "5000"), "-n must be at most 1,000, got 5,000"),
        (("--like", "nobody"), "--like must be the id of a document"),
        ((), "got neither"),
    ],
)
def test_wrong_use_is_one_line(
    run: Run, index: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run("search", index, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_nothing_found_says_why(run: Run, index: Path) -> None:
    code, out, err = run("search", index, "xylophone")
    assert (code, out) == (0, "")
    assert "no document holds a word of the question" in err
    assert json.loads(run("search", index, "xylophone", "--json")[1])["results"] == []
    code, out, err = run("search", index, "xylophone", "--mode", "semantic")
    assert (code, out, "the model knows no word of the question" in err) == (0, "", True)


def test_what_was_meant_and_what_is_alike_is_said(run: Run, folder: Path, tmp_path: Path) -> None:
    story = "the old engine of the red car in the garage lost its clutch on the way home"
    (tmp_path / "corpus.txt").write_text(
        "\n".join([story, story + " again", "a ripe plum and a pear"])
    )
    code, out, _ = run(
        "index", folder / "model", tmp_path / "corpus.txt", "--out", tmp_path / "index"
    )
    assert (code, "1 documents are nearly the same as others" in out) == (0, True)
    code, out, err = run("search", tmp_path / "index", "red graage")
    assert (code, "searched for 'garage' instead" in err) == (0, True)
    assert "1 more like this: " in out
    code, out, _ = run("search", tmp_path / "index", "red garage", "--duplicates")
    assert "more like this" not in out
    assert " 2. " in out
    found = json.loads(run("search", tmp_path / "index", "red graage", "--json")[1])
    assert found["corrected"] == {"graage": "garage"}
    assert len(found["results"][0]["alike"]) == 1


def test_an_index_is_not_written_over(run: Run, folder: Path, index: Path) -> None:
    command = ("index", folder / "model", folder / "corpus.parquet", "--out", index, "--quiet")
    code, _, err = run(*command)
    assert (code, "must not hold a finished index" in err) == (2, True)
    assert run(*command, "--force")[0] == 0


def test_other_commands_do_not_load_the_database() -> None:
    code = (
        "import sys\nfrom undertow.cli import app\nimport undertow.search, undertow.estimators\n"
        "print([name for name in ('lancedb', 'lance') if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
