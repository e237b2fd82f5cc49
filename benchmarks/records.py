"""Runs on disk: DATE-bench.json with its plots beside it for the quick set, a folder DATE for the
full one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import plots
from benchmarks.tables import Sheet, markdown
from undertow.paper import machine

FOLDER = Path(__file__).parent / "results"


def record(results: dict[str, Any], sheets: list[Sheet], folder: Path = FOLDER) -> list[Path]:
    """Writes a run under its date; answers with what was written."""
    date = results["machine"]["date"]
    full = results["effort"] == "full"
    start = folder / date / "bench" if full else folder / f"{date}-bench"
    start.parent.mkdir(parents=True, exist_ok=True)
    files = {start.with_name(f"{start.name}.json"): as_json(results).encode()}
    if full:
        files[start.with_name("tables.md")] = page(results, sheets).encode()
    for name, drawn in plots.drawn(results).items():
        files[start.with_name(f"{name}.svg" if full else f"{start.name}-{name}.svg")] = drawn
    for file, content in files.items():
        file.write_bytes(content)
    return list(files)


def as_json(results: dict[str, Any]) -> str:
    """Readable, with the sections in the order in which they were measured."""
    return json.dumps(results, indent=2) + "\n"


def page(results: dict[str, Any], sheets: list[Sheet]) -> str:
    """All tables as Markdown."""
    described = results["machine"]
    head = (
        f"# Benchmarks, {described['date']}\n\n{machine.in_words(described)}. Written by `make "
        f"bench-full`.\n"
    )
    return "\n".join([head, *(markdown(sheet) for sheet in sheets)])


def last_recorded(folder: Path = FOLDER, *, besides: Path | None = None) -> dict[str, Any] | None:
    """The newest run on disk, None where there is none."""
    files = [*folder.glob("*-bench.json"), *folder.glob("*/bench.json")]
    runs = [
        json.loads(file.read_text())
        for file in files
        if besides is None or file.resolve() != besides.resolve()
    ]
    return max(runs, key=lambda run: str(run["time"]), default=None)
