"""Several processes behind one socket: they answer alike, end together, and are started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.explorer.test_command import Explorer, free_port, running
from undertow import InvalidInput
from undertow.cli import app
from undertow.explorer.workers import MOST_WORKERS, check_workers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="one process elsewhere")

LONG = 120.0  # seconds


def workers_of(explorer: Explorer) -> list[int]:
    """The processes that answer."""
    listed = Path(f"/proc/{explorer.process.pid}/task").glob("*/children")
    return sorted(int(number) for file in listed for number in file.read_text().split())


def until(what: Callable[[], bool]) -> None:
    """Waits for something that has to come."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < LONG
        time.sleep(0.02)


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def about(explorer: Explorer) -> dict[str, object]:
    status, body = explorer.get("/api/about")
    assert status == 200
    found: dict[str, object] = json.loads(body)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.torture)]
)
def test_workers_answer_and_end(small_index: Path, number: int) -> None:
    with (
        free_port() as port,
        running(small_index, "--workers", "2", "--port", str(port)) as explorer,
    ):
        answers = [json.loads(explorer.get("/api/search?q=rocket")[1]) for _ in range(20)]
        for answer in answers:  # each comes through a connection of its own
            answer.pop("seconds")
        assert all(answer == answers[0] for answer in answers)
        assert answers[0]["results"]
        workers = workers_of(explorer)
        assert len(workers) == 2
        until(lambda: all(about(explorer)["overview"] == "ready" for _ in range(10)))
        code, errors = explorer.stop(number)
        assert code == (0 if number == signal.SIGINT else 128 + number)
        assert "Traceback" not in errors
        until(lambda: not any(map(is_there, workers)))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_worker_that_was_killed_is_started_again(small_index: Path) -> None:
    with (
        free_port() as port,
        running(small_index, "--workers", "2", "--port", str(port)) as explorer,
    ):
        first = workers_of(explorer)
        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(now := workers_of(explorer)) == 2 and now != first)
        assert about(explorer)["documents"] == 301  # by the other one, if need be
        code, errors = explorer.stop()
        assert code == 0
        assert "is started again" in errors


@pytest.mark.torture
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_workers_do_not_outlive_the_one_that_started_them(small_index: Path) -> None:
    with (
        free_port() as port,
        running(small_index, "--workers", "2", "--port", str(port)) as explorer,
    ):
        workers = workers_of(explorer)
        explorer.process.kill()
        until(lambda: not any(map(is_there, workers)))


def test_what_cannot_be_served_is_said_in_a_line(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["explore", str(tmp_path / "nothing"), "--workers", "2"])
    assert found.exit_code != 0
    told = " ".join((found.stderr if found.stderr else str(found.exception)).split())
    assert "the folder to explore must exist" in told


@pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
def test_so_many_workers_there_cannot_be(workers: int) -> None:
    with pytest.raises(InvalidInput, match="--workers must be from 1 to 64, got"):
        check_workers(workers, edit=False)


def test_edits_need_one_process() -> None:
    check_workers(1, edit=True)
    with pytest.raises(InvalidInput, match="--workers must be 1 with --edit, got 2"):
        check_workers(2, edit=True)


@pytest.mark.torture
def test_a_worker_runs_nothing_of_the_folder_that_it_was_started_in(
    tmp_path: Path, small_index: Path
) -> None:
    """As Python does with `-m` otherwise: it would take modules from there."""
    (tmp_path / "fastapi.py").write_text("open('ran', 'w').close()\n")
    (tmp_path / "uvicorn.py").write_text("open('ran', 'w').close()\n")
    with free_port() as port:
        command = (
            "import sys; sys.path = [p for p in sys.path if p]\n"
            "from undertow.cli import main\n"
            f"sys.argv[1:] = ['explore', {str(small_index)!r}, '--workers', '2', '--no-browser', "
            f"'--port', '{port}']\nmain()"
        )
        process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-c", command],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            assert "undertow explorer" in process.stdout.readline()
        finally:
            process.terminate()
            process.communicate(timeout=LONG)
        assert not (tmp_path / "ran").exists()
