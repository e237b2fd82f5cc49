"""One of several processes that serve the same socket: what `workers` starts.

It is told what to serve by its argument. Lines of JSON lead both ways: what it has to say goes to
its standard output, and how far the overview is comes from its standard input, which ends when the
process that started it does. Then it ends as well.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from typing import Any, TextIO

from undertow._errors import UndertowError
from undertow.explorer._background import Background
from undertow.explorer.serve import serve
from undertow.explorer.source import Source

PAUSE = 0.3  # seconds between looks at how far the overview is


def main() -> None:
    """Serves until it is told to stop."""
    settings: dict[str, Any] = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is heard by the one that leads
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is no message
    try:
        source = Source.open(settings["folder"])
    except UndertowError as error:
        _tell(told, error=str(error))
        sys.exit(1)
    leads = settings["number"] == 0
    background = Background(source, waits=not leads)
    threading.Thread(target=_listen, args=(background,), daemon=True).start()
    if leads:
        threading.Thread(target=_report, args=(background, told), daemon=True).start()
    serve(
        source,
        socket.socket(fileno=settings["socket"]),
        host=settings["host"],
        started=lambda: _tell(told, ready=True),
        background=background,
    )


def _listen(background: Background) -> None:
    for line in sys.stdin:
        news = json.loads(line)
        background.tell(news["state"], news["progress"], news["error"])
    os._exit(0)  # nobody is there any more who could stop it


def _report(background: Background, told: TextIO) -> None:
    """Tells how far the overview is, until that is settled."""
    before = None
    while True:
        now = background.state, round(background.progress, 2), background.error
        if now != before:
            _tell(told, overview={"state": now[0], "progress": now[1], "error": now[2]})
        if now[0] != "computing":
            return
        before = now
        time.sleep(PAUSE)


def _tell(told: TextIO, **news: Any) -> None:
    try:
        told.write(json.dumps(news) + "\n")
        told.flush()
    except OSError:
        os._exit(0)


if __name__ == "__main__":
    main()
