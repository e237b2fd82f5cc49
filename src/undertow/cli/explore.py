"""`undertow explore`: an index or a model in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from undertow.cli import common


def explore(
    folder: Annotated[
        Path, typer.Argument(metavar="INDEX|MODEL", help="A folder of `undertow index` or `undertow fit`.")
    ],
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port; 8090 or the next free one unless given.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine's own are open.")] = (
        "127.0.0.1"
    ),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Explore topics, documents, search and map in the browser. Ctrl-C ends it.

    Of a model without an index it shows topics and training. Nothing is changed; the map of an index is computed once
    and kept beside it.

    Examples:

        undertow explore news

        undertow explore model --port 8200 --no-browser
    """
    from undertow.explorer._guard import is_loopback
    from undertow.explorer.serve import address_of, listening, serve
    from undertow.explorer.source import Source, check_extra

    check_extra()
    with common.status(f"Opening {folder}", silent=quiet):
        source = Source.open(folder)
    bound = listening(host, port)
    address = address_of(bound, host)
    if not is_loopback(host) and not quiet:
        typer.echo(f"Warning: anyone who can reach {host} can read the documents of {source.name}.", err=True)
    serve(source, bound, host=host, started=lambda: _announce(address, browser=not no_browser, quiet=quiet))


def _announce(address: str, *, browser: bool, quiet: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    if not quiet:
        line = Text("undertow explorer: ").append(address, f"link {address}").append("  (Ctrl-C ends it)")
        Console(highlight=False, soft_wrap=True).print(line)
    if browser:
        import threading
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some take their time
