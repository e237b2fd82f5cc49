"""Tables as they stand on pages."""

from __future__ import annotations

from typing import Any


def table(title: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Printed; the rows are given back."""
    print(f"\n{title}\n")
    print("| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(map(_cell, row.values())) + " |", flush=True)
    return rows


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return (
            f"{value:,.4f}"
            if abs(value) < 1
            else f"{value:,.4g}"
            if value < 1e4
            else f"{value:,.0f}"
        )
    return f"{value:,}" if isinstance(value, int) else str(value)
