"""The Python code of README.md and of pages of docs/ runs as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(page: str) -> None:
    """All blocks of Python on a page, one after the other, as somebody would who reads it."""
    path = ROOT / page
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), names)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_the_readme_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("README.md")
    assert len(capsys.readouterr().out.splitlines()) == 11
    assert (tmp_path / "model" / "model.json").exists()
    assert (tmp_path / "library" / "index.json").exists()
    assert (tmp_path / "report.html").exists()


def test_the_page_on_python_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/python.md")
    lines = capsys.readouterr().out.splitlines()
    assert "['space']" in lines
    assert "(120, 29) (120, 16) (120, 2)" in lines
    assert (tmp_path / "model" / "model.json").exists()


def test_the_page_on_joining_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/joining.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "26"
    assert "(60, 42)" in lines
