"""`undertow serve-mcp` as an assistant starts it: a process, with the protocol alone on its
standard output.
"""

from __future__ import annotations

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.shell import Run, shell

CHATTER = """
import os, undertow.search.index as index
refresh, document = index.Index.refresh, index.Index.document
index.Index.refresh = lambda self: (print("a word of Python"), refresh(self))[1]
noise = b"a word of a library\\n"
index.Index.document = lambda self, id: (os.write(1, noise), document(self, id))[1]
from undertow.cli import main; main()
"""


def test_an_assistant_starts_it_and_asks(news: Path, tmp_path: Path) -> None:
    """Whatever is printed meanwhile, standard output is the protocol alone."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    arguments = ["-c", CHATTER, "serve-mcp", str(news)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    unasked: list[Any] = []  # also what is no message of the protocol

    async def keep(message: Any) -> None:
        unasked.append(message)

    async def talk(said: Any) -> tuple[list[str], Any, Any]:
        async with Client(stdio_client(server, errlog=said), message_handler=keep) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search", {"query": "diesel engine", "n": 3})
            wrong = await client.call_tool("get_document", {"id": "nobody"})
            return tools, found, wrong

    with (tmp_path / "said").open("w") as said:
        tools, found, wrong = asyncio.run(talk(said))
    assert unasked == []
    assert "search" in tools
    assert len(found.structured_content["results"]) == 3
    assert (wrong.is_error, "got 'nobody'" in wrong.content[0].text) == (True, True)
    heard = (tmp_path / "said").read_text()
    assert f"Serving {news}: 121 documents, read-only. Waiting for an assistant" in heard
    assert "a word of Python" in heard
    assert "a word of a library" in heard


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


def test_no_index_is_one_line_and_nothing_on_standard_output(run: Run, tmp_path: Path) -> None:
    code, out, err = run("serve-mcp", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "must be a search index" in err


def test_without_the_extra_it_names_it(
    run: Run, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "undertow._extras.find_spec", lambda name: None if name == "mcp" else find_spec(name)
    )
    code, out, err = run("serve-mcp", news)
    assert (code, out) == (2, "")
    assert "pip install 'undertow[mcp]'" in err
