"""The command line: thin commands, one file each.

Only the command that was asked for is loaded, and heavy modules by that alone, once its paths were
looked at.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from undertow.cli._shown import Remarks, say
from undertow.cli._typed import Command, Group

REMARKS = Remarks()
COMMANDS = {
    **{
        name: name
        for name in ("fit", "topics", "units", "transform", "info", "evaluate", "index", "search")
    },
    **{
        "shell": "shell",
        "add": "index",
        "delete": "index",
        "explore": "explore",
        "serve-mcp": "serve_mcp",
    },
    **{"report": "report", "export": "export", "demo": "demo", "paper": "paper"},
}
"""Every command, and the module that holds it."""


def app_of(names: Iterable[str]) -> typer.Typer:
    """The command line with some commands: to load and describe all of them takes as long as many a
    question.
    """
    loaded = {name: import_module(f"undertow.cli.{COMMANDS[name]}") for name in names}
    made = typer.Typer(
        name="undertow",
        cls=Group,
        no_args_is_help=True,
        add_completion=len(loaded) > 1,  # else its options cost time, and nobody asked for them
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    made.callback()(undertow)
    for name, module in loaded.items():
        made.command(cls=Command)(getattr(module, name.replace("-", "_")))
    return made


def __getattr__(name: str) -> Any:
    if name == "app":
        return app_of(COMMANDS)
    raise AttributeError(f"module 'undertow.cli' has no attribute {name!r}")


def _print_version(wanted: bool) -> None:
    if wanted:
        from undertow import __version__

        say(__version__)
        raise typer.Exit


def undertow(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Undirected topic models: fit, look, encode, judge and search, from the command line."""


def main() -> None:
    """Entry point of the `undertow` command: an error is one line, with exit code 2 for wrong use
    and 1 for failure. Options that are unknown, or no numbers, are told with a line on usage.
    """
    from undertow._errors import InvalidInput, UndertowError
    from undertow.cli import _signals

    logging.getLogger("undertow").addFilter(REMARKS)
    asked = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    try:
        with _signals.terminable():
            app_of([asked] if asked in COMMANDS else COMMANDS)()
    except KeyboardInterrupt:
        _fail("interrupted", _signals.exit_code(130))
    except SystemExit as end:
        if end.code == 130:  # which typer makes of an interruption, without a word
            _fail("interrupted", _signals.exit_code(130))
        raise
    except (UndertowError, OSError, MemoryError) as error:
        if "--debug" in sys.argv:
            raise
        _fail(_worded(error), 2 if isinstance(error, InvalidInput) else 1)
    except Exception as error:
        if "--debug" in sys.argv or not type(error).__module__.startswith("polars."):
            raise
        _fail(_worded(error), 1)  # of what was read or written, which polars says in words


def _worded(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return " ".join(str(error).split()) or type(error).__name__


def _fail(message: str, code: int) -> None:
    say(f"undertow: {message}", err=True)
    sys.exit(code)
