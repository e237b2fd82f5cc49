"""The overview is made while pages are shown already; a failure is told; searches run side by side,
or are dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest

import undertow.insight
from tests.explorer.asking import background, explorer, got
from undertow import InvalidInput
from undertow.explorer._background import Background
from undertow.explorer._turns import ABANDONED, Turns
from undertow.explorer.source import Source
from undertow.insight import Overview, overview_of_index
from undertow.search import Index

Progress = Callable[[int, int], None]


def test_everything_else_is_there_while_the_overview_is_made(
    small_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(index: Index, *, progress: Progress) -> Overview:
        progress(1, 4)
        begun.set()
        assert go_on.wait(300)
        return overview_of_index(index)

    monkeypatch.setattr(undertow.insight, "stored_overview", lambda index: None)
    monkeypatch.setattr(undertow.insight, "overview_of_index", slow)
    with explorer(small_index, wait=False) as client:
        assert begun.wait(300)
        about = got(client, "/api/about")
        assert (about["overview"], about["overview_progress"], about["has"]["map"]) == (
            "computing",
            0.25,
            True,
        )
        for path in ("/api/map", "/api/map/documents?rows=1", "/api/time", "/api/time/leaves"):
            answer = client.get(path)
            assert answer.status_code == 409
            assert answer.headers["cache-control"] == "no-store"
            assert (answer.json()["state"], answer.json()["progress"]) == ("computing", 0.25)
        tree = client.get("/api/tree")
        assert tree.json()["of"] == "training"
        page = got(client, "/api/topics/1")
        assert page["typical"]  # those that the model remembers
        assert page["over_time"] is None
        assert got(client, "/api/search", q="apple")["results"]
        go_on.set()
        background(client).wait(300)
        assert got(client, "/api/about")["overview"] == "ready"
        later = client.get("/api/tree", headers={"If-None-Match": tree.headers["etag"]})
        assert later.status_code == 200  # the documents of the index are known now
        assert later.json()["of"] == "index"
        assert got(client, "/api/topics/1")["over_time"] is not None
        assert client.get("/api/map").status_code == 200


def test_an_overview_that_is_stored_comes_before_all_else(small_index: Path) -> None:
    overview_of_index(Index.open(small_index))
    made = Background(Source.open(small_index))
    states: list[str] = []
    made.first(lambda: states.append(made.state))
    made.start()
    made.wait(300)
    assert states == ["ready"]


def test_what_cannot_be_made_ready_beforehand_holds_nothing_up(small_index: Path) -> None:
    made = Background(Source.open(small_index))
    made.first(lambda: 1 / 0)
    made.start()
    made.wait(300)
    assert (made.state, made.error) == ("ready", None)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidInput("documents must be more"), "documents must be more"),
        (
            RuntimeError("inside"),
            "the overview could not be made: the explorer's terminal says more",
        ),
        (MemoryError(), "the overview could not be made: the explorer's terminal says more"),
    ],
)
def test_a_failure_is_told_and_not_fatal(
    small_index: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def failing(index: Index, *, progress: Progress) -> Overview:
        raise error

    monkeypatch.setattr(undertow.insight, "stored_overview", lambda index: None)
    monkeypatch.setattr(undertow.insight, "overview_of_index", failing)
    with explorer(small_index) as client:
        about = got(client, "/api/about")
        assert (about["overview"], about["overview_error"]) == ("failed", told)
        answer = client.get("/api/map")
        assert (answer.status_code, answer.json()["error"], answer.json()["state"]) == (
            409,
            told,
            "failed",
        )
        assert got(client, "/api/search", q="apple")["results"]
        assert got(client, "/api/topics/1")["neighbours"]


def test_what_is_being_made_can_be_stopped(
    small_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def endless(index: Index, *, progress: Progress) -> Overview:
        while True:
            progress(1, 2)
            begun.set()
            time.sleep(0.01)

    monkeypatch.setattr(undertow.insight, "stored_overview", lambda index: None)
    monkeypatch.setattr(undertow.insight, "overview_of_index", endless)
    made = Background(Source.open(small_index))
    made.start()
    assert begun.wait(300)
    assert made.stop(300)
    assert made.state == "computing"


@pytest.mark.torture
def test_searches_side_by_side_find_what_they_find_alone(small_index: Path) -> None:
    questions = [
        (f"{word} harvest", mode)
        for word in ("apple", "rocket", "violin")
        for mode in ("semantic", "code")
    ]
    questions += [("whale", "text"), ("bishop pawn", "hybrid")]
    index = Index.open(small_index)
    alone = {(q, mode): [hit.id for hit in index.search(q, 20, mode=mode)] for q, mode in questions}
    with explorer(
        small_index, wait=False
    ) as client:  # nothing is warm yet, and the overview is being made meanwhile

        def ask(question: tuple[str, str]) -> bool:
            q, mode = question
            found = [
                one["id"] for one in got(client, "/api/search", q=q, mode=mode, n=20)["results"]
            ]
            return found == alone[q, mode]

        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(ask, questions * 10))


class _Request:
    """A request whose client may have gone."""

    def __init__(self, gone: bool) -> None:
        self._gone = gone

    async def is_disconnected(self) -> bool:
        return self._gone


def test_a_search_that_nobody_waits_for_is_not_made() -> None:
    turns, made = Turns(at_once=1), []
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        assert go_on.wait(300)
        return "slow"

    async def ask() -> list[Any]:
        answers: dict[int, Any] = {}

        async def one(number: int, request: Any, work: Callable[[], Any]) -> None:
            answers[number] = await turns.take(request, work)

        async with anyio.create_task_group() as group:
            group.start_soon(one, 0, _Request(False), slow)
            await anyio.to_thread.run_sync(begun.wait)
            for number in range(1, 6):  # as someone types; all but the last are given up
                group.start_soon(
                    one, number, _Request(number < 5), lambda number=number: made.append(number)
                )
            await anyio.wait_all_tasks_blocked()
            go_on.set()
        return [answers[number] for number in range(6)]

    answers = anyio.run(ask)
    assert answers[0] == "slow"
    assert [answer.status_code for answer in answers[1:5]] == [ABANDONED] * 4
    assert made == [5]
    assert turns.dropped == 4
