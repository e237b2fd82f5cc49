"""Tests of pages hold when answers come late and in another order, and on a slow machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.slowness import delays, slowdown, slowed

ROOT = Path(__file__).parents[2]
PAGES = ("test_page*.py", "test_records.py")


def test_nothing_is_slowed_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UNDERTOW_TEST_DELAY", "UNDERTOW_TEST_SLOWDOWN"):
        monkeypatch.delenv(name, raising=False)
    app = object()
    assert slowed(app) is app
    assert slowdown() == 1
    for given, between in (("0.4", (0.4, 0.4)), ("0..0.6", (0.0, 0.6))):
        monkeypatch.setenv("UNDERTOW_TEST_DELAY", given)
        assert delays() == between
        assert slowed(app) is not app


@pytest.mark.torture  # all tests of pages again, and slowly
@pytest.mark.parametrize(("delay", "slowdown"), [("0..0.6", "1"), ("0.4", "4")])
def test_tests_of_pages_wait_for_what_comes_late(delay: str, slowdown: str) -> None:
    files = [str(file) for part in PAGES for file in sorted(Path(__file__).parent.glob(part))]
    slow = {"UNDERTOW_TEST_DELAY": delay, "UNDERTOW_TEST_SLOWDOWN": slowdown}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not torture", *files],
        cwd=ROOT,
        env={**os.environ, **slow},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
