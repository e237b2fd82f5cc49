"""Cut off or failing at any moment, a write leaves the old or the new folder, complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.storage.helpers import others, read_run, write_run
from undertow._errors import ModelFileError
from undertow.storage import _arrays

CALLS = ("mkdir", "fsync", "rename", "replace", "unlink", "rmdir", "chmod", "open", "scandir")
MOST_CALLS = 60  # more than a write makes


class PowerCut(BaseException):
    """Not an Exception: nothing may catch it and go on."""


class Failing:
    """Counts calls into the system; the one of number `at` raises, and with `dead` every later one
    too.

    `dead` is a killed process: the code after the raise runs in the test, but cannot touch the disk
    any more.
    """

    def __init__(self, at: int, error: Callable[[], BaseException], *, dead: bool) -> None:
        self.at, self.error, self.dead = at, error, dead
        self.count = 0
        self.names: list[str] = []

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            self.names.append(name)
            if self.count == self.at or (self.dead and self.count > self.at):
                raise self.error()
            return call(*arguments, **options)

        return wrapped

    @property
    def reached(self) -> bool:
        return self.count >= self.at


@contextmanager
def failing(at: int, error: Callable[[], BaseException], *, dead: bool) -> Iterator[Failing]:
    calls = Failing(at, error, dead=dead)
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, calls.wrap(name, getattr(os, name)))
        yield calls


def disk_full() -> OSError:
    return OSError(28, "No space left on device")


def test_a_write_makes_fewer_calls_than_are_tried(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    with failing(10_000, PowerCut, dead=True) as calls:
        write_run(tmp_path / "run", 2, overwrite=True)
    assert 10 < calls.count < MOST_CALLS
    assert {"mkdir", "fsync", "rename", "unlink", "rmdir"} <= set(calls.names)


@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_killed_while_replacing(tmp_path: Path, at: int) -> None:
    path = tmp_path / "run"
    write_run(path, 1)
    with failing(at, PowerCut, dead=True) as calls:
        try:
            write_run(path, 2, overwrite=True)
        except PowerCut:
            assert calls.reached
    assert read_run(path) in ((1, 2) if calls.reached else (2,))
    write_run(path, 3, overwrite=True)
    assert read_run(path) == 3
    # Temporary folders of the dead may stay until they are old; of the one that stepped aside
    # nothing does.
    assert all(".run.undertow-new-" in name for name in others(tmp_path))


@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_killed_while_writing_the_first(tmp_path: Path, at: int) -> None:
    path = tmp_path / "run"
    with failing(at, PowerCut, dead=True) as calls:
        try:
            write_run(path, 1)
        except PowerCut:
            assert calls.reached
    if path.exists():
        assert read_run(path) == 1
    else:
        with pytest.raises(ModelFileError, match=r"got nothing there$"):
            read_run(path)


@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_an_error_while_replacing_undoes_everything(tmp_path: Path, at: int) -> None:
    path = tmp_path / "run"
    write_run(path, 1)
    failure = ""
    with failing(at, disk_full, dead=False):
        try:
            write_run(path, 2, overwrite=True)
        except ModelFileError as error:
            failure = str(error)
    if failure:
        assert failure.endswith("got No space left on device")
        assert read_run(path) == 1
        assert others(tmp_path) == set()
    # the error came never, or while the old folder was removed, which the next write makes good
    else:
        assert read_run(path) == 2
        assert others(tmp_path) <= {".run.undertow-old"}


@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_an_interrupt_while_replacing_undoes_everything(tmp_path: Path, at: int) -> None:
    path = tmp_path / "run"
    write_run(path, 1)
    with failing(at, KeyboardInterrupt, dead=False), suppress(KeyboardInterrupt):
        write_run(path, 2, overwrite=True)
    assert read_run(path) in (1, 2)
    write_run(path, 3, overwrite=True)
    assert read_run(path) == 3


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(file: Path, _: object) -> None:
        file.write_bytes(b"half")
        raise disk_full()

    monkeypatch.setattr(_arrays, "write_arrays", half)
    with pytest.raises(ModelFileError) as caught:
        write_run(tmp_path / "run", 1)
    assert (
        str(caught.value)
        == f"{tmp_path / 'run'} must be a place that can be written, got No space left on device"
    )
    assert os.listdir(tmp_path) == []


def test_everything_is_on_disk_before_it_is_renamed_and_the_old_goes_last(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 1)
    with failing(10_000, PowerCut, dead=True) as calls:
        write_run(tmp_path / "run", 2, overwrite=True)
    steps = [name for name in calls.names if name in ("fsync", "rename", "unlink", "rmdir")]
    first_part = (
        ["fsync"] * 3 + ["rename"] * 2 + ["fsync"]
    )  # weights, header, folder; aside, in place; parent
    assert steps[:6] == first_part
    assert steps[6:9] == ["unlink", "unlink", "rmdir"]
