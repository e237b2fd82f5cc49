"""Commands with any arguments whatever: no traceback, and where something is wrong, words and exit
code 1 or 2.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from typer.main import get_command

from tests.hostile.conftest import TEXTS
from tests.shell import Run, shell
from undertow.cli import app_of

COMMANDS = ("fit", "topics", "units", "transform", "info", "evaluate", "report")
ODD = (
    *("", " ", "-1", "0", "1", "2", "1e400", "nan", "inf", str(2**40), str(2**70), "9" * 400),
    *("é", "\x1b[31m", "a" * 5000, "../..", "/dev/null", ".", "none", "auto", "-", "--"),
    *("1=", "=1", "1,1=x", "8,9", "0:root", "8:8", "x=y", "[a-", "(" * 300, "a{99999999}"),
    *(
        "english",
        "%s",
        "{}",
        "text",
        "label",
        "cpu",
        "cuda:99",
        "1 2",
        "0.5",
        "s3://",
        "*",
        "*.txt",
    ),
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


@pytest.fixture
def places(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a corpus and a model."""
    import shutil

    monkeypatch.chdir(tmp_path)
    shutil.copytree(sound / "texts", tmp_path / "model")
    write_corpus(tmp_path)
    return tmp_path


def write_corpus(place: Path) -> None:
    """The one that commands are given."""
    rows = [{"id": str(n), "text": text, "label": str(n % 2)} for n, text in enumerate(TEXTS)]
    pl.DataFrame(rows).write_parquet(place / "corpus.parquet")


LEFT_OUT = ("cluster", "workers", "debug", "help")  # other machines; tracebacks that are asked for
NEEDED: dict[str, list[str]] = {
    "fit": ["corpus.parquet", "--out", "made", "--n-components", "3", "--max-epochs", "1"],
    "topics": ["model"],
    "units": ["model"],
    "transform": ["model", "corpus.parquet", "--out", "made.parquet"],
    "info": ["model"],
    "evaluate": ["model", "corpus.parquet"],
    "report": ["model", "corpus.parquet", "--out", "made.html"],
}


def options_of(command: str) -> list[Any]:
    found: Any = get_command(app_of(COMMANDS))
    own = found.commands[command].params
    return [one for one in own if one.opts[0].startswith("-")]


def odd_arguments(command: str, random: Random) -> list[str]:
    """What the command needs, and one to three options with odd values; now and then odd places."""
    given = list(NEEDED[command])
    options = [one for one in options_of(command) if one.name not in LEFT_OUT]
    for option in random.sample(options, random.randint(1, min(3, len(options)))):
        given.append(random.choice(option.opts))
        if not getattr(option, "is_flag", False):
            given += [random.choice(ODD) for _ in range(max(option.nargs, 1))]
    if random.random() < 0.15:
        given[random.randrange(len(given))] = random.choice(ODD)
    return given


def try_one(run: Run, command: str, random: Random) -> None:
    """Runs a command with odd arguments; `guided.py` does, too."""
    given = odd_arguments(command, random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code, _, error = run(command, *given, "--quiet")
    assert code in (0, 1, 2), (given, code, error)
    assert "Traceback" not in error, given
    assert code == 0 or error.strip(), given


@pytest.mark.parametrize("command", COMMANDS)
def test_odd_arguments_are_told(run: Run, places: Path, command: str) -> None:
    for seed in range(6):
        try_one(run, command, Random(f"{command} {seed}"))


@pytest.mark.torture
@pytest.mark.parametrize("command", COMMANDS)
def test_many_odd_arguments_are_told(run: Run, places: Path, command: str) -> None:
    for seed in range(1000, 1300):
        try_one(run, command, Random(f"{command} {seed}"))


def test_every_option_with_every_odd_value_of_info_and_units(run: Run, places: Path) -> None:
    for value in ODD:
        for given in (["info", value], ["units", "model", "-n", value], ["topics", value]):
            code, _, error = run(*given)
            assert code in (0, 1, 2), (given, error)


SAID: dict[str, tuple[list[str], str]] = {
    "a seed too large": (["--seed", str(2**40)], "--seed"),
    "a memory of 400 digits": (["--memory-limit", "9" * 400], "--memory-limit must be a number of"),
    "stop words in Latin-1": (
        ["--stop-words", "stop.txt"],
        "must be UTF-8 text, got byte 0xe9 at 1",
    ),
    "n-grams without end": (["--ngram-range", "1", "1000000000"], "at most 100"),
}


@pytest.mark.parametrize("name", SAID)
def test_what_ended_in_a_traceback_is_told(run: Run, places: Path, name: str) -> None:
    (places / "stop.txt").write_bytes("dér\n".encode("latin-1"))
    options, said = SAID[name]
    code, _, error = run("fit", *NEEDED["fit"], *options)
    assert code == 2
    assert said in error
    assert len(error) < 2000
    assert not (places / "made").exists()
