"""`make bench`, `make bench-full`, `make bench-check`: speed, time to quality and peers, as tables,
JSON and plots.

    python -m benchmarks.bench [--full] [--only SECTION ...] [--json FILE] [--record] [--check]

Within a section the things that are compared take turns, and medians of several rounds count:
ratios hold even where the machine's speed does not. Texts and posts are read from the folder that
UNDERTOW_DATA names.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import (
    divergence,
    documents,
    encoding,
    estimator,
    floor,
    growth,
    inference,
    machine,
    quality,
    records,
    regress,
    start,
    steps,
    targets,
    threads,
)
from benchmarks.effort import FULL, QUICK, Effort
from benchmarks.progress import Skipped, saying
from benchmarks.tables import Sheet, printed

SECTIONS: dict[str, Any] = {
    "steps": steps,
    "growth": growth,
    "floor": floor,
    "threads": threads,
    "estimator": estimator,
    "divergence": divergence,
    "inference": inference,
    "encoding": encoding,
    "documents": documents,
    "start": start,
    "quality": quality,
}


def run(effort: Effort, names: list[str], console: Console) -> tuple[dict[str, Any], list[Sheet]]:
    """Measures the sections and prints their tables; answers with results and tables, those of the
    targets first.
    """
    now = datetime.now(UTC)
    results: dict[str, Any] = {
        "machine": machine.describe(),
        "time": now.isoformat(timespec="seconds"),
        "effort": effort.name,
    }
    sheets: list[Sheet] = []
    for name in names:
        console.print(f"[bold]{name}[/bold]")
        try:
            with saying(console, name) as say:
                results[name] = SECTIONS[name].measure(effort, say)
        except Skipped as reason:
            console.print(f"{name} is left out: {reason}", highlight=False)
            results[name] = {"skipped": str(reason)}
            continue
        found = SECTIONS[name].sheets(results[name])
        sheets += found
        for sheet in found:
            console.print(printed(sheet))
    results["targets"] = targets.judged(results)
    return results, [targets.sheet(results["targets"]), *sheets]


def main() -> int:
    """Runs what is asked for; 1 where the regression check fails."""
    parser = argparse.ArgumentParser(description="Speed, time to quality and peers")
    parser.add_argument(
        "--full", action="store_true", help="everything, the peers included (about 12 minutes)"
    )
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), help="these sections")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument(
        "--record", action="store_true", help="keep results and plots under benchmarks/results"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare ratios with the last recorded run"
    )
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160)
    recorded = records.last_recorded() if options.check else None
    effort = FULL if options.full else QUICK
    results, sheets = run(effort, options.only or list(SECTIONS), console)
    console.print(printed(sheets[0]))
    if options.json:
        options.json.write_text(records.as_json(results))
    if options.record:
        for file in records.record(results, sheets):
            console.print(f"wrote {file.name}", highlight=False)
    return regress.check(results, recorded, console) if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
