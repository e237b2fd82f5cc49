"""See the package."""

from __future__ import annotations

import argparse
import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SECTIONS = ("steps", "encoding", "learners", "quality")


def main() -> None:
    """Measures what is asked for, and prints tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu")
    parser.add_argument("sections", nargs="*", default=SECTIONS, help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--prepare", type=Path, help="write 20 Newsgroups as counts, and end")
    parser.add_argument("--counts", type=Path, help="what --prepare wrote, for quality")
    parser.add_argument("--models", type=Path, help="the folder that models are kept in")
    parser.add_argument("--on-cpu", action="store_true", help="train models on the CPU, and end")
    parser.add_argument("--judge", action="store_true", help="judge the models kept, and end")
    parser.add_argument("--devices", nargs="+", default=["cuda"], help="of the section learners")
    parser.add_argument(
        "--batches", type=int, nargs="*", default=[512, 1024, 4096], help="of the section quality"
    )
    parser.add_argument("--seeds", type=int, default=3, help="of the section quality")
    parser.add_argument("--out", type=Path, help="a file to write the figures to, as JSON")
    asked = parser.parse_args()
    if asked.prepare or asked.on_cpu or asked.judge:
        from benchmarks.gpu import quality

        if asked.prepare:
            quality.prepare(asked.prepare)
        if asked.on_cpu:
            quality.fit_on_cpu(quality.load(asked.counts), asked.models)
        if asked.judge:
            shown(quality.judge(quality.load(asked.counts), asked.models))
        return
    found = measured(asked)
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1, default=float))


def measured(asked: Any) -> dict[str, Any]:
    """The tables by name."""
    import torch

    from benchmarks.gpu import steps

    rate = steps.bandwidth()
    found: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "card": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "copying, TB/s": rate / 1e12,
    }
    print(found)
    if "steps" in asked.sections:
        found["steps"] = shown(steps.measure(rate))
    if "encoding" in asked.sections:
        from benchmarks.gpu import encoding

        found["encoding"] = shown(encoding.measure())
    if "learners" in asked.sections:
        from benchmarks.gpu import learners

        found["learners"] = shown(learners.measure(asked.devices))
    if "quality" in asked.sections and asked.counts:
        from benchmarks.gpu import quality

        found["quality"] = shown(
            quality.fit_all(
                quality.load(asked.counts), asked.models, batches=asked.batches, seeds=asked.seeds
            )
        )
    return found


def shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Printed as a table."""
    print("\n| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        print("| " + " | ".join(cells) + " |", flush=True)
    return rows


if __name__ == "__main__":
    main()
