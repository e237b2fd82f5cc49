"""`undertow serve-mcp`: an index as tools of an assistant."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from undertow.cli import common
from undertow.cli._shown import say


def serve_mcp(
    index: common.IndexArgument, quiet: common.Quiet = False, debug: common.Debug = False
) -> None:
    """Let an assistant search an index and read its topics, by the Model Context Protocol on
    standard input and output.

    Assistants start this command themselves: give them its name and its arguments, with the full
    path of INDEX. The tools only read: search, get_document, list_topics, get_topic and index_info.
    Needs the extra: pip install 'undertow\\[mcp]'.

    Examples:

        undertow serve-mcp news

        {"mcpServers": {"news": {"command": "undertow", "args": ["serve-mcp",
        "/full/path/of/news"]}}}
    """
    from undertow.assistant import Reader, check_extra

    check_extra()
    # standard output belongs to the protocol, which sees to it from `run` on
    with redirect_stdout(sys.stderr):
        reader = Reader(index)
        from undertow.assistant.server import make_server

        server = make_server(reader, log_level="INFO" if debug else "WARNING")
        documents = reader.about().documents
    if not quiet:
        waiting = "read-only. Waiting for an assistant; Ctrl-C ends it."
        say(f"Serving {index}: {documents:,} documents, {waiting}", err=True)
    server.run("stdio")
