"""`undertow explore` as a program of its own: it answers, stops on Ctrl-C, and says what is wrong
in one line.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from undertow import InvalidInput, ReplicatedSoftmax, TopicModel, load
from undertow.cli import main
from undertow.explorer import serve as serving
from undertow.explorer.app import create_app
from undertow.explorer.source import Source
from undertow.search import Index

# scripts' children may ignore it
HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
COMMAND = (sys.executable, "-c", f"{HEARS}from undertow.cli import main; main()", "explore")


class Explorer:
    """A running command."""

    def __init__(self, process: subprocess.Popen[str], port: int, said: str) -> None:
        self.process, self.port, self.said = process, port, said

    def get(self, target: str, **headers: str) -> tuple[int, bytes]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)) as connection:
            connection.request("GET", target, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=300)
        return self.process.returncode, errors


@contextmanager
def running(folder: Path, *options: str, address: str = r"http://\S+:(\d+)/") -> Iterator[Explorer]:
    command = [*COMMAND, str(folder), "--no-browser", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    pipe: Any = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(address, said)
        assert found, said + process.communicate(timeout=300)[1]
        yield Explorer(process, int(found[1]), said)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def free_port() -> Iterator[int]:
    """A port that nobody is given meanwhile; who asks for it by number may listen there."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def test_from_the_command_to_an_answer_and_to_the_end(small_index: Path) -> None:
    with free_port() as port, running(small_index, "--port", str(port)) as explorer:
        assert explorer.port == port
        assert (
            explorer.said.strip()
            == f"undertow explorer: http://127.0.0.1:{port}/  (Ctrl-C ends it)"
        )
        status, body = explorer.get("/api/about")
        assert (status, json.loads(body)["documents"]) == (200, 301)
        assert explorer.get("/api/about", Host="evil.example")[0] == 400
        assert explorer.get("/api/documents/d1%0A")[0] == 404
        assert explorer.get("/pages/../app.py")[0] == 404
        longest = f"/api/search?q=apple{quote('😀' * 9995)}"
        assert explorer.get(longest)[0] == 200
        assert explorer.get("/api/about?" + "a" * 200_000)[0] == 414
        held = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=300
        )  # a browser keeps its connection
        held.request("GET", "/api/topics")
        held.getresponse().read()
        assert explorer.stop() == (0, "")
        held.close()


@pytest.mark.torture
def test_many_requests_that_are_given_up(small_index: Path) -> None:
    with running(small_index) as explorer:
        for number in range(40):  # as someone types who never waits for an answer
            with socket.create_connection(("127.0.0.1", explorer.port)) as one:
                one.sendall(
                    f"GET /api/search?q=apple+{number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                )
        assert explorer.get("/api/search?q=apple")[0] == 200
        assert explorer.stop() == (0, "")


def test_a_second_one_takes_the_next_port(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(serving.listening("127.0.0.1", None)) as one:
        first = one.getsockname()[1]
        monkeypatch.setattr(serving, "PORT", first)  # other ports may be taken, and become free
        with closing(serving.listening("127.0.0.1", None)) as other:
            assert first < other.getsockname()[1] < first + serving.TRIED
        code, errors = in_process(monkeypatch, capsys, model_folder, "--port", str(first))
    assert code == 2
    assert f"--port must be one that is free on 127.0.0.1, got {first}" in errors


@pytest.mark.torture  # two processes; the next port is tested above
def test_two_commands_run_side_by_side(model_folder: Path) -> None:
    with running(model_folder) as first, running(model_folder) as second:
        assert first.port >= serving.PORT
        assert second.port != first.port
        assert json.loads(second.get("/api/about")[1])["kind"] == "model"


@pytest.mark.torture  # a process of its own; who is let in is tested in test_safety.py
def test_others_are_let_in_with_a_warning(model_folder: Path) -> None:
    with running(
        model_folder, "--host", "0.0.0.0", address=r"http://127\.0\.0\.1:(\d+)/"
    ) as explorer:
        assert explorer.get("/api/about", Host="192.168.0.7")[0] == 200
        assert explorer.get("/api/about", Host="evil.example")[0] == 400
        code, errors = explorer.stop()
        assert (code, errors) == (
            0,
            "Warning: anyone who can reach 0.0.0.0 can read the documents of model.\n",
        )


@pytest.mark.torture  # a process of its own; tokens are tested in test_edit.py, in this process
def test_editing_takes_the_token_of_the_printed_address(own_model: Path) -> None:
    with running(
        own_model, "--edit", address=r"http://127\.0\.0\.1:(\d+)/#token=[\w-]{32}  "
    ) as explorer:
        token = explorer.said.partition("#token=")[2].split()[0]
        topic = json.loads(explorer.get("/api/tree")[1])["leaves"][0]
        body = json.dumps({"action": "rename", "topic": topic, "name": "first"}).encode()
        for known, status in (("wrong", 403), (token, 200)):
            headers = {"X-Undertow-Token": known, "Content-Type": "application/json"}
            with closing(
                http.client.HTTPConnection("127.0.0.1", explorer.port, timeout=300)
            ) as connection:
                connection.request("POST", "/api/edit", body, headers)
                assert connection.getresponse().status == status
        assert explorer.stop() == (0, "")
    found = load(own_model)
    assert isinstance(found, TopicModel)
    assert found.topic(topic).name == "first"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "my.machine", "::"])
def test_editing_is_for_this_machine_alone(
    model_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    host: str,
) -> None:
    code, errors = in_process(monkeypatch, capsys, model_folder, "--edit", "--host", host)
    assert (code, "--edit works on this machine alone" in errors, host in errors) == (2, True, True)
    with pytest.raises(InvalidInput, match="on this machine alone"):
        create_app(Source.open(model_folder), host=host, token="t")


