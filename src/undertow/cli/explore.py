"""`undertow explore`: an index or a model in the browser."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from undertow.cli import common
from undertow.cli._shown import new_console, say


def explore(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="INDEX|MODEL",
            help="A folder of `undertow index` or `undertow fit`, or s3://bucket/index.",
        ),
    ],
    edit: Annotated[
        bool,
        typer.Option(
            "--edit", help="Let topics be renamed, merged, split, dropped, moved and seeded."
        ),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The port; 8090 or the next free one unless given."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than this machine's own are open.")
    ] = ("127.0.0.1"),
    workers: Annotated[
        int,
        typer.Option(
            help="Processes that answer, for many users at once; each takes memory for itself."
        ),
    ] = 1,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Explore topics, documents, search and map in the browser. Ctrl-C ends it.

    Of a model without an index it shows topics and training. Nothing is changed, unless --edit is
    given: then the page whose address is printed can edit topics, and what it does is kept in the
    folder. The map of an index is computed once and kept beside it.

    Examples:

        undertow explore news

        undertow explore news --edit

        undertow explore model --port 8200 --no-browser

        undertow explore news --workers 2

        undertow explore s3://bucket/news
    """
    from undertow.explorer.loopback import is_loopback
    from undertow.explorer.serve import address_of, listening, serve
    from undertow.explorer.source import Source, check_extra
    from undertow.explorer.workers import check_workers, serve_by_workers

    check_extra()
    check_workers(workers, edit=edit)
    token = _token(host) if edit else None
    source = None
    if workers == 1:
        with common.status(f"Opening {folder}", silent=quiet):
            source = Source.open(folder)
            if edit:
                source.check_can_change()
    bound = listening(host, port)
    address = address_of(bound, host, token)
    name = folder.rstrip("/").rpartition("/")[2] or folder
    if not is_loopback(host) and not quiet:
        say(
            f"Warning: anyone who can reach {host} can read the documents of {name}.",
            err=True,
        )
    # Without the address nobody could edit, so --quiet does not hide it then.
    started = partial(_announce, address, browser=not no_browser, quiet=quiet and not edit)
    if source is None:
        serve_by_workers(folder, bound, workers, host=host, started=started)
    else:
        serve(source, bound, host=host, token=token, started=started)


def _token(host: str) -> str:
    """What the page has to know to edit; nobody else is to reach it at all."""
    import secrets

    from undertow._errors import InvalidInput
    from undertow.explorer.loopback import is_loopback

    if not is_loopback(host):
        raise InvalidInput(
            f"--edit works on this machine alone: --host must be left out or be 127.0.0.1, "
            f"localhost or ::1, got {host}"
        )
    return secrets.token_urlsafe(24)


def _announce(address: str, *, browser: bool, quiet: bool) -> None:
    from rich.text import Text

    if not quiet:
        line = (
            Text("undertow explorer: ")
            .append(address, f"link {address}")
            .append("  (Ctrl-C ends it)")
        )
        new_console(highlight=False, soft_wrap=True).print(line)
    if browser:
        import threading
        import webbrowser

        threading.Thread(
            target=webbrowser.open, args=(address,), daemon=True
        ).start()  # some take their time
