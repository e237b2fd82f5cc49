"""What a recorded run leaves on disk: JSON that comes back, a page of tables, plots of the same
bytes.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import plots, quality, records
from benchmarks.tables import Sheet, columns_of, markdown
from tests.benchmarks import made_up


def test_plots_are_the_same_bytes_and_without_a_date() -> None:
    drawn = plots.drawn(made_up.results())
    assert set(drawn) == {"steps", "growth", "quality", "rates"}
    assert drawn == plots.drawn(made_up.results())
    for content in drawn.values():
        assert content.startswith(b"<?xml")
        assert b"<dc:date>" not in content


def test_plots_of_what_there_is() -> None:
    results = made_up.results()
    del results["growth"], results["divergence"]
    results["quality"] = {"skipped": "no data"}
    assert set(plots.drawn(results)) == {"steps"}
    assert plots.drawn({}) == {}


def test_a_full_run_is_a_folder(tmp_path: Path) -> None:
    sheet = Sheet("A table", ["name", "figure"], [["one", "1"]])
    written = {
        file.relative_to(tmp_path).as_posix()
        for file in records.record(made_up.results(), [sheet], tmp_path)
    }
    plotted = {f"2026-01-02/{name}.svg" for name in ("steps", "growth", "quality", "rates")}
    assert written == {"2026-01-02/bench.json", "2026-01-02/tables.md"} | plotted
    assert json.loads((tmp_path / "2026-01-02/bench.json").read_text()) == made_up.results()
    page = (tmp_path / "2026-01-02/tables.md").read_text()
    assert page.startswith("# Benchmarks, 2026-01-02\n\nmade up, 2 cores, 1 GiB")
    assert markdown(sheet) in page
    assert records.last_recorded(tmp_path) == made_up.results()


def test_a_quick_run_is_a_file_and_its_plots(tmp_path: Path) -> None:
    written = {
        file.name for file in records.record(made_up.results() | {"effort": "quick"}, [], tmp_path)
    }
    assert written >= {"2026-01-02-bench.json", "2026-01-02-bench-steps.svg"}


def test_the_table_of_systems_shows_where_peers_are_better() -> None:
    (sheet,) = quality.sheets(made_up.results()["quality"])
    ours, theirs = sheet.rows
    assert list(ours[-4:]) == ["1", "1", "2", ""]
    assert list(theirs[-4:]) == ["0.5", "never", "never", "tokens/s, s to 0.200"]
    assert sheet.notes == ["third: left out, not installed."]


def test_sizes_become_rows() -> None:
    sheet = columns_of(
        "Times", "words K", {"ms": {"2000": 1.5, "1000000": 12.25}, "ratio": {"2000": 1.0}}
    )
    assert sheet.rows == [["2,000", "1.5", "1"], ["1,000,000", "12.2", ""]]
