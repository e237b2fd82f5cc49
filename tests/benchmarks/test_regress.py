"""The regression check: made-up runs that are better, a little worse, much worse, or incomplete."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import bench, records, regress
from benchmarks.regress import RATIOS, Ratio

MORE, LESS = Ratio("gain", "threads/gain", True), Ratio("growth", "steps/growth", False)


def run_with(gain: float | None, growth: float | None) -> dict[str, Any]:
    figures = {"threads": {"gain": gain}, "steps": {"growth": growth}}
    return {"machine": {"date": "2026-01-02", "processor": "made up", "cores": 2}, **figures}


def worse(gain: float, growth: float) -> list[str]:
    compared = regress.compare(run_with(gain, growth), run_with(2.0, 1.2), [MORE, LESS])
    return [comparison.ratio.name for comparison in compared if comparison.worse]


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(0.7, ["gain"]), (0.9, []), (1.0, []), (3.0, [])],
)
def test_where_more_is_better(factor: float, expected: list[str]) -> None:
    assert worse(2.0 * factor, 1.2) == expected


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(1.3, ["growth"]), (1.1, []), (1.0, []), (0.3, [])],
)
def test_where_less_is_better(factor: float, expected: list[str]) -> None:
    assert worse(2.0, 1.2 * factor) == expected


def checked(run: dict[str, Any], recorded: dict[str, Any] | None) -> tuple[int, str]:
    text = io.StringIO()
    return regress.check(run, recorded, Console(file=text, width=200)), text.getvalue()


def recorded_run() -> dict[str, Any]:
    run = run_with(None, None)
    run["steps"] = {"over_yardstick": 2.0, "growth": {"200000": 1.2}}
    return run


def test_a_run_much_worse_fails_and_says_where() -> None:
    run = recorded_run()
    run["steps"] = {"over_yardstick": 2.0, "growth": {"200000": 1.2 * 1.3}}
    status, text = checked(run, recorded_run())
    assert status == 1
    assert "more than 25% worse: K=200,000 over K=2,000" in text
    assert "WORSE" in text


def test_an_equal_run_passes() -> None:
    status, text = checked(recorded_run(), recorded_run())
    assert status == 0
    assert "nothing is 25% worse" in text


def test_a_missing_figure_is_named() -> None:
    run = recorded_run()
    run["steps"] = {"over_yardstick": 2.0}
    status, text = checked(run, recorded_run())
    assert status == 0
    assert "MISSING in this run" in text
    assert "recorded, but not measured in this run: K=200,000 over K=2,000" in text


def test_nothing_recorded_yet() -> None:
    status, text = checked(recorded_run(), None)
    assert status == 0
    assert "no recorded run" in text


def test_ratios_belong_to_sections_and_differ() -> None:
    assert len({ratio.path for ratio in RATIOS}) == len(RATIOS)
    assert {ratio.path.split("/")[0] for ratio in RATIOS} <= {*bench.SECTIONS, "floor"}


def test_the_last_run_is_the_newest_by_its_own_time(tmp_path: Path) -> None:
    assert records.last_recorded(tmp_path) is None
    (tmp_path / "2026-01-03").mkdir()
    files = {
        "2026-01-03/bench.json": "2026-01-03T10",
        "2026-01-03-bench.json": "2026-01-03T11",
        "other.json": "9",
    }
    for name, time in files.items():
        (tmp_path / name).write_text(json.dumps({"time": time}))
    assert records.last_recorded(tmp_path) == {"time": "2026-01-03T11"}
    assert records.last_recorded(tmp_path, besides=tmp_path / "2026-01-03-bench.json") == {
        "time": "2026-01-03T10"
    }
