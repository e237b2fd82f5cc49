"""What a request may use: results, parts of long texts, and what is found by any client that reads
/openapi.json.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.explorer.asking import TestClient, explorer, got, refused
from undertow import TopicModel
from undertow.explorer import _documents
from undertow.explorer._answers import DocumentPage, Found
from undertow.search import Index

TOKEN = "a token of a test"
SENT = {"X-Undertow-Token": TOKEN, "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def client(small_index: Path) -> Iterator[TestClient]:
    with explorer(small_index) as one:
        yield one


@pytest.fixture(scope="module")
def texts(small_table: pl.DataFrame) -> list[str]:
    """A short text, and two that are longer than what is shown at once."""
    words = " ".join(small_table["text"].to_list())
    assert len(words) > 30_000
    return [words[:5000], ((words + " 🚀 ") * 8)[:230_000], "apple" * 30_000]


@pytest.fixture(scope="module")
def long_index(
    tmp_path_factory: pytest.TempPathFactory, small_model: TopicModel, texts: list[str]
) -> Path:
    folder = tmp_path_factory.mktemp("long") / "index"
    table = pl.DataFrame(
        {"id": ["a", "b", "c"], "text": texts, "note": [t[:40_000] for t in texts]}
    )
    Index.create(folder, small_model, table)
    return folder


@pytest.mark.parametrize(
    ("path", "parameters", "told"),
    [
        ("/api/search", {"q": "apple", "n": 101}, "n: "),
        ("/api/search", {"q": "apple", "n": 10**30}, "n: "),
        ("/api/search", {"q": "a" * 10_001}, "q: "),
        ("/api/search", {"q": "apple", "where": "a" * 4097}, "where: "),
        ("/api/search", {"q": "apple", "where": "text LIKE '" + "%_" * 500 + "'"}, "100 wildcards"),
        ("/api/nearest/d1", {"n": 101}, "n: "),
        ("/api/documents/d1", {"limit": 100_001}, "limit: "),
        ("/api/documents/d1", {"limit": 0}, "limit: "),
        ("/api/documents/d1", {"offset": -1}, "offset: "),
        ("/api/documents/d1", {"offset": 2**31}, "offset: "),
        ("/api/documents/d1", {"offset": 10**6}, "offset must be below"),
        ("/api/map/documents", {"rows": ",".join(map(str, range(201)))}, "at most 200 numbers"),
        ("/api/time", {"topics": ",".join(map(str, range(101)))}, "at most 100 numbers"),
        ("/api/topics", {"n": 100_001}, "n: "),
        ("/api/figures/training", {"columns": 7}, "columns: "),
    ],
)
def test_no_request_asks_for_more_than_that(
    client: TestClient, path: str, parameters: dict[str, Any], told: str
) -> None:
    assert told in refused(client, 422, path, **parameters)


def test_answers_are_what_the_description_says(client: TestClient) -> None:
    """They are written without the models that describe them."""
    for path in ("/api/search?q=rocket+comet", "/api/nearest/d3?n=50", "/api/search?q=zzzzqqq"):
        answer = client.get(path)
        Found.model_validate_json(answer.content, strict=True, extra="forbid")
    DocumentPage.model_validate_json(
        client.get("/api/documents/d0").content, strict=True, extra="forbid"
    )


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_parts_of_a_text_are_the_text(long_index: Path, name: str, texts: list[str]) -> None:
    text = texts["abc".index(name)]
    with explorer(long_index) as client:
        for limit in (100_000, 60_011):
            parts, offset = [], 0
            while offset is not None:
                page = got(client, f"/api/documents/{name}", offset=offset, limit=limit)
                assert page["offset"] == offset
                assert page["length"] == len(text)
                assert page["shortened"] == (len(page["text"]) < len(text))
                assert 0 < len(page["text"]) <= limit
                parts.append(page["text"])
                units = page["text"].encode("utf-16-le")
                for span in page["spans"]:
                    word = units[2 * span["start"] : 2 * span["end"]].decode("utf-16-le")
                    assert word.lower() == span["word"]
                offset = page["next"]
            assert "".join(parts) == text
        assert len(page["kept"]["note"]) <= 10_000


def test_marks_of_a_long_text_are_those_of_the_part(long_index: Path, texts: list[str]) -> None:
    with explorer(long_index) as client:
        page = got(client, "/api/documents/b", offset=150_000, limit=5000)
        assert page["spans"]
        assert sum(span["part"] for span in page["spans"]) == pytest.approx(page["total"], abs=1e-4)
        whole = got(client, "/api/documents/b")
    assert page["topics"] == whole["topics"]  # of the whole document
    assert page["chosen"] == whole["chosen"]
    expected = Index.open(long_index).model.document_topics([texts[1]])[0].topics
    assert [one["id"] for one in page["topics"]] == [one.id for one in expected]
    shares = [one.share for one in expected]
    assert [one["share"] for one in page["topics"]] == pytest.approx(shares, abs=0.01)


def test_no_more_of_a_long_text_is_looked_at(
    long_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def remembered(model: TopicModel, text: str, *given: Any, **named: Any) -> Any:
        seen.append(len(text))
        return view(model, text, *given, **named)

    import undertow.insight

    view = undertow.insight.document_view
    monkeypatch.setattr(undertow.insight, "document_view", remembered)
    with explorer(long_index) as client:
        seen.clear()
        for name in "abc":
            got(client, f"/api/documents/{name}", limit=1000)
    assert [seen[0], max(seen[1:]) <= 1000] == [5000, True]


def test_few_documents_are_looked_at_at_a_time(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, most, lock = 0, 0, threading.Lock()
    both = threading.Event()
    page = _documents.DocumentDesk.page

    def counted(*given: Any) -> Any:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
            if at_work == 2:
                both.set()
        both.wait(60)
        try:
            return page(*given)
        finally:
            with lock:
                at_work -= 1

    monkeypatch.setattr(_documents.DocumentDesk, "page", counted)
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(client.get("/api/documents/d1").status_code))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 12
    assert most == 2


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "text", "code"])
def test_what_is_kept_in_memory_changes_no_answer(small_index: Path, mode: str) -> None:
    plain, keeping = Index.open(small_index), Index.open(small_index)
    keeping.keep_in_memory(2**20)
    for _ in range(2):
        for query in ("rocket comet", "apple pear plum", "violin", "rockit"):
            for one in ({}, {"duplicates": True, "text_length": 100}):
                asked: dict[str, Any] = {"mode": mode, "where": "label != 'cars'", **one}
                expected, found = (
                    plain.search(query, 10, **asked),
                    keeping.search(query, 10, **asked),
                )
                assert list(found) == list(expected)
                assert (found.hint, found.corrected) == (expected.hint, expected.corrected)
        like = plain.search(like="d7", n=5, mode=mode)
        assert list(keeping.search(like="d7", n=5, mode=mode)) == list(like)
        assert keeping.documents(["d7", "no"]) == plain.documents(["d7", "no"])


def test_what_is_kept_is_bounded_and_of_one_version(own_index: Path) -> None:
    index = Index.open(own_index)
    index.keep_in_memory(300_000)
    for number in range(0, 300, 5):
        index.search(like=f"d{number}", n=20)
        kept = index._versions.current.ranker.rows
        assert 0 < kept._rows.size <= 210_000
    assert index.search(like="d7", n=1)
    index.delete(["d7"])
    assert index.document("d7") is None
    index.add(pl.DataFrame({"id": ["d8"], "text": ["rocket rocket"]}), replace=True)
    found = index.document("d8")
    assert found is not None
    assert found.text == "rocket rocket"


def test_what_an_edit_may_be_answered_with(own_index: Path) -> None:
    """Found by schemathesis: what came was not in the description."""
    with explorer(own_index, token=TOKEN) as client:
        described = client.get("/openapi.json").json()["paths"]["/api/edit"]["post"]["responses"]
        tried = [
            client.post("/api/edit", content=b'{"action": "\xff"}', headers=SENT),
            client.post("/api/edit", content=b"{}", headers={**SENT, "Content-Type": "text/plain"}),
            client.post("/api/edit", content=b"{}", headers=SENT),
            client.post("/api/edit", content=b"{}", headers={"X-Undertow-Token": "no"}),
            client.post("/api/edit", content=b" " * 70_000, headers=SENT),
        ]
        assert [one.status_code for one in tried] == [400, 415, 422, 403, 413]
        assert {str(one.status_code) for one in tried} <= set(described)
        assert tried[0].json() == {"error": "the body must be JSON, got something else"}
        for method in ("GET", "PUT", "OPTIONS"):
            answer = client.request(method, "/api/edit")
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_too_little_memory_is_said(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*given: Any, **named: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(_documents.DocumentDesk, "found", exhausted)
    answer = client.get("/api/search?q=apple")
    assert answer.status_code == 503
    assert "not enough memory" in json.loads(answer.content)["error"]
