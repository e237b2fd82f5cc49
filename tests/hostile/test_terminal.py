"""Words and names come from anywhere: nothing in them reaches a terminal as a command to it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import undertow
from tests.hostile.mutations import reseal
from tests.shell import Run, shell
from undertow.cli._shown import UNSAFE, escaped, new_console

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202eder\u2066\x08\r"
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")  # colours, by rich


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


@pytest.fixture
def evil(sound: Path, tmp_path: Path) -> Path:
    """A model whose words, names, ids, sentences and options hold commands to a terminal."""
    shutil.copytree(sound / "texts", tmp_path / "model")

    def spoil(header: dict[str, Any]) -> None:
        manifest = header["manifest"]
        manifest["vocabulary"] = [f"{word}{EVIL}" for word in manifest["vocabulary"]]
        training = manifest["training"]
        topics = training["topics"]
        topics["names"] = {node: f"{name}\x1b[2J\u202e" for node, name in topics["names"].items()}
        topics["made_names"] = dict.fromkeys(topics["made_names"], EVIL)
        topics["kept"] = [[EVIL, EVIL, EVIL] for _ in topics["kept"]]
        training["unit_names"] = {"0": EVIL}
        training["estimator"]["learner"] = "alpha-nce"

    reseal(tmp_path / "model", spoil)
    return tmp_path / "model"


def assert_harmless(text: str) -> None:
    left = OWN_STYLE.sub("", text)
    assert UNSAFE.search(left) is None, repr(left)


def test_what_is_escaped_is_read_back_by_json() -> None:
    assert escaped("moon\n\tétoile 月 🙂") == "moon\n\tétoile 月 🙂"
    assert escaped("\x1b[31m") == "\\u001b[31m"
    text = json.dumps({EVIL: EVIL}, ensure_ascii=False)
    assert json.loads(escaped(text)) == {EVIL: EVIL}


def test_a_console_escapes_what_it_shows_and_keeps_its_own_colours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    table = Table(title=f"t{EVIL}")
    table.add_column(f"c{EVIL}")
    table.add_row(f"x{EVIL}")
    console = new_console(force_terminal=True, color_system="standard", width=100)
    for shown in (table, Text(EVIL, "bold red"), Tree(EVIL), f"[bold]{EVIL}[/bold]"):
        console.print(shown)
    out = capsys.readouterr().out
    assert OWN_STYLE.search(out) is not None
    assert_harmless(out)


@pytest.mark.parametrize(
    "command",
    [
        ["topics"],
        ["topics", "--tree"],
        ["topics", "--json"],
        ["topics", "--figures"],
        ["units"],
        ["units", "--json"],
        ["info"],
        ["topics", "--rename", f"1=x{EVIL}"],
        ["topics", "--rename", "8=Sun", "--dry-run"],
        ["topics", "--seed-topic", f"a{EVIL}=moon", "--dry-run"],
    ],
)
def test_a_model_says_nothing_to_the_terminal(run: Run, evil: Path, command: list[str]) -> None:
    _, out, err = run(command[0], evil, *command[1:])
    assert_harmless(out)
    assert_harmless(err)
    if "--json" in command:
        assert json.loads(out)


def test_a_name_of_a_file_says_nothing_either(run: Run, tmp_path: Path) -> None:
    for command in (["fit", tmp_path / EVIL, "--out", tmp_path / "x"], ["info", tmp_path / EVIL]):
        code, out, err = run(*command)
        assert code in (1, 2)
        assert out == ""
        assert_harmless(err)


def test_remarks_in_the_log_say_nothing_either(
    run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("moon orbit rocket\napple pear cake\n" * 40, encoding="utf-8")
    out = tmp_path / "model"
    small = ("--n-components", 4, "--max-epochs", 1, "--seed-topic", f"a{EVIL}=nowhere")
    code, shown, err = run("fit", corpus, "--out", out, *small)
    assert code == 0, err
    assert any("makes no topic" in message for message in caplog.messages)
    for text in (shown, err, *caplog.messages):
        assert_harmless(text)
    assert isinstance(undertow.load(out), undertow.TopicModel)
