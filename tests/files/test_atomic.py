"""A file or a folder is replaced all at once, whatever happens meanwhile."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import undertow
from undertow.files.atomic import FolderKind, new_file, new_folder, put_file_in_place, write_file

CALLS = ("mkdir", "fsync", "rename", "replace", "unlink", "rmdir", "open")
MOST_CALLS = 16  # more than a write makes
WRITING = re.compile(
    r"\bos\.(replace|rename|fsync)\(|\bmkstemp\(|\.(rename|replace)\((target|file)\)"
)


class PowerCut(BaseException):
    """Not an Exception: nothing may catch it and go on."""


def disk_full() -> OSError:
    return OSError(28, "No space left on device")


@contextmanager
def failing(at: int, error: Callable[[], BaseException], *, dead: bool) -> Iterator[list[str]]:
    """The call into the system of number `at` raises, and with `dead` every later one too."""
    names: list[str] = []

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **options: Any) -> Any:
            names.append(name)
            if len(names) == at or (dead and len(names) > at):
                raise error()
            return call(*given, **options)

        return run

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, wrapped(name, getattr(os, name)))
        yield names


def replaced(target: Path, text: str) -> None:
    with new_file(target) as new, new.open("w") as handle:
        handle.write(text)


WRITERS = [replaced, lambda target, text: write_file(target, text.encode())]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_a_power_cut_leaves_the_old_or_the_new_file(
    tmp_path: Path, at: int, write: Callable[[Path, str], None]
) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with failing(at, PowerCut, dead=True), suppress(PowerCut):
        write(target, "new")
    assert target.read_text() in ("old", "new")
    write(target, "later")
    assert target.read_text() == "later"


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("error", [disk_full, KeyboardInterrupt])
@pytest.mark.parametrize("at", range(1, MOST_CALLS))
def test_an_error_leaves_nothing_beside(
    tmp_path: Path,
    at: int,
    error: Callable[[], BaseException],
    write: Callable[[Path, str], None],
) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with failing(at, error, dead=False), suppress(OSError, KeyboardInterrupt):
        write(target, "new")
    assert target.read_text() in ("old", "new")
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_is_on_disk_before_it_is_in_place(tmp_path: Path) -> None:
    with failing(1000, PowerCut, dead=True) as names:
        replaced(tmp_path / "file", "new")
    steps = [name for name in names if name in ("fsync", "replace")]
    assert steps == ["fsync", "replace", "fsync"]  # the file, its name, the folder of names


def test_what_need_not_last_is_whole_all_the_same(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with failing(1000, PowerCut, dead=True) as names, new_file(target, durable=False) as new:
        new.write_text("new")
        assert not target.exists()
    assert "fsync" not in names
    assert target.read_text() == "new"


def test_missing_folders_are_made_and_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_file(tmp_path / "a" / "b" / "file", b"new")
    found = (tmp_path / "a" / "b" / "file").stat().st_mode
    assert found == (tmp_path / "plain").stat().st_mode


def test_a_file_that_was_written_elsewhere_is_put_in_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "arrived").write_text("new")
    put_file_in_place(tmp_path / "arrived", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def remove(folder: Path) -> None:
    if not (folder / "mine.txt").exists():
        (folder / "marker").unlink(missing_ok=True)
        os.rmdir(folder)
        return
    raise ValueError("it holds something else")


KIND = FolderKind("marker", remove)


def put(target: Path, text: str) -> None:
    KIND.recover(target)
    with new_folder(target) as new:
        (new / "marker").write_text(text)
        KIND.put_in_place(new, target)


def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    put(tmp_path / "folder", "old")
    put(tmp_path / "folder", "new")
    assert (KIND.current(tmp_path / "folder") / "marker").read_text() == "new"
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize("at", range(1, 24))
def test_a_power_cut_leaves_the_old_or_the_new_folder(tmp_path: Path, at: int) -> None:
    target = tmp_path / "folder"
    put(target, "old")
    with failing(at, PowerCut, dead=True), suppress(PowerCut):
        put(target, "new")
    assert (KIND.current(target) / "marker").read_text() in ("old", "new")
    put(target, "later")
    assert (target / "marker").read_text() == "later"
    assert not (tmp_path / ".folder.undertow-old").exists()


def test_the_old_folder_stays_aside_while_something_else_has_its_place(tmp_path: Path) -> None:
    put(tmp_path / "folder", "old")
    os.rename(tmp_path / "folder", tmp_path / ".folder.undertow-old")
    (tmp_path / "folder").mkdir()  # somebody's own
    KIND.recover(tmp_path / "folder")
    assert (tmp_path / ".folder.undertow-old" / "marker").read_text() == "old"


def test_what_cannot_be_removed_is_told_and_does_not_undo_the_new_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "folder", "old")
    (tmp_path / "folder" / "mine.txt").write_text("keep me")
    put(tmp_path / "folder", "new")
    assert "could not be removed: it holds something else" in caplog.text
    assert (tmp_path / "folder" / "marker").read_text() == "new"
    assert (tmp_path / ".folder.undertow-old" / "mine.txt").read_text() == "keep me"


def test_nothing_else_in_undertow_replaces_files_or_folders() -> None:
    source = Path(str(undertow.__file__)).parent
    found = {
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        if WRITING.search(file.read_text())
    }
    assert found == {"files/atomic.py", "files/disk.py"}
