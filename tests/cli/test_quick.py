"""What a command loads: little for a question, nearly nothing for help and for a slip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from undertow import TopicModel
from undertow.cli import COMMANDS
from undertow.search import Index

SLOW = (
    "sklearn",
    "numba",
    "polars",
    "pandas",
    "scipy",
    "lance_namespace",
    "lance_namespace_urllib3_client",
)
HEAVY = (*SLOW, "numpy", "lancedb", "pyarrow", "safetensors")
RUN = (
    "import resource, sys\n"
    "sys.argv[0] = 'undertow'\n"
    "from undertow.cli import main\n"
    "try:\n    main()\nfinally:\n"
    "    used = resource.getrusage(resource.RUSAGE_SELF)\n"
    "    loaded = [name for name in {names!r} if name in sys.modules]\n"
    "    print('SEEN', *loaded, used.ru_utime + used.ru_stime, file=sys.stderr)"
)
HELP_SECONDS, QUESTION_SECONDS = (
    1.0,
    3.0,
)  # of processor time, thrice and more what it takes: machines are busy


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, an index and a corpus."""
    folder = tmp_path_factory.mktemp("quick")
    themes = ("apple pear plum cherry orchard", "engine wheel brake clutch gear")
    texts = [" ".join(themes[number % 2].split()[number % 3 :]) for number in range(60)]
    table = pl.DataFrame(
        {"id": [f"d{number}" for number in range(60)], "text": texts, "label": ["x", "y"] * 30}
    )
    model = TopicModel(
        8, stop_words="english", stemmer="english", max_epochs=3, batch_size=16, random_state=0
    )
    model.fit(table).save(folder / "model")
    Index.create(folder / "news", model, table)
    table.write_csv(folder / "corpus.csv")
    return folder


def _ran(
    place: Path, *arguments: str, stdin: str = "", names: tuple[str, ...] = HEAVY
) -> tuple[str, str, list[str]]:
    """Standard output, standard error, and what is said about the process."""
    command = [sys.executable, "-c", RUN.format(names=names), *arguments]
    done = subprocess.run(
        command, cwd=place, input=stdin, capture_output=True, text=True, env={**os.environ}
    )
    told, _, seen = done.stderr.rpartition("SEEN")
    return done.stdout, told, seen.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("un", ["units"]),
        ("fit --learn", ["--learner", "--learning-rate"]),
        ("serve-mcp --q", ["--quiet"]),
    ],
)
def test_a_shell_completes_commands_and_options(
    typed: str, offered: list[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_UNDERTOW_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"undertow {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    out, _, seen = _ran(place)
    assert out.split() == offered
    assert seen[:-1] == []


@pytest.mark.parametrize("command", [(), ("fit",), ("search",)])
def test_help_loads_nothing(command: tuple[str, ...], place: Path) -> None:
    out, _, seen = _ran(place, *command, "--help", names=(*HEAVY, "pydantic"))
    assert "Usage" in out
    assert seen[:-1] == []
    assert float(seen[-1]) < HELP_SECONDS
    if not command:
        assert all(f" {name} " in out for name in COMMANDS)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("nonsense",), "No such command"),
        (("search", "news"), "QUERY or --like must be given"),
        (("search", "nowhere", "apple"), "nowhere must be a search index"),
        (("shell", "model"), "model must be a search index, got no index.json"),
        (("fit", "nowhere.csv", "--out", "m"), "CORPUS must be a file or folder, got nowhere.csv"),
        (("fit", "corpus.csv", "--out", "model"), "--out must not exist yet"),
        (("fit", "corpus.csv", "--out", "m", "--learner", "em"), "--learner must be one of"),
        (("fit", "corpus.csv", "--out", "m", "--optimizer", "em"), "--optimizer must be one of"),
        (
            ("fit", "corpus.csv", "--out", "m", "--memory-limit", "much"),
            "--memory-limit must be a number of bytes",
        ),
        (("topics", "nowhere"), "nowhere must be a folder written by undertow, got nothing there"),
        (("info", "."), "model.json must be a plain file, got nothing there"),
        (("index", "model", "nowhere.csv", "--out", "i"), "CORPUS must be a file or folder"),
        (("add", "nowhere", "corpus.csv"), "nowhere must be a search index"),
        (("report", "nowhere"), "nowhere must be a folder written by undertow"),
    ],
    ids=" ".join,
)
def test_a_slip_is_told_before_anything_is_loaded(
    command: tuple[str, ...], said: str, place: Path
) -> None:
    _, told, seen = _ran(place, *command)
    assert said in " ".join(told.split())
    assert seen[:-1] == []
    assert float(seen[-1]) < HELP_SECONDS


def test_a_question_loads_nothing_that_trains(place: Path) -> None:
    for command in (
        ("search", "news", "ripe apple pear", "-n", "2"),
        ("search", "news", "--like", "d1"),
    ):
        out, told, seen = _ran(place, *command, names=SLOW)
        assert "d" in out, told
        assert seen[:-1] == []
        assert float(seen[-1]) < QUESTION_SECONDS


def test_a_folder_that_a_killed_writer_left_aside_is_found(place: Path, tmp_path: Path) -> None:
    aside = tmp_path / ".model.undertow-old"
    shutil.copytree(place / "model", aside)
    out, told, _ = _ran(tmp_path, "topics", "model")
    assert "apple" in out or "appl" in out, told
