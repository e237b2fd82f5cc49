"""The command line: thin commands, one file each. Heavy modules are loaded by the command that needs them."""

from __future__ import annotations

import typer

from undertow.cli import demo

app = typer.Typer(
    name="undertow",
    help="Undirected topic models, learned by alpha-NCE.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)


@app.command()
def version() -> None:
    """Print the version.

    Example: undertow version
    """
    from undertow import __version__

    typer.echo(__version__)


def main() -> None:
    """Entry point of the `undertow` command."""
    app()
