"""Asking the explorer without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from fastapi.testclient import TestClient

from undertow.explorer._background import Background
from undertow.explorer.app import create_app
from undertow.explorer.source import Source

__all__ = ["ADDRESS", "Answer", "TestClient", "background", "explorer", "got", "refused", "sent"]

ADDRESS = "http://127.0.0.1:8090"


@contextmanager
def explorer(
    folder: Path, *, wait: bool = True, host: str = "127.0.0.1", token: str | None = None
) -> Iterator[TestClient]:
    """A client of an explorer that shows a folder; with `wait`, once its overview is there."""
    app = create_app(Source.open(folder), host=host, token=token)
    with TestClient(app, base_url=ADDRESS) as client:
        if wait:
            background(client).wait(300)
        yield client


def background(client: TestClient) -> Background:
    """What makes the overview behind a client."""
    app: Any = client.app
    found: Background = app.state.background
    return found


def got(client: TestClient, path: str, **parameters: Any) -> Any:
    """The JSON of an answer that has to be a good one."""
    answer = client.get(path, params=parameters or None)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def refused(client: TestClient, status: int, path: str, **parameters: Any) -> str:
    """What an error says that has to be of this status."""
    answer = client.get(path, params=parameters or None)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert isinstance(error, str)
    assert "Traceback" not in answer.text
    return error


class Answer(NamedTuple):
    """An answer to a request that was sent as it is."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def sent(
    client: TestClient, target: bytes, method: str = "GET", host: bytes = b"127.0.0.1:8090"
) -> Answer:
    """Hands a request over as the server does: the address is neither tidied up, nor limited, nor
    decoded twice.
    """
    path, _, query = target.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", host)],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8090),
    }
    messages: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return Answer(
        messages[0]["status"], headers, b"".join(message["body"] for message in messages[1:])
    )
