"""`undertow report`, as from a shell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.plot.hostile import make_model, make_table
from tests.shell import Run
from undertow import ReplicatedSoftmax
from undertow.report import _facts

JUDGED = _facts.JUDGEMENTS["split_half_mrr"][0]  # a line of the evaluation


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, under names of its own, and a model."""
    place = tmp_path_factory.mktemp("report")
    table = make_table()
    table.rename({"label": "kind", "time": "sent"}).write_parquet(place / "posts.parquet")
    make_model(table).save(place / "model")
    return place


def test_a_model_and_a_corpus(run: Run, folder: Path, tmp_path: Path) -> None:
    options = ("--label-column", "kind", "--time-column", "sent", "--title", "A & B")
    file = tmp_path / "report.html"
    code, out, _ = run(
        "report", folder / "model", folder / "posts.parquet", "--out", file, *options
    )
    assert code == 0
    assert re.match(rf"Wrote {re.escape(str(file))}: \d\.\d MB in \d+ s\.", out)
    assert file.as_uri() in out
    text = file.read_text(encoding="utf-8")
    assert '<h1 dir="auto">A &amp; B</h1>' in text
    assert "<bdi>posts.parquet</bdi>" in text
    assert str(tmp_path) not in text
    assert str(folder) not in text
    for part in ("map", "over-time"):
        assert f'<section id="{part}">' in text
    assert JUDGED in text
    for colour in ("topic", "label", "time"):
        assert f'data-colour="{colour}"' in text


def test_a_model_alone_in_the_current_folder(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("report", folder / "model", "--quiet") == (0, "", "")
    assert '<h1 dir="auto">model</h1>' in (tmp_path / "report.html").read_text(encoding="utf-8")
    code, _, err = run("report", folder / "model")
    assert (code, "--out must not exist yet, got report.html" in err) == (2, True)
    assert run("report", folder / "model", "--quiet", "--force")[0] == 0


def test_no_evaluation(run: Run, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    command = (
        "report",
        folder / "model",
        folder / "posts.parquet",
        "--no-evaluate",
        "--quiet",
        "--out",
        file,
    )
    assert run(*command)[0] == 0
    assert JUDGED not in file.read_text(encoding="utf-8")


def test_without_the_extra_nothing_is_read(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    code, out, err = run("report", folder / "model", folder / "posts.parquet")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'undertow[explorer]'" in err


def test_wrong_use_is_one_line(run: Run, folder: Path, tmp_path: Path) -> None:
    ReplicatedSoftmax(2, max_epochs=1).fit([[1, 0], [0, 1]]).save(tmp_path / "counts")
    wrong = (
        ("report", tmp_path / "counts", "--out", tmp_path / "a.html"),
        ("report", folder / "model", tmp_path / "none.csv", "--out", tmp_path / "a.html"),
        (
            "report",
            folder / "model",
            folder / "posts.parquet",
            "--time-column",
            "when",
            "--out",
            tmp_path / "a.html",
        ),
    )
    for command in wrong:
        code, out, err = run(*command)
        assert (code, out, err.count("\n")) == (2, "", 1), err
    assert not (tmp_path / "a.html").exists()


def test_help_has_examples_and_names_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run("report", "--help")
    assert (code, "undertow report model 20newsgroups -n 20 --out news.html" in out) == (0, True)
    assert "undertow[explorer]" in out
