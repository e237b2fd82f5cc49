"""Tables as plain data, to be printed on a terminal or written as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table


@dataclass(frozen=True)
class Sheet:
    """A title, names of columns, rows of cells; the first column holds names, the others
    figures.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())


def printed(sheet: Sheet) -> Table:
    """For the terminal."""
    table = Table(title=sheet.title, caption="\n".join(sheet.notes) or None)
    for number, column in enumerate(sheet.columns):
        table.add_column(column, justify="right" if number else "left")
    for row in sheet.rows:
        table.add_row(*row)
    return table


def markdown(sheet: Sheet) -> str:
    """For a file."""
    lines = [
        f"## {sheet.title}",
        "",
        _line(sheet.columns),
        _line(["---", *["---:"] * (len(sheet.columns) - 1)]),
        *(_line(row) for row in sheet.rows),
        *(part for note in sheet.notes for part in ("", note)),
    ]
    return "\n".join(lines) + "\n"


def figure(value: float | None) -> str:
    """A number with as many digits as say something; nothing for none."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def columns_of(title: str, first: str, columns: Mapping[str, Mapping[str, Any]]) -> Sheet:
    """A sheet of mappings with the same kind of keys, which become its rows: sizes with thousands
    separated.
    """
    keys = list(dict.fromkeys(key for column in columns.values() for key in column))
    rows = [[_key(key), *(figure(column.get(key)) for column in columns.values())] for key in keys]
    return Sheet(title, [first, *columns], rows)


def scalars(title: str, found: Mapping[str, Any]) -> Sheet:
    """A row for each number among the figures."""
    numbers = {name: value for name, value in found.items() if isinstance(value, (int, float))}
    return Sheet(
        title,
        ["", "figure"],
        [[name.replace("_", " "), figure(value)] for name, value in numbers.items()],
    )


def _key(key: str) -> str:
    return f"{int(key):,}" if key.isdecimal() else key


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
