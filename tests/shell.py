"""Commands as a shell would run them, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from undertow.cli import main

Run = Callable[..., tuple[int, str, str]]


def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["undertow", *map(str, arguments)])
        try:
            main()
            code: Any = 0
        except SystemExit as stopped:
            code = stopped.code or 0
        output = capsys.readouterr()
        return int(code), output.out, output.err

    return call
