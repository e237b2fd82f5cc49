"""What the explorer promises: it only reads, answers nobody but its own pages, and serves no file
but its own.
"""

from __future__ import annotations

import json
import logging
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.asking import TestClient, explorer, got, refused, sent
from tests.explorer.conftest import ATTACKS, hostile_names
from undertow.explorer import _page_files
from undertow.explorer._guard import HEADERS, Hosts
from undertow.search import Index

SECRET = "never to be served"


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as asked:
        yield asked


def every_path(client: TestClient) -> list[str]:
    """An address of every route of the application, those that the OpenAPI document does not tell
    of included.
    """
    filled = {"{number}": "1", "{name:any}": "d1", "{name:path}": "index.html"}
    paths = [route.path for route in _routes(client.app)]
    for name, value in filled.items():
        paths = [path.replace(name, value) for path in paths]
    return paths


def _routes(app: Any) -> list[Any]:
    found = []
    for route in app.routes:
        found += _routes(route.original_router) if hasattr(route, "original_router") else [route]
    return found


def test_every_route_is_looked_at(client: TestClient) -> None:
    paths = every_path(client)
    assert {
        "/",
        "/api",
        "/openapi.json",
        "/plotly.min.js",
        "/pages/index.html",
        "/api/about",
    } <= set(paths)
    assert set(client.get("/openapi.json").json()["paths"]) <= {
        path.replace(":any", "") for path in (route.path for route in _routes(client.app))
    }
    assert len(paths) == 20


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "BREW"]
)
def test_no_route_can_be_written_to(client: TestClient, method: str) -> None:
    for path in [*every_path(client), "/nothing"]:
        answer = sent(client, path.encode(), method)
        assert answer.status == 405, path
        assert answer.headers["allow"] == "GET, HEAD"
        assert "must be GET or HEAD" in answer.json()["error"]


def test_no_route_declares_another_method(client: TestClient) -> None:
    for route in _routes(client.app):
        assert route.methods <= {"GET", "HEAD"}, route.path


def test_head_is_get_without_a_body(client: TestClient) -> None:
    for path in ("/api/about", "/api/topics", "/api/map", "/api", "/api/topics/999"):
        whole, head = sent(client, path.encode()), sent(client, path.encode(), "HEAD")
        assert (head.status, head.headers, head.body) == (whole.status, whole.headers, b"")
        assert int(head.headers["content-length"]) == len(whole.body) > 0


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:8090",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "127.0.0.1@evil",
        ),
        *(
            "",
            ":8090",
            "[::1",
            "[::1]x",
            "192.168.0.7",
            "0.0.0.0",
            "::1",
            "127.0.0.1:80:80",
            "127.0.0.1:x",
            "naïve",
        ),
    ],
)
def test_other_hosts_are_refused(client: TestClient, host: str) -> None:
    for path in ("/", "/api/about", "/pages/index.html", "/nothing"):
        answer = client.get(path, headers={b"Host": host.encode()})
        assert answer.status_code == 400, host
        assert "Host header" in answer.json()["error"]
        assert host == "" or host not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:8090", "127.0.0.1:1", "[::1]", "[::1]:8090"]
)
def test_our_own_hosts_are_not(client: TestClient, host: str) -> None:
    assert client.get("/api/about", headers={"Host": host}).status_code == 200


def test_the_host_that_was_given_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    assert Hosts("my.machine").allow(b"My.Machine:8090")
    assert Hosts("192.168.0.7").allow(b"192.168.0.7:8090")
    assert not Hosts("192.168.0.7").allow(b"192.168.0.8:8090")
    everywhere = Hosts("0.0.0.0")  # numbers cannot be made to point elsewhere, names can
    assert everywhere.allow(b"192.168.0.8:8090")
    assert everywhere.allow(b"[fe80::1]:8090")
    assert everywhere.allow(b"desk:8090")
    assert not everywhere.allow(b"evil.example:8090")
    assert not Hosts("127.0.0.1").allow(b"desk:8090")


def test_two_host_headers_are_refused(client: TestClient) -> None:
    answer = client.get("/api/about", headers=[("Host", "127.0.0.1"), ("Host", "evil.example")])
    assert answer.status_code == 400


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_sites_are_refused(client: TestClient, site: str) -> None:
    for mode in ("cors", "no-cors", "websocket", ""):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        assert client.get("/api/search?q=apple", headers=headers).status_code == 403
    followed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=followed).status_code in (
        200,
        404,
    )  # a link to us may be followed
    for path in ("/api/search?q=apple", "/api/about", "/api", "/api/map", "/pages/main.js"):
        assert client.get(path, headers=followed).status_code == 403
    for own in ("same-origin", "none"):
        assert client.get("/api/about", headers={"Sec-Fetch-Site": own}).status_code == 200


