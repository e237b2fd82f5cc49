"""What every request passes: method, host, address and origin are checked, errors become JSON,
headers are set.

Only GET and HEAD are answered, unless the explorer was started for editing; then one route takes
POST, from those who know the token alone.

The explorer listens on this machine, where any page that is open in a browser can send requests to
it. Such a page cannot read the answers as long as it cannot pass for the explorer, so no answer
allows other origins, and a request that was sent to another name than the explorer's own is
refused: a name can be made to point here (DNS rebinding).
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

# bytes of path and query, encoded: 10,000 letters of any script and a filter
LONGEST_ADDRESS = 192 * 1024
LONGEST_BODY = 64 * 1024  # bytes of an edit
EDIT = "/api/edit"  # the one route that can be written to
TOKEN = b"x-undertow-token"
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # plotly sets styles
        "img-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

logger = logging.getLogger("undertow")


class Hosts:
    """The names by which the explorer may be addressed.

    Where it listens on all addresses (0.0.0.0 or ::), any address in numbers will do, which no name
    server can make up, and the machine's own name.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._names = {*LOCAL_NAMES, host.lower()}
        self._any_number = host in ("0.0.0.0", "::")
        if self._any_number:
            self._names.add(socket.gethostname().lower())

    def allow(self, header: bytes) -> bool:
        """Whether a Host header names the explorer."""
        name = _name_in(header)
        if name is None:
            return False
        return name in self._names or (self._any_number and _is_number(name))


class Guard:
    """Wraps an application. With a token, whoever sends it may write to the route for edits."""

    def __init__(self, app: Application, hosts: Hosts, token: str | None = None) -> None:
        self._app, self._hosts, self._token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request itself where it is refused, and passes it on otherwise."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        reply = _Reply(send, with_body=scope["method"] != "HEAD")
        refusal = self._refusal(scope)
        if refusal is not None:
            writable = self._token is not None and scope["path"] == EDIT
            await reply.problem(*refusal, allowed=b"POST" if writable else b"GET, HEAD")
            return
        try:
            method = "GET" if scope["method"] == "HEAD" else scope["method"]
            await self._app({**scope, "method": method}, receive, reply.send)
        except MemoryError:
            logger.error("there was not enough memory to answer a request")
            if reply.begun:
                raise
            await reply.problem(503, "there is not enough memory for this request now")
        except Exception:
            logger.exception(
                "the explorer failed to answer %s",
                scope["path"][:200].encode("unicode_escape").decode(),
            )
            if reply.begun:
                raise
            await reply.problem(500, "something went wrong in the explorer: its terminal says more")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        writes = scope["method"] == "POST" and scope["path"] == EDIT and self._token is not None
        if scope["method"] not in ("GET", "HEAD") and not writes:
            return (
                405,
                f"the method must be GET or HEAD, got {scope['method'][:20]}: nothing can be "
                f"changed here",
            )
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or not self._hosts.allow(named[0]):
            return 400, "the Host header must name the address that the explorer was started with"
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, f"the address must have at most {LONGEST_ADDRESS:,} bytes"
        foreign = headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site")
        followed = headers.get(b"sec-fetch-mode") == b"navigate" and scope["path"] == "/"
        if foreign and not followed:  # a link elsewhere may open the page, and start no work here
            return (
                403,
                "requests must come from the explorer's own pages, got one from another site",
            )
        return self._refused_edit(headers) if writes else None

    def _refused_edit(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Other pages can send requests, but do not know the token, and their browser says where
        they come from.
        """
        own = b"http://" + headers[b"host"].lower()
        if (
            headers.get(b"origin", own).lower() != own
            or headers.get(b"sec-fetch-site", b"same-origin") != b"same-origin"
        ):
            return 403, "edits must come from the explorer's own pages, got one from elsewhere"
        if not hmac.compare_digest(headers.get(TOKEN, b""), (self._token or "").encode()):
            return (
                403,
                "edits must carry the token of the address that the explorer printed when it was "
                "started",
            )
        if (
            headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
            != b"application/json"
        ):
            return 415, "edits must be JSON, with the content type application/json"
        length = headers.get(b"content-length", b"")
        if not length.isdigit():
            return 411, "edits must tell their length"
        if len(length) > 9 or int(length) > LONGEST_BODY:
            return 413, f"edits must have at most {LONGEST_BODY:,} bytes"
        return None


class _Reply:
    """Sends an answer with our headers, and without its body where only headers were asked for."""

    def __init__(self, send: Send, *, with_body: bool) -> None:
        self._send, self._with_body = send, with_body
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        elif not self._with_body:
            message = {**message, "body": b""}
        await self._send(message)

    async def problem(self, status: int, error: str, allowed: bytes = b"GET, HEAD") -> None:
        body = json.dumps({"error": error}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        if status == 405:
            headers.append((b"allow", allowed))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _name_in(header: bytes) -> str | None:
    """The name in a Host header, without its port and the brackets of IPv6, or None for what is no
    such header.
    """
    try:
        text = header.decode("ascii").lower()
    except UnicodeDecodeError:
        return None
    name, port = text, ""
    if text.startswith("["):
        name, bracket, port = text[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return None
        port = port[1:]
    elif ":" in text:
        name, _, port = text.rpartition(":")
    return name if name and (not port or port.isdigit()) else None


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
