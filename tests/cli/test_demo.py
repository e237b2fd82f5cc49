"""The demo, on a slice of its corpus."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import undertow
from tests.at_hand import PythonDocs
from undertow import datasets
from undertow.cli import app, demo


@pytest.fixture(scope="module")
def documents(python_docs: PythonDocs) -> list[datasets.DocumentedObject]:
    return python_docs.documents[::40]


@pytest.fixture
def few(
    documents: list[datasets.DocumentedObject], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> int:
    """A demo on a part of its corpus, in an empty folder; how many documents there are."""
    monkeypatch.setattr(datasets, "load_python_docs", lambda: documents)
    monkeypatch.chdir(tmp_path)
    return len(documents)


def test_demo_shows_topics_searches_a_comparison_and_a_report(few: int, tmp_path: Path) -> None:
    place = Path("undertow-demo") / "report.html"
    place.parent.mkdir()
    place.write_text("of an earlier demo")
    answer = CliRunner().invoke(app, ["demo", "--n-components", "16"])
    assert answer.exit_code == 0, answer.output
    for expected in (
        "topics, the widest first",
        "fast fourier transform",
        "split-half MRR",
        "LSA (scikit-learn)",
        "Next,",
    ):
        assert expected in answer.output
    assert answer.output.count("\n  ") >= 15  # five functions for each of three searches
    assert answer.output.splitlines()[0] == f"A report of what follows will be in {place}"
    assert (tmp_path / place).resolve().as_uri() in answer.output
    assert f"{few:,}" in place.read_text(encoding="utf-8")


def test_demo_without_the_extra_works_and_says_so(
    few: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    answer = CliRunner().invoke(app, ["demo", "--n-components", "4"])
    assert answer.exit_code == 0, answer.output
    assert answer.output.splitlines()[0].startswith("No report at the end: ")
    assert "pip install 'undertow[explorer]'" in answer.output.splitlines()[0]
    assert list(tmp_path.iterdir()) == []


def test_demo_without_a_report(few: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "_show_comparison", lambda *arguments: {})
    answer = CliRunner().invoke(app, ["demo", "--n-components", "4", "--json", "--no-report"])
    assert (json.loads(answer.output)["report"], list(tmp_path.iterdir())) == (None, [])


def test_demo_as_json(few: int, tmp_path: Path) -> None:
    answer = CliRunner().invoke(
        app, ["demo", "--n-components", "8", "--json", "--out", "here.html"]
    )
    facts = json.loads(answer.output)
    assert facts["documents"] == few
    assert len(facts["searches"]) == 3
    assert set(facts["comparison"]) == {"undertow", "LSA (scikit-learn)"}
    assert (facts["report"], (tmp_path / "here.html").is_file()) == ("here.html", True)


def test_help_has_examples_and_version_is_told() -> None:
    assert "undertow demo --n-components 64" in CliRunner().invoke(app, ["demo", "--help"]).output
    assert CliRunner().invoke(app, ["--version"]).output.strip() == undertow.__version__


def test_wrong_use_is_one_line_and_exit_code_2() -> None:
    answer = CliRunner().invoke(app, ["demo", "--n-components", "0"])
    assert answer.exit_code == 2
    assert "Traceback" not in answer.output


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from undertow.cli import app;"
        "CliRunner().invoke(app, ['--help']);"
        "print([m for m in ('numpy', 'scipy', 'numba', 'sklearn', 'polars') if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
