"""The Python code of README.md and of pages of docs/ runs as printed, and commands that they write
out have the options that they are given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from undertow.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"undertow ([a-z-]+)((?:[^`\n]|\\\n)*)")


def blocks_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def run(page: str) -> None:
    """All blocks of Python on a page, one after the other, as somebody would who reads it."""
    path, blocks = ROOT / page, blocks_of(page)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), names)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("python_docs_at_hand")
@pytest.mark.slow
def test_the_readme_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("README.md")
    assert len(capsys.readouterr().out.splitlines()) == 11
    assert (tmp_path / "my_model" / "model.json").exists()
    assert (tmp_path / "my_library" / "index.json").exists()
    assert (tmp_path / "my_report.html").exists()


def test_the_page_on_python_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/python.md")
    lines = capsys.readouterr().out.splitlines()
    assert "['space']" in lines
    assert "(120, 29) (120, 16) (120, 2)" in lines
    assert (tmp_path / "model" / "model.json").exists()


def test_the_page_on_word_order_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/word_order.md")
    assert capsys.readouterr().out.splitlines() == ["['good']"]


def test_the_page_on_likelihood_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/likelihood.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "True"
    assert "unigram" in lines[1]


def test_the_page_on_joining_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/joining.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "26"
    assert "(60, 42)" in lines


def test_the_page_on_the_family_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/family.md")
    assert capsys.readouterr().out.splitlines() == ["300", "300", "True"]


def options_on(text: str) -> set[tuple[str, str]]:
    """(command, option) of every command that a page writes out."""
    return {
        (command, option)
        for command, rest in COMMAND.findall(text)
        if command in COMMANDS
        for option in re.findall(
            r"(?<!\S)--?[a-z][a-z-]*", rest.split("#")[0].split(" undertow ")[0]
        )
    }


def test_what_is_written_after_a_command_is_seen() -> None:
    text = "$ undertow fit a --out b   # not --this\nor `undertow topics c -n 4` and --that\n"
    assert options_on(text) == {("fit", "--out"), ("topics", "-n")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_have_the_options_that_pages_give_them(page: Path) -> None:
    known: dict[str, set[str]] = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        known[name] = {
            option for given in command.params for option in (*given.opts, *given.secondary_opts)
        }
    for command, option in options_on(page.read_text(encoding="utf-8")):
        assert option in {*known[command], "--help"}, f"undertow {command} {option}"


@pytest.mark.usefixtures("own_tables")
def test_the_page_on_extending_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/extending.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines.pop(2).startswith("{'learner__share': ")
    assert lines == [
        "Mixed(share=0.1, n_noise=25, noise_level=0.7)",
        "0.7 (120, 32)",
        "AdaGrad(learning_rate=0.02, hidden_bias_rate=0.01)",
        "(100, 16)",
        "1",
    ]


@pytest.mark.torture  # a process of its own; that the engine runs is tested above
def test_the_engine_on_the_page_passes_the_contract_as_it_says(tmp_path: Path) -> None:
    """In an interpreter of its own: what is tested is named by the environment."""
    (block,) = (one for one in blocks_of("docs/extending.md") if "class Counting" in one)
    imports, _, rest = block.partition("register_engine(")
    (tmp_path / "my_engine.py").write_text(imports, encoding="utf-8")
    assert rest
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "my_engine", "tests/engines/test_contract.py"],
        cwd=ROOT,
        env={**os.environ, "UNDERTOW_ENGINE": "my_engine:Counting", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed, \d+ deselected", done.stdout)
    assert passed, done.stdout
    assert int(passed[1]) > 50