def test_no_answer_allows_another_origin(client: TestClient) -> None:
    for path in [*every_path(client), "/nothing"]:
        answer = client.get(path, headers={"Origin": "http://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_every_answer_has_the_headers(client: TestClient) -> None:
    paths = [*every_path(client), "/nothing", "/api/topics/999", "/api/search", "/api/search?q=%20"]
    known = client.get("/api/topics").headers["etag"]
    answers = [client.get(path) for path in paths]
    answers += [
        client.post("/api/about"),
        client.get("/", headers={"Host": "evil.example"}),
        client.head("/api"),
    ]
    answers += [client.get("/api/topics", headers={"If-None-Match": known})]
    for answer in answers:
        for name, value in HEADERS:
            assert answer.headers[name.decode()] == value.decode(), answer.url
        assert "server" not in answer.headers
    policy = answers[0].headers["content-security-policy"].split("; ")
    assert "script-src 'self'" in policy
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not [part for part in policy if "unsafe-eval" in part or "http" in part or "*" in part]
    assert answers[0].headers["x-content-type-options"] == "nosniff"
    assert answers[0].headers["referrer-policy"] == "no-referrer"


OUTSIDE = ("_guard.py", "__init__.py", "app.py", "secret.txt", "etc/passwd", "../app.py")
CLIMBS = (
    *(
        "/pages/../{0}",
        "/pages/%2e%2e/{0}",
        "/pages/%2e%2e%2f{0}",
        "/pages/..%2f{0}",
        "/pages/..%5c{0}",
        "/pages//{0}",
    ),
    *(
        "/pages/%2f{0}",
        "/pages/./../{0}",
        "/pages/core/../../{0}",
        "/pages/core/%2e%2e/%2e%2e/{0}",
        "/{0}",
        "//{0}",
    ),
    *(
        "/pages/%252e%252e/{0}",
        "/pages/index.html%00",
        "/pages/%00{0}",
        "/pages/..\\{0}",
        "/pages/file:///{0}",
    ),
    *(
        "/pages/{0}",
        "/pages/index.html/../{0}",
        "/..%2f..%2f{0}",
        "/pages/C:%5c{0}",
        "/pages/%c0%ae%c0%ae/{0}",
    ),
)


@pytest.fixture
def with_pages(
    small_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """An explorer whose pages lie in a folder with a secret beside it, and a link to it inside."""
    pages = tmp_path / "package" / "pages"
    (pages / "core").mkdir(parents=True)
    (pages / "index.html").write_text("<!doctype html><title>start</title>")
    (pages / "core" / "a.js").write_text("export {}")
    (pages / "notes.py").write_text(SECRET)
    for name in ("secret.txt", "app.py", "__init__.py", "_guard.py"):
        (tmp_path / "package" / name).write_text(SECRET)
    monkeypatch.setattr(_page_files, "files", lambda package: tmp_path / "package")
    with explorer(small_index) as asked:
        yield asked


def test_pages_are_served(with_pages: TestClient) -> None:
    start = with_pages.get("/")
    assert (start.status_code, start.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert with_pages.get("/pages/index.html").content == start.content
    script = with_pages.get("/pages/core/a.js")
    assert (script.text, script.headers["content-type"]) == (
        "export {}",
        "text/javascript; charset=utf-8",
    )
    again = with_pages.get("/pages/core/a.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304
    assert with_pages.get("/pages/notes.py").status_code == 404  # a kind that pages do not have


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_path_leads_out_of_the_pages(with_pages: TestClient, tmp_path: Path, climb: str) -> None:
    for outside in (*OUTSIDE, f"{tmp_path}/package/secret.txt"):
        answer = sent(with_pages, climb.format(outside).encode())
        assert answer.status == 404
        assert SECRET not in answer.body.decode()


def test_pages_are_read_once(with_pages: TestClient, tmp_path: Path) -> None:
    (tmp_path / "package" / "pages" / "later.html").write_text(SECRET)
    (tmp_path / "package" / "pages" / "index.html").unlink()
    assert with_pages.get("/pages/later.html").status_code == 404
    assert with_pages.get("/").status_code == 200


def test_markup_in_documents_stays_text_in_json(script_index: Path) -> None:
    with explorer(script_index) as client:
        found = client.get(
            "/api/search", params={"q": "apple pear plum orchard juice ripe", "n": 100}
        )
        assert found.headers["content-type"] == "application/json"
        texts = [one["text"] for one in found.json()["results"]]
        for attack in ATTACKS:
            assert any(attack in text for text in texts)
        assert set(ATTACKS) <= set(got(client, "/api/about")["labels"])
        names = {topic["name"] for topic in got(client, "/api/topics")["topics"]}
        assert set(hostile_names()) <= names


def test_nothing_of_documents_or_requests_is_in_a_page(script_index: Path) -> None:
    with explorer(script_index) as client:
        listing = client.get("/api?<script>alert(1)</script>")
        assert listing.headers["content-type"] == "text/html; charset=utf-8"
        assert "/api/search" in listing.text
        assert "<script" not in listing.text
        assert "http:" not in listing.text
        assert "https:" not in listing.text
        missing = client.get("/<script>alert(1)</script>")
        assert (missing.status_code, missing.headers["content-type"]) == (404, "application/json")
        assert "<script" not in missing.text
        assert client.get("/docs").status_code == client.get("/redoc").status_code == 404


def test_addresses_have_a_limit(client: TestClient) -> None:
    for target in (b"/api/about?" + b"a" * 200_000, b"/" + b"a" * 200_000):
        answer = sent(client, target)
        assert (answer.status, "must have at most" in answer.json()["error"]) == (414, True)


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        (
            "/api/map/documents",
            {"rows": ",".join(map(str, range(201)))},
            "rows must be at most 200 numbers, got 201",
        ),
        (
            "/api/map/documents",
            {"rows": "1,-2"},
            "rows must be whole numbers with commas between them, got '-2'",
        ),
        ("/api/map/documents", {"rows": "301"}, "rows must be from 0 to 300, got 301"),
        ("/api/map/documents", {"rows": "1e3"}, "got '1e3'"),
        ("/api/map/documents", {"rows": "٣"}, "got '٣'"),  # a digit, but not one of ours
        ("/api/map/documents", {"rows": "1" * 4001}, "at most 4000 characters"),
        ("/api/map/documents", {}, "rows: field required"),
        ("/api/time", {"topics": "999"}, "topics must be the id of a topic of this model, got 999"),
        ("/api/topics", {"n": "1"}, "n must be from 2 to "),
        ("/api/topics", {"n": "301"}, "n must be from 2 to "),
        ("/api/topics", {"n": "100001"}, "n: input should be less than or equal to 100000"),
        (
            "/api/time",
            {"topics": ",".join(map(str, range(101)))},
            "topics must be at most 100 numbers, got 101",
        ),
        ("/api/documents/" + "a" * 4001, {}, "name: string should have at most 4000 characters"),
        ("/api/nearest/d1", {"n": "101"}, "less than or equal to 100"),
    ],
)
def test_lists_have_limits(
    client: TestClient, path: str, parameters: dict[str, str], message: str
) -> None:
    assert message in refused(client, 422, path, **parameters)


def test_an_unexpected_error_tells_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: Any, **more: Any) -> None:
        raise RuntimeError("the inside of things")

    monkeypatch.setattr(Index, "search", broken)
    with caplog.at_level(logging.ERROR, logger="undertow"):
        answer = client.get("/api/search?q=apple")
    assert answer.status_code == 500
    assert list(answer.json()) == ["error"]
    assert "inside" not in answer.text
    assert "the inside of things" in caplog.text
    assert "Traceback" in caplog.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_sockets_are_refused(client: TestClient) -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://127.0.0.1/api/about"):
        pass


def test_the_table_of_routes_is_json_that_says_all(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    json.dumps(described)
    for path, operations in described["paths"].items():
        assert set(operations) == {"get"}, path
        assert operations["get"]["description"], path
        assert {"200", "404", "422"} <= set(operations["get"]["responses"]), path
        for parameter in operations["get"].get("parameters", ()):
            assert parameter["description"], (path, parameter["name"])
    for name, schema in described["components"]["schemas"].items():
        assert schema["description"], name
    assert "HTTPValidationError" not in described["components"]["schemas"]


def test_every_page_is_installed_and_served() -> None:
    """The package's data are named by a pattern; a page of a kind that is not served would be
    missing unnoticed.
    """
    root = Path(_page_files.__file__).parent / "pages"
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["undertow"]
    packed = {path for pattern in patterns for path in root.parents[1].glob(pattern)}
    assert "index.html" in files
    assert {root / name for name in files} <= packed
    assert sorted(_page_files.pages()) == files
