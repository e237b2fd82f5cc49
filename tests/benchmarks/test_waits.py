"""The benchmark of waits runs, and knows its commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import waits


def test_commands_take_turns_and_the_first_round_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(waits, "seconds", lambda command, index: float(next(clock)))
    found = waits.medians(Path("index"), 3)
    number = len(waits.COMMANDS)
    assert [median for _, _, median in found] == [place + 2.0 * number for place in range(number)]
    assert found[0][:2] == ("question", f"search INDEX {waits.QUESTION}")


def test_a_process_is_timed(tmp_path: Path) -> None:
    assert 0.01 < waits.seconds(("--version",), tmp_path) < 600
