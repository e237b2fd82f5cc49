"""The sweep over sizes as a table, and in how many rows the defaults reach what they should."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from undertow.paper import files
from undertow.paper.page import markdown_table, replaced
from undertow.paper.report import NONE, Table, share

Figures = Mapping[str, Any]
SYSTEMS = ("undertow", "LSA", "words themselves")
TIMES = 1.2  # so many times LSA's MAP is what the defaults should reach
WORST = 3  # rows that are named
COLUMNS = (
    "corpus",
    "documents",
    "words",
    "tokens a document",
    "units",
    "accuracy",
    "P@10",
    "MAP",
    "MAP / LSA's",
    "dead units",
    "warnings",
    "seconds",
)
MARKS: dict[str, tuple[str, Callable[[Figures], float]]] = {  # what should be 0 or more
    "accuracy": ("accuracy at least LSA's", lambda row: _less(row, "accuracy")),
    "p10": ("P@10 at least LSA's", lambda row: _less(row, "p10")),
    "map": (f"MAP at least {TIMES} times LSA's", lambda row: _ratio(row) - TIMES),
}


def section(found: Figures) -> str:
    """What stands between the markers of the page."""
    done = {name: row for name, row in found["rows"].items() if "failed" not in row}
    failed = [
        f"- {name} failed: {row['failed']}"
        for name, row in found["rows"].items()
        if "failed" in row
    ]
    seeds = "one seed" if found["seeds"] == 1 else f"means over {found['seeds']} seeds"
    parts = [] if found["all_rows"] else ["*Some of the rows only.*"]
    if done:
        parts.append(
            markdown_table(
                table(done, f"undertow / LSA / tf-idf words, {seeds}; seconds: undertow / LSA")
            )
        )
    parts.append("\n".join([*summary(found["rows"]), *failed]))
    parts.append(f"Computed {found['time'][:10]} on {found['computed_on']}.")
    return "\n\n".join(parts)


def put(found: Figures, page: Path) -> None:
    """Exchanges the table of the page; what stands outside its markers stays."""
    text = page.read_text(encoding="utf-8")
    files.write_text(page, replaced(text, "sizes", section(found), "Figures"))


def table(done: Mapping[str, Figures], title: str) -> Table:
    """A line for each row."""
    return Table(title, COLUMNS, [_line(name, row) for name, row in done.items()])


def _line(name: str, row: Figures) -> list[str]:
    sides = [
        " / ".join(share(row[system][figure]) for system in SYSTEMS)
        for figure in ("accuracy", "p10", "map")
    ]
    seconds = " / ".join(f"{row[system]['seconds']:.1f}" for system in SYSTEMS[:2])
    sizes = [
        f"{row['documents']:,}",
        f"{row['words']:,}",
        f"{row['tokens']:.0f}",
        f"{row['units']:,}",
    ]
    complaints = [f"{row['dead_units']:g}", str(len(row["warnings"]))]
    return [name, *sizes, *sides, f"{_ratio(row):.2f}", *complaints, seconds]


def in_short(row: Figures) -> str:
    """For the line that tells of progress."""
    names = {"accuracy": "accuracy", "p10": "P@10", "map": "MAP"}
    sides = [
        f"{names[key]} {share(row['undertow'][key])} / {share(row['LSA'][key])}" for key in names
    ]
    return ", ".join(sides)


def summary(rows: Mapping[str, Figures]) -> list[str]:
    """In how many rows each mark is reached, and the rows that miss it most; a row that failed
    misses all.
    """
    done = {name: row for name, row in rows.items() if "failed" not in row}
    whole = sum(all(beyond(row) >= 0 for _, beyond in MARKS.values()) for row in done.values())
    lines = [f"- All three marks are reached in {whole} of {len(rows)} rows."]
    for figure, (words, beyond) in MARKS.items():
        missed = sorted((beyond(row), name) for name, row in done.items() if beyond(row) < 0)
        worst = "; ".join(f"{name} ({_shown(figure, done[name])})" for _, name in missed[:WORST])
        lines.append(
            f"- {words}: {len(done) - len(missed)} of {len(rows)} rows. Worst: {worst or NONE}."
        )
    return lines


def _shown(figure: str, row: Figures) -> str:
    return f"{_ratio(row):.2f} times" if figure == "map" else f"{_less(row, figure):+.3f}"


def _less(row: Figures, figure: str) -> float:
    return float(row["undertow"][figure]) - float(row["LSA"][figure])


def _ratio(row: Figures) -> float:
    return float(row["undertow"]["map"]) / float(row["LSA"]["map"])
