"""What the tests of commands share."""

from __future__ import annotations

import pytest

from tests.shell import Run, shell


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command as from a shell: exit code, standard output, standard error."""
    return shell(monkeypatch, capsys)
