"""Editing topics: what is done, that it is kept, and that nobody does it without the token."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.asking import TestClient, explorer, got, sent
from tests.explorer.test_safety import _routes
from undertow import TopicModel, load
from undertow.explorer._edit import EditDesk
from undertow.search import Index

TOKEN = "a-token-of-32-letters-in-all----"
HEADERS = {"X-Undertow-Token": TOKEN}


@pytest.fixture
def client(own_index: Path) -> Iterator[TestClient]:
    with explorer(own_index, token=TOKEN) as asked:
        yield asked


def edited(client: TestClient, **action: Any) -> Any:
    answer = client.post("/api/edit", json=action, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def stored(folder: Path) -> TopicModel:
    """What another process finds."""
    if (folder / "index.json").exists():
        return Index.open(folder).model
    found = load(folder)
    assert isinstance(found, TopicModel)
    return found


def cut(client: TestClient, n: int | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = got(client, "/api/topics", **({} if n is None else {"n": n}))[
        "topics"
    ]
    return found


def test_every_action_is_done_and_kept(client: TestClient, own_index: Path) -> None:
    assert got(client, "/api/about")["has"]["edit"]
    first, second, third, *_ = [one["id"] for one in cut(client)]
    listed = len(cut(client))
    edited(client, action="rename", topic=first, name=" Music & more ")
    assert cut(client)[0]["name"] == "Music & more"
    made = edited(client, action="merge", topics=[second, third], name="both")["made"]
    assert len(made) == 1
    assert {"both"} <= {one["name"] for one in cut(client)}
    assert len(cut(client)) == listed - 1
    tree = edited(client, action="drop", topic=first)["tree"]
    assert tree["dropped"] == [first]
    assert first not in [one["id"] for one in cut(client)]
    edited(client, action="restore", topic=first)
    assert first in [one["id"] for one in cut(client)]
    parts = edited(client, action="split", topic=made[0])["made"]
    assert sorted(parts) == sorted([second, third])
    seeded = edited(client, action="seed", name="orchard", words=["apple", "orchard"])["made"]
    assert got(client, f"/api/topics/{seeded[0]}")["name"] == "orchard"
    edited(client, action="move", topic=first, under=seeded[0])
    assert stored(own_index).atlas_.tree.parent(first) == seeded[0]
    edited(client, action="move", topic=first, under=None)
    kinds = [action["kind"] for action in got(client, "/api/curation")["actions"]]
    assert kinds == ["rename", "merge", "drop", "restore", "split", "seed", "move", "move"]
    kept = stored(own_index)
    assert [one["id"] for one in cut(client)] == list(kept.topic_names())
    assert [action.kind for action in kept.curation_.actions] == kinds
    assert kept.topic(first).name == "Music & more"


def test_an_index_stays_what_it_was(own_index: Path) -> None:
    index = Index.open(own_index)
    hits = [hit.id for hit in index.search("apple orchard", 10)]
    with explorer(own_index, token=TOKEN) as client:
        node = cut(client)[0]["id"]
        edited(client, action="rename", topic=node, name="new name")
    again = Index.open(own_index)
    assert (again.state, len(again)) == (index.state, len(index))
    assert [hit.id for hit in again.search("apple orchard", 10)] == hits
    assert sorted(path.name for path in own_index.iterdir() if path.name.startswith(".")) == []
    with explorer(own_index, wait=False) as client:  # the overview is still of use
        from tests.explorer.asking import background

        background(client).wait(300)
        assert got(client, "/api/about")["overview"] == "ready"
        assert got(client, f"/api/topics/{node}")["name"] == "new name"


def test_a_model_folder_is_saved(own_model: Path) -> None:
    with explorer(own_model, token=TOKEN) as client:
        node = cut(client)[0]["id"]
        edited(client, action="rename", topic=node, name="music")
        edited(client, action="rename", topic=node, name="")
        edited(client, action="rename", topic=node, name="sound")
    assert stored(own_model).topic(node).name == "sound"


def test_answers_are_made_anew_after_an_edit(client: TestClient) -> None:
    node = cut(client)[0]["id"]
    tags = {
        path: client.get(path).headers["etag"]
        for path in ("/api/tree", "/api/topics", "/api/topics?n=5")
    }
    got(client, f"/api/topics/{node}")
    edited(client, action="rename", topic=node, name="another")
    for path, tag in tags.items():
        answer = client.get(path, headers={"If-None-Match": tag})
        assert (answer.status_code == 200) == (
            path != "/api/topics?n=5" or node in [one["id"] for one in cut(client, 5)]
        )
    assert got(client, f"/api/topics/{node}")["name"] == "another"
    leaves = client.get("/api/time/leaves").headers["etag"]
    edited(client, action="drop", topic=node)
    assert client.get("/api/time/leaves").headers["etag"] == leaves


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            {"action": "rename", "topic": 999, "name": "x"},
            "topic must be the id of a topic of this model, got 999",
        ),
        ({"action": "rename", "topic": 1, "name": "a\nb"}, "name must be a line"),
        (
            {"action": "rename", "topic": 1, "name": "x" * 201},
            "name: string should have at most 200 characters",
        ),
        ({"action": "rename", "topic": "1", "name": "x"}, "topic: input should be a valid integer"),
        ({"action": "rename", "topic": 1}, "name: field required"),
        ({"action": "merge", "topics": [1]}, "topics: list should have at least 2 items"),
        ({"action": "merge", "topics": [1, 1]}, "topics must be at least two different topics"),
        ({"action": "split", "topic": 1}, "which is one of the smallest topics"),
        (
            {"action": "seed", "name": "x", "words": ["zzzz"]},
            "words must stand out in some part of the documents",
        ),
        ({"action": "seed", "name": " ", "words": ["apple"]}, "name must be a line"),
        ({"action": "seed", "name": "x", "words": []}, "words: list should have at least 1 item"),
        ({"action": "move", "topic": 1}, "under: field required"),
        ({"action": "explode"}, "action"),
        ({"action": "drop", "topic": 1, "more": 2}, "more: extra inputs are not permitted"),
        ([], "input should be a valid"),
    ],
)
def test_edits_that_cannot_be_done_are_refused_in_words(
    own_model: Path, action: Any, message: str
) -> None:
    with explorer(own_model, token=TOKEN) as client:
        before = (own_model / "model.json").read_bytes(), client.get("/api/tree").headers["etag"]
        answer = client.post("/api/edit", json=action, headers=HEADERS)
        assert answer.status_code == 422, answer.text
        assert message in answer.json()["error"]
        assert (
            (own_model / "model.json").read_bytes(),
            client.get("/api/tree").headers["etag"],
        ) == before


def test_without_edit_there_is_no_route(small_index: Path) -> None:
    with explorer(small_index, wait=False) as client:
        answer = client.post("/api/edit", json={"action": "drop", "topic": 1}, headers=HEADERS)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
        assert client.get("/api/edit").status_code == 404
        assert not got(client, "/api/about")["has"]["edit"]
        assert "/api/edit" not in client.get("/openapi.json").json()["paths"]
        assert {method for route in _routes(client.app) for method in route.methods} <= {
            "GET",
            "HEAD",
        }


def test_with_edit_there_is_one_route_that_writes(client: TestClient) -> None:
    writing = [route.path for route in _routes(client.app) if not route.methods <= {"GET", "HEAD"}]
    assert writing == ["/api/edit"]
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
        for path in (
            "/api/about",
            "/api/tree",
            "/api/curation",
            "/",
            "/api/edit/",
            "/api/edit/x",
            "/nothing",
        ):
            assert sent(client, path.encode(), method).status == 405, (method, path)
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "post"):
        assert sent(client, b"/api/edit", method).status == 405
    assert "POST /api/edit" in client.get("/api").text


RENAME = {"action": "rename", "topic": 1, "name": "stolen"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-Undertow-Token": ""}, 403),
        ({"X-Undertow-Token": "wrong"}, 403),
        ({"X-Undertow-Token": TOKEN[:-1]}, 403),
        ({"X-Undertow-Token": TOKEN + "x"}, 403),
        ({"X-Undertow-Token": "ü".encode()}, 403),
        ({"Cookie": f"X-Undertow-Token={TOKEN}"}, 403),
        ({**HEADERS, "Origin": "http://evil.example"}, 403),
        ({**HEADERS, "Origin": "null"}, 403),
        ({**HEADERS, "Origin": "http://127.0.0.1:9999"}, 403),  # another program of this machine
        ({**HEADERS, "Origin": "https://127.0.0.1:8090"}, 403),
        ({**HEADERS, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**HEADERS, "Sec-Fetch-Site": "same-site"}, 403),
        ({**HEADERS, "Sec-Fetch-Site": "none"}, 403),
        ({**HEADERS, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({**HEADERS, "Content-Type": "text/plain"}, 415),
        ({**HEADERS, "Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({**HEADERS, "Host": "evil.example"}, 400),
        ({**HEADERS, "Content-Length": "65537"}, 413),
        ({**HEADERS, "Content-Length": "9" * 30}, 413),
        ({**HEADERS, "Content-Length": "-1"}, 411),
        ({**HEADERS, "Origin": "http://127.0.0.1:8090", "Sec-Fetch-Site": "same-origin"}, 200),
        (HEADERS, 200),
    ],
)
def test_who_may_edit(own_model: Path, headers: dict[str, Any], status: int) -> None:
    with explorer(own_model, token=TOKEN) as client:
        answer = client.post(
            "/api/edit",
            content=json.dumps(RENAME),
            headers={"Content-Type": "application/json", **headers},
        )
        assert answer.status_code == status, answer.text
        assert (got(client, "/api/tree")["names"][1] == "stolen") == (status == 200)
        assert TOKEN not in answer.text
    assert (stored(own_model).topic(1).name == "stolen") == (status == 200)


def test_the_token_is_in_no_answer(client: TestClient) -> None:
    for path in ("/", "/api", "/openapi.json", "/api/about", "/api/tree", "/api/curation"):
        answer = client.get(path)
        assert TOKEN not in answer.text
        assert TOKEN not in str(answer.headers)


def test_long_bodies_are_refused(client: TestClient) -> None:
    words = ["w" * 200] * 400
    answer = client.post(
        "/api/edit", json={"action": "seed", "name": "x", "words": words}, headers=HEADERS
    )
    assert answer.status_code == 413


def test_the_curation_is_a_file(client: TestClient) -> None:
    node = cut(client)[0]["id"]
    edited(client, action="rename", topic=node, name="<script>alert(1)</script>")
    answer = client.get("/api/curation")
    assert answer.headers["content-disposition"] == 'attachment; filename="curation.json"'
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["actions"][0]["name"] == "<script>alert(1)</script>"


def test_what_cannot_be_stored_is_not_done(
    own_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with explorer(own_index, token=TOKEN) as client:
        node = cut(client)[0]["id"]
        name = cut(client)[0]["name"]

        def full(self: object) -> None:
            raise OSError("No space left on /some/where")

        monkeypatch.setattr(Index, "save_model", full)
        answer = client.post(
            "/api/edit", json={"action": "rename", "topic": node, "name": "x"}, headers=HEADERS
        )
        assert answer.status_code == 422
        assert "nothing was changed" in answer.json()["error"]
        assert "/some/where" not in answer.text
        assert cut(client)[0]["name"] == name
        assert got(client, "/api/curation")["actions"] == []
        monkeypatch.undo()
        edited(client, action="rename", topic=node, name="y")
    assert stored(own_index).topic(node).name == "y"


@pytest.mark.parametrize("kind", ["index", "model"])
def test_what_others_changed_meanwhile_is_not_overwritten(
    own_index: Path, own_model: Path, kind: str
) -> None:
    folder = own_index if kind == "index" else own_model
    with explorer(folder, token=TOKEN) as client:
        other = stored(folder)
        node = cut(client)[0]["id"]
        other.rename_topic(node, "theirs")
        if kind == "index":
            index = Index.open(folder)
            index.model.rename_topic(node, "theirs")
            index.save_model()
        else:
            other.save(folder, overwrite=True)
        answer = client.post(
            "/api/edit", json={"action": "rename", "topic": node, "name": "x"}, headers=HEADERS
        )
        assert (answer.status_code, "start the explorer again" in answer.text) == (422, True)
    assert stored(folder).topic(node).name == "theirs"


def test_edits_take_turns(
    client: TestClient, own_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [one["id"] for one in cut(client)]
    inside, most, lock = [0], [0], threading.Lock()
    save = EditDesk._save

    def watched(self: EditDesk) -> None:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        save(self)
        with lock:
            inside[0] -= 1

    monkeypatch.setattr(EditDesk, "_save", watched)
    with ThreadPoolExecutor(6) as pool:
        list(
            pool.map(
                lambda node: edited(client, action="rename", topic=node, name=f"name {node}"), nodes
            )
        )
    assert most[0] == 1
    kept = stored(own_index)
    assert [kept.topic(node).name for node in nodes] == [f"name {node}" for node in nodes]
