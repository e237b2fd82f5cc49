"""Kernels are compiled without delay, and kept on disk: a cache that cannot be read must not stop
anybody.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import pytest
from numba.core import event
from numba.core.errors import TypingError

import undertow
import undertow.kernels.cpu.compile  # listens to numba
from tests.disks import read_only, small_disk

MODULE = """
from undertow.kernels.cpu.compile import kernel

@kernel
def doubled(x):
    return 2 * x

print(doubled(21))
"""


def _process(
    folder: Path,
    module: str = "made.py",
    *,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    source = str(Path(undertow.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-W", "error", module],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": source, **(environment or {})},
    )


def _run(folder: Path) -> str:
    ran = _process(folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


class _Gone:
    """What an earlier version of undertow had."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return __import__, ("undertow.kernels.cpu.gone",)


@pytest.mark.parametrize("damage", ["names a module that is gone", "cut off", "nonsense"])
def test_a_cache_that_cannot_be_read_is_made_again(tmp_path: Path, damage: str) -> None:
    (tmp_path / "made.py").write_text(MODULE, encoding="utf-8")
    assert _run(tmp_path) == "42\n"
    (index,) = (tmp_path / "__pycache__").glob("*.nbi")
    whole = index.read_bytes()
    version = pickle.dumps(pickle.loads(whole), protocol=-1)  # our own file, made a moment ago
    index.write_bytes(
        {
            "names a module that is gone": version + pickle.dumps(_Gone()),
            "cut off": whole[:-9],
            "nonsense": version + b"nonsense",
        }[damage]
    )
    assert _run(tmp_path) == "42\n"
    kept = index.read_bytes()
    assert kept.startswith(version)
    assert len(kept) >= len(whole) - 9  # it is whole again
    assert _run(tmp_path) == "42\n"


OURS = '__name__ = "undertow.made"\n'  # compiling other people's kernels is not announced
NO_PLACE = """
from numba.core import caching

def refuse(self):
    raise OSError(30, "Read-only file system")

caching._CacheLocator.ensure_cache_path = refuse
"""
FULL = """
from numba.core import caching

def full(self, key, data):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile.save = full
"""


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (NO_PLACE, "every start has to do again: there is no folder"),
        (FULL, "could not be kept, the next start compiles again: No space left on device"),
    ],
)
def test_without_a_cache_kernels_run_with_one_warning(
    broken: str, said: str, tmp_path: Path
) -> None:
    two = MODULE + MODULE.replace("doubled", "again")
    (tmp_path / "made.py").write_text(OURS + broken + two, encoding="utf-8")
    ran = _process(tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "42\n42\n"), ran.stderr
    assert ran.stderr.count("NUMBA_CACHE_DIR") == 1
    assert said in ran.stderr


def test_a_damaged_cache_that_cannot_be_emptied_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(MODULE, encoding="utf-8")
    assert _run(tmp_path) == "42\n"
    (index,) = (tmp_path / "__pycache__").glob("*.nbi")
    index.write_bytes(index.read_bytes()[:-9])
    stuck = "from numba.core import caching\ndef refuse(*given): raise OSError(30, 'Read-only')\n"
    stuck += "caching.IndexDataCacheFile.flush = caching.IndexDataCacheFile.save = refuse\n"
    before = (tmp_path / "made.py").stat()
    (tmp_path / "start.py").write_text(stuck + "import made\n", encoding="utf-8")
    assert (tmp_path / "made.py").stat().st_mtime_ns == before.st_mtime_ns
    ran = _process(tmp_path, "start.py")
    assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr


def test_in_a_place_that_is_only_read_kernels_run(tmp_path: Path) -> None:
    """As a service user has it: neither the package's folder nor a home can be written."""
    with small_disk(tmp_path / "disk") as disk:
        (disk / "made.py").write_text(OURS + MODULE, encoding="utf-8")
        homes = {name: str(disk / "home") for name in ("HOME", "XDG_CACHE_HOME")}
        with read_only(disk):
            ran = _process(disk, environment={**homes, "NUMBA_CACHE_DIR": ""})
        assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr
        assert ran.stderr.count("NUMBA_CACHE_DIR") == 1
        (disk / "made.py").write_text(MODULE, encoding="utf-8")
        place = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        with read_only(disk):
            ran = _process(disk, environment={**homes, **place})
        assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr
        assert "NUMBA_CACHE_DIR" not in ran.stderr
        assert list((tmp_path / "kept").rglob("*.nbi"))  # as the warning advises


def test_on_a_full_disk_kernels_run(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        (disk / "filling").write_bytes(bytes(60_000))
        (tmp_path / "made.py").write_text(MODULE, encoding="utf-8")
        ran = _process(tmp_path, environment={"NUMBA_CACHE_DIR": str(disk)})
    assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr
    assert "could not be kept" in ran.stderr


def plus_one(x: Any) -> Any:
    return x + 1


def plus_nothing_known(x: Any) -> Any:
    return x + undertow  # no number


@pytest.fixture
def collecting() -> Iterator[list[bool]]:
    """Whether Python looks for garbage, each time that numba begins to compile."""
    seen = list[bool]()

    class Look(event.Listener):  # type: ignore[misc]  # numba has no stubs
        def on_start(self, event: Any) -> None:
            seen.append(gc.isenabled())

        def on_end(self, event: Any) -> None:
            pass

    look = Look()
    event.register("numba:compile", look)
    before = gc.isenabled()
    yield seen
    event.unregister("numba:compile", look)
    if before:
        gc.enable()


@pytest.mark.parametrize(
    ("module", "was", "meanwhile"),
    [("undertow.made", True, False), ("undertow.made", False, False), ("other", True, True)],
)
def test_nobody_looks_for_garbage_while_kernels_are_compiled(
    collecting: list[bool], module: str, was: bool, meanwhile: bool
) -> None:
    """And afterwards as before, also where a kernel cannot be compiled."""
    (gc.enable if was else gc.disable)()
    for body in (plus_one, plus_nothing_known):
        function = FunctionType(body.__code__, globals(), body.__name__)
        function.__module__ = module
        compiled = numba.njit(function, nogil=True)
        with pytest.raises(TypingError) if body is plus_nothing_known else nullcontext():
            assert compiled(1) == 2
        assert gc.isenabled() is was
    assert set(collecting) == {meanwhile}
