"""`undertow shell`: several questions to an index, in one process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from undertow.cli import common
from undertow.cli._shown import say
from undertow.cli.search import Mode, answer, clean

if TYPE_CHECKING:
    from undertow.search import Hit, Index

PROMPT = "undertow> "
MOST_DIGITS = 30
TYPED = {
    "where": ":where",
    "mode": ":mode",
    "n": ":n",
    "like": ":like",
}  # what errors of the library are about
HELP = """\
A line is a question; these are commands:
  :like ID       documents like the one with this id; without ID, like the best of the latest answer
  :open N        the whole text of hit N of the latest answer
  :mode MODE     how documents are ranked: {modes}; now {mode}
  :where FILTER  only documents that a filter is true of; without FILTER, all; now {where}
  :n N           documents shown; now {n}
  :help          this
  :quit          the end, as Ctrl-D"""


def shell(
    index: common.IndexArgument,
    n: Annotated[int, typer.Option("-n", min=1, help="Documents shown, the best first.")] = 10,
    where: Annotated[str | None, typer.Option(help="A filter, as for search.")] = None,
    mode: Annotated[
        Mode, typer.Option(help="How documents are ranked, as for search.")
    ] = Mode.HYBRID,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Ask an index several questions; the answers are those of search, without the wait for a
    start.

    Questions are read line by line, from the terminal or from another program. :help lists
    commands, such as :like ID, :open N, :mode text and :where FILTER. An error does not end it;
    Ctrl-D does.

    Examples:

        undertow shell news

        undertow shell news -n 3 --where "label = 'sci.space'" < questions.txt
    """
    Shell(common.open_index(index), n=n, where=where, mode=mode, quiet=quiet).run()


def for_questions(
    index: str, *, n: int, where: str | None, mode: Mode, json: bool, quiet: bool
) -> None:
    """What `undertow search` does without a question."""
    if json or not sys.stdin.isatty():
        from undertow._errors import InvalidInput

        raise InvalidInput(
            "QUERY or --like must be given, one of them, got neither; undertow shell reads many"
        )
    Shell(common.open_index(index), n=n, where=where, mode=mode, quiet=quiet).run()


class Shell:
    """Questions and commands, and what they go by from one to the next."""

    def __init__(self, index: Index, *, n: int, where: str | None, mode: Mode, quiet: bool) -> None:
        self._index, self._quiet = index, quiet
        self._n, self._where, self._mode = n, where, mode
        self._hits: list[Hit] = []
        self._commands: dict[str, Callable[[str], None]] = {
            ":like": self._like,
            ":open": self._open,
            ":mode": self._set_mode,
            ":where": self._set_where,
            ":n": self._set_n,
            ":help": self._help,
        }

    def run(self) -> None:
        """Until the end of the lines, or :quit."""
        lines = _typed_lines() if sys.stdin.isatty() else _read_lines()
        if sys.stdin.isatty() and not self._quiet:
            say(f"{len(self._index):,} documents. :help lists commands, Ctrl-D ends.")
        for line in lines:
            if line in (":quit", ":q", ":exit"):
                return
            try:
                self._do(line)
            except KeyboardInterrupt:
                say("interrupted", err=True)

    def _do(self, line: str) -> None:
        """One line; whatever is wrong with it is told, and the next one is read."""
        from undertow._errors import InvalidInput, UndertowError
        from undertow.cli._typed import as_typed

        try:
            if not line.startswith(":"):
                self._ask(line, None)
                return
            name, _, rest = line.partition(" ")
            if name not in self._commands:
                raise InvalidInput(
                    f"a command must be one of {', '.join(self._commands)} and :quit, got "
                    f"{name!r:.40}"
                )
            self._commands[name](rest.strip())
        except (UndertowError, OSError) as error:
            say(f"undertow: {as_typed(str(error), TYPED)}", err=True)

    def _ask(self, query: str | None, like: str | None) -> None:
        asked = {"like": like, "where": self._where, "mode": self._mode, "quiet": self._quiet}
        self._hits = answer(self._index, query, self._n, **asked)  # type: ignore[arg-type]

    def _like(self, document: str) -> None:
        if not document and not self._hits:
            raise _wrong(
                ":like must be followed by the id of a document, got none, and no answer before it"
            )
        self._ask(None, document or self._hits[0].id)

    def _open(self, number: str) -> None:
        if not 1 <= _number(number) <= len(self._hits):
            known = (
                f"a number from 1 to {len(self._hits)}" if self._hits else "used after an answer"
            )
            raise _wrong(f":open must be {known}, got {number!r:.40}")
        hit = self._hits[_number(number) - 1]
        say("\n".join(clean(line) for line in (hit.id, *hit.text.splitlines())))

    def _set_mode(self, name: str) -> None:
        modes = [mode.value for mode in Mode]
        if name not in modes:
            raise _wrong(f":mode must be one of {', '.join(modes)}, got {name!r:.40}")
        self._mode = Mode(name)

    def _set_where(self, condition: str) -> None:
        if condition:  # a wrong one is told now, not at every question
            self._index.search("any", 1, where=condition, mode=Mode.TEXT.value, reasons=False)
        self._where = condition or None

    def _set_n(self, number: str) -> None:
        if _number(number) < 1:
            raise _wrong(f":n must be a whole number of at least 1, got {number!r:.40}")
        self._n = _number(number)

    def _help(self, _: str) -> None:
        modes = ", ".join(mode.value for mode in Mode)
        now = {"mode": self._mode.value, "where": self._where or "all", "n": self._n}
        say(HELP.format(modes=modes, **now))


def _typed_lines() -> Iterator[str]:
    """What is typed at a prompt, with the arrow keys and a history where the system has them."""
    with suppress(ImportError):
        import_module("readline")  # to load it is to use it
    while True:
        try:
            line = input(PROMPT).strip()
        except KeyboardInterrupt:  # the line is given up, not the shell
            say("")
            continue
        except EOFError:
            say("")
            return
        if line:
            yield line


def _read_lines() -> Iterator[str]:
    yield from filter(None, map(str.strip, sys.stdin))


def _number(typed: str) -> int:
    """A whole number; 0 where it is none, or one of more digits than Python reads."""
    return int(typed) if typed.isdecimal() and len(typed) <= MOST_DIGITS else 0


def _wrong(message: str) -> Exception:
    from undertow._errors import InvalidInput

    return InvalidInput(message)
