"""Several questions in one process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.shell import Run, shell
from undertow import TopicModel
from undertow.cli import shell as module
from undertow.search import Index

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shell") / "news"
    texts = [
        "apple pear\nplum\x1b[31m cherry",
        "apple orchard pear",
        "engine wheel brake",
        "engine gear clutch",
    ] * 8
    ids = [f"d{number}" for number in range(len(texts))]
    labels = ["fruit", "fruit", "cars", "cars"] * 8
    table = pl.DataFrame(
        {"id": ids, "text": [f"{text} {name}" for text, name in zip(texts, ids, strict=True)]}
    )
    table = table.with_columns(pl.Series("label", labels))
    model = TopicModel(6, max_epochs=3, batch_size=16, random_state=0).fit(table)
    Index.create(folder, model, table)
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


@pytest.fixture
def ask(run: Run, news: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    def asked(*lines: str, options: tuple[object, ...] = ("-n", 2)) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run("shell", news, *options)

    return asked


def test_answers_are_those_of_search(ask: Ask, run: Run, news: Path) -> None:
    expected = "".join(run("search", news, query, "-n", 2)[1] for query in ("apple pear", "engine"))
    assert ask("apple pear", "", "  ", "engine") == (0, expected, "")


def test_settings_hold_until_they_are_changed(ask: Ask, run: Run, news: Path) -> None:
    where = "label = 'cars'"
    expected = run("search", news, "apple engine", "-n", 1, "--mode", "text", "--where", where)[1]
    found = ask(
        "apple engine",
        ":n 1",
        ":mode text",
        f":where {where}",
        "apple engine",
        ":where",
        ":quit",
        "never",
    )
    assert found[0] == 0
    assert found[1].endswith(expected)
    assert found[1].count(" 1. ") == 2
    told = ask(":mode text", f":where {where}", ":n 3", ":help", ":where", ":help")[1]
    assert "now text" in told
    assert f"now {where}" in told
    assert "now 3" in told
    assert "now all" in told


def test_like_and_open(ask: Ask, run: Run, news: Path) -> None:
    like = run("search", news, "--like", "d2", "-n", 2)[1]
    assert ask(":like d2")[1] == like
    best = ask("d2", options=("-n", 1, "--mode", "text"))[1]
    opened = ask("d0", ":open 1", options=("-n", 1, "--mode", "text"))[1]
    assert opened.endswith(
        "d0\napple pear\nplum [31m cherry d0\n"
    )  # whole, without what would steer a terminal
    assert ask("d2", ":like", options=("-n", 1, "--mode", "text"))[1].startswith(best)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (":open 1", ":open must be used after an answer, got '1'"),
        (":like", ":like must be followed by the id of a document"),
        (":like nobody", ":like must be the id of a document of the index, got 'nobody'"),
        (":mode loud", ":mode must be one of"),
        (":where desk = 1", ":where must name columns of the index"),
        (":where label =", ":where must"),
        (":n 0", ":n must be a whole number of at least 1, got '0'"),
        (":n 1001", None),
        (f":n {'9' * 5000}", ":n must be a whole number of at least 1, got '9999"),
        (f":open {'9' * 5000}", ":open must be"),
        (":jump", "a command must be one of :like"),
    ],
)
def test_an_error_is_told_and_does_not_end_it(line: str, said: str | None, ask: Ask) -> None:
    code, out, err = ask(line, "apple" if said else ":n 2", ":n 1", "engine")
    assert (code, len(err.splitlines())) == (0, 1 if said else 0)
    assert said is None or said in err
    assert "1. d" in out


def test_open_names_what_there_is(ask: Ask) -> None:
    assert ":open must be a number from 1 to 2, got '3'" in ask("apple", ":open 3")[2]


def _typed(lines: list[str | type[BaseException]]) -> Callable[[str], str]:
    left = iter(lines)

    def answer(prompt: str) -> str:
        assert prompt == module.PROMPT
        line = next(left)
        if isinstance(line, str):
            return line
        raise line

    return answer


@pytest.mark.parametrize("command", ["shell", "search"])
def test_on_a_terminal_there_is_a_prompt(
    command: str, run: Run, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(
        "builtins.input", _typed(["apple", KeyboardInterrupt, " engine ", EOFError])
    )
    code, out, err = run(command, news, "-n", 1)
    assert (code, err) == (0, "")
    assert out.startswith("32 documents. :help lists commands")
    assert out.count(" 1. d") == 2


def test_an_interrupted_question_does_not_end_it(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    search = Index.search

    def interrupted(
        self: Index, query: str | None = None, *arguments: object, **named: object
    ) -> object:
        if query == "apple":
            raise KeyboardInterrupt
        return search(self, query, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "search", interrupted)
    code, out, err = ask("apple", "engine")
    assert (code, err) == (0, "interrupted\n")
    assert "1. d" in out
