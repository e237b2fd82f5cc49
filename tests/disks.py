"""Disks on which writing fails: small ones, ones that are only read, and a limit for any file."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _call(*command: object) -> bool:
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


@contextmanager
def small_disk(place: Path, size: str = "256k") -> Iterator[Path]:
    """A disk of its own, in memory; the test is skipped where none may be mounted."""
    place.mkdir()
    if not _call("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place):
        pytest.skip("no disk can be mounted here")
    try:
        yield place
    finally:
        _call("umount", "-l", place)


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Nothing can be written to this disk of its own."""
    assert _call("mount", "-o", "remount,ro", place)
    try:
        yield
    finally:
        _call("mount", "-o", "remount,rw", place)


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes: writing fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
