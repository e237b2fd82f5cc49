"""The command line: thin commands, one file each. Heavy modules are loaded by the command that needs them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from undertow.cli import (
    demo,
    evaluate,
    explore,
    fit,
    index,
    info,
    paper,
    report,
    search,
    serve_mcp,
    topics,
    transform,
    units,
)
from undertow.cli._typed import Command

app = typer.Typer(
    name="undertow",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (
    *(fit.fit, topics.topics, units.units, transform.transform, info.info, evaluate.evaluate),
    *(index.index, search.search, index.add, index.delete, explore.explore, serve_mcp.serve_mcp, report.report),
    *(demo.demo, paper.paper),
):
    app.command(cls=Command)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from undertow import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def undertow(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Undirected topic models: fit, look, encode, judge and search, from the command line."""


def main() -> None:
    """Entry point of the `undertow` command: an error is one line, with exit code 2 for wrong use and 1 for failure."""
    from undertow._errors import InvalidInput, UndertowError

    try:
        app()
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except (UndertowError, OSError, MemoryError) as error:
        if "--debug" in sys.argv:
            raise
        _fail(_worded(error), 2 if isinstance(error, InvalidInput) else 1)


def _worded(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return " ".join(str(error).split()) or type(error).__name__


def _fail(message: str, code: int) -> None:
    typer.echo(f"undertow: {message}", err=True)
    sys.exit(code)