@pytest.mark.torture
def test_ctrl_c_while_the_overview_is_made(small_index: Path, tmp_path: Path) -> None:
    """Even one that does not listen, deep inside a computation."""
    program = (
        f"{HEARS}import time, undertow.insight\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "def deaf(index, *, progress):\n    ThreadPoolExecutor(1).submit(time.sleep, "
        "600).result()\n"
        "undertow.insight.overview_of_index = deaf\nundertow.insight.stored_overview = lambda "
        "index: None\n"
        "from undertow.cli import main\nmain()\n"
    )
    command = [sys.executable, "-c", program, "explore", str(small_index), "--no-browser"]
    pipe: Any = subprocess.PIPE
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)
    try:
        assert process.stdout is not None
        assert "http://" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "the folder to explore must exist, got"),
        ("empty", "which has neither index.json nor model.json"),
        ("counts", "the model to explore must be one of texts"),
        ("unfinished", "must be finished, got an index half made: run what made it again"),
    ],
)
def test_what_cannot_be_explored(
    tmp_path: Path,
    small_model: TopicModel,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    message: str,
) -> None:
    (tmp_path / "empty").mkdir()
    if name == "counts":
        ReplicatedSoftmax(2, max_epochs=1).fit([[1, 0], [0, 2]]).save(tmp_path / "counts")
    if name == "unfinished":
        Index.create(tmp_path / name, small_model)
        facts = json.loads((tmp_path / name / "index.json").read_text())
        del facts["checksum"]
        (tmp_path / name / "index.json").write_text(json.dumps({**facts, "finished": False}))
    code, errors = in_process(monkeypatch, capsys, tmp_path / name)
    assert code in (1, 2)
    assert message in errors
    assert errors.count("\n") == 1


def test_a_host_that_is_none(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for host in ("no.such.host.invalid", ""):
        code, errors = in_process(monkeypatch, capsys, model_folder, "--host", host)
        assert (code, "--host must be an address or a name of this machine" in errors) == (2, True)


@pytest.mark.torture  # a process of its own
def test_an_address_with_colons(model_folder: Path) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    with running(model_folder, "--host", "::1", address=r"http://\[::1\]:(\d+)/") as explorer:
        with closing(http.client.HTTPConnection("::1", explorer.port, timeout=300)) as connection:
            connection.request("GET", "/api/about")
            assert connection.getresponse().status == 200
        assert explorer.stop() == (0, "")


@pytest.mark.parametrize("package", ["fastapi", "uvicorn"])
def test_without_the_extra(
    model_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    package: str,
) -> None:
    monkeypatch.setattr(
        "undertow._extras.find_spec", lambda name: None if name == package else name
    )
    code, errors = in_process(monkeypatch, capsys, model_folder)
    wanted = (
        f"undertow: undertow explore needs {package}, which is not installed: pip install "
        f"'undertow[explorer]'\n"
    )
    assert (code, errors) == (2, wanted)


def test_the_browser_is_opened_unless_told_not_to(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def at_once(
        source: object, bound: socket.socket, *, host: str, started: Any, token: str | None
    ) -> None:
        assert token is None
        bound.close()
        started()

    monkeypatch.setattr(serving, "serve", at_once)
    monkeypatch.setattr("webbrowser.open", opened.append)
    for options, expected in (((), 1), (("--no-browser",), 1)):
        monkeypatch.setattr(
            sys, "argv", ["undertow", "explore", str(model_folder), "--quiet", *options]
        )
        before = set(threading.enumerate())
        with suppress(SystemExit):
            main()
        for thread in set(threading.enumerate()) - before:  # some browsers take their time
            thread.join(300)
        assert len(opened) == expected
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", opened[0])


@pytest.mark.parametrize(
    ("options", "printed", "warning"),
    [
        ((), r"http://127\.0\.0\.1:\d+/  ", ""),
        (("--edit",), r"http://127\.0\.0\.1:\d+/#token=[\w-]{32}  ", ""),
        (("--host", "0.0.0.0"), r"http://127\.0\.0\.1:\d+/  ", "anyone who can reach 0.0.0.0 can"),
    ],
)
def test_the_address_is_printed(
    model_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    printed: str,
    warning: str,
) -> None:
    tokens: list[str | None] = []

    def at_once(
        source: object, bound: socket.socket, *, host: str, started: Any, token: str | None
    ) -> None:
        tokens.append(token)
        bound.close()
        started()

    monkeypatch.setattr(serving, "serve", at_once)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(
        sys, "argv", ["undertow", "explore", str(model_folder), "--no-browser", *options]
    )
    with suppress(SystemExit):
        main()
    said = capsys.readouterr()
    assert re.search(printed, said.out)
    assert (warning in said.err) if warning else said.err == ""
    assert ("#token=" in said.out) == (tokens[0] is not None)
    assert (tokens[0] or "") in said.out


def in_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[Any, str]:
    monkeypatch.setattr(
        sys, "argv", ["undertow", "explore", *map(str, arguments), "--no-browser", "--quiet"]
    )
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code, capsys.readouterr().err


def test_nothing_of_the_web_is_loaded_without_need() -> None:
    code = (
        "import sys\nfrom undertow.cli import app\nimport undertow.explorer, "
        "undertow.explorer.source\n"
        "print([name for name in ('fastapi', 'uvicorn', 'starlette', 'lancedb', 'plotly') if name "
        "in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
