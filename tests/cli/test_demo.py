"""The demo, on a slice of its corpus."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import undertow
from undertow import datasets
from undertow.cli import app


def test_demo_shows_topics_searches_and_a_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    few = datasets.load_python_docs()[::12]
    monkeypatch.setattr(datasets, "load_python_docs", lambda: few)
    answer = CliRunner().invoke(app, ["demo", "--topics", "16"])
    assert answer.exit_code == 0, answer.output
    for expected in ("The clearest topics", "fast fourier transform", "split-half MRR", "LSA (scikit-learn)", "Next,"):
        assert expected in answer.output
    assert answer.output.count("\n  ") >= 15  # five functions for each of three searches


def test_demo_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    few = datasets.load_python_docs()[::30]
    monkeypatch.setattr(datasets, "load_python_docs", lambda: few)
    answer = CliRunner().invoke(app, ["demo", "--topics", "8", "--json"])
    facts = json.loads(answer.output)
    assert facts["documents"] == len(few)
    assert len(facts["searches"]) == 3
    assert set(facts["comparison"]) == {"undertow", "LSA (scikit-learn)"}


def test_help_has_examples_and_version_is_told() -> None:
    assert "undertow demo --topics 64" in CliRunner().invoke(app, ["demo", "--help"]).output
    assert CliRunner().invoke(app, ["version"]).output.strip() == undertow.__version__


def test_wrong_use_is_one_line_and_exit_code_2() -> None:
    answer = CliRunner().invoke(app, ["demo", "--topics", "0"])
    assert answer.exit_code == 2
    assert "Traceback" not in answer.output


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from undertow.cli import app;"
        "CliRunner().invoke(app, ['--help']);"
        "print([m for m in ('numpy', 'scipy', 'numba', 'sklearn', 'polars') if m in sys.modules])"
    )
    began = time.perf_counter()
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
    assert time.perf_counter() - began < 10.0
