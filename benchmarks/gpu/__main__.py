"""See the package and README.md beside it."""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SECTIONS = ("steps", "encoding", "learners", "quality")


def main(arguments: list[str] | None = None) -> None:
    """Measures what is asked for, and prints tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu")
    parser.add_argument("sections", nargs="*", default=SECTIONS, help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--prepare", type=Path, help="write 20 Newsgroups as counts, and end")
    parser.add_argument("--counts", type=Path, help="what --prepare wrote, for quality")
    parser.add_argument("--models", type=Path, help="the folder that models are kept in")
    parser.add_argument("--on-cpu", action="store_true", help="train models on the CPU, and end")
    parser.add_argument("--judge", action="store_true", help="judge the models kept, and end")
    parser.add_argument(
        "--batches", type=int, nargs="*", default=[512, 1024, 4096], help="of the section quality"
    )
    parser.add_argument("--seeds", type=int, default=3, help="of the section quality")
    parser.add_argument("--tiny", action="store_true", help="tries all out; figures mean nothing")
    parser.add_argument("--out", type=Path, help="a file to write the figures to, as JSON")
    asked = parser.parse_args(arguments)
    unknown = set(asked.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"sections must be of {', '.join(SECTIONS)}, got {', '.join(unknown)}")
    _interpret_without_a_card(asked.tiny)
    if asked.prepare or asked.on_cpu or asked.judge:
        _besides(asked)
    else:
        measured(asked)


def _interpret_without_a_card(tiny: bool) -> None:
    """Triton has to be told before it is loaded."""
    import torch

    if torch.cuda.is_available():
        return
    if not tiny:
        return  # --prepare, --on-cpu and --judge need no card; the rest says what it lacks
    os.environ.setdefault("TRITON_INTERPRET", "1")


def _besides(asked: Any) -> None:
    """What other machines do."""
    from benchmarks.gpu import quality

    if asked.prepare:
        quality.prepare(asked.prepare)
    if asked.on_cpu:
        quality.fit_on_cpu(_posts(asked), asked.models, asked.seeds)
    if asked.judge:
        found = {"judged": shown(quality.judge(_posts(asked), asked.models))}
        if asked.out:
            _write(asked.out, found)


def _posts(asked: Any) -> Any:
    from benchmarks.gpu import quality

    return quality.made_up() if asked.tiny else quality.load(asked.counts)


def measured(asked: Any) -> dict[str, Any]:
    """The tables by name. The file is written after each, so that nothing is lost."""
    import torch

    found: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "card": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
    if find_spec("triton") is not None:
        import triton

        from benchmarks.gpu import ceilings

        found |= {"triton": triton.__version__, "ceilings": ceilings.measure(asked.tiny)}
    print(found, flush=True)
    for name in asked.sections:
        if name == "quality" and not (asked.counts or asked.tiny):
            print("quality is left out: it needs --counts and --models", flush=True)
            continue
        found |= _section(name, asked, found)
        if asked.out:
            _write(asked.out, found)
    return found


def _section(name: str, asked: Any, found: dict[str, Any]) -> dict[str, Any]:
    if name == "steps":
        from benchmarks.gpu import steps

        return {name: shown(steps.measure(found["ceilings"], asked.tiny))}
    if name == "encoding":
        from benchmarks.gpu import encoding

        return {name: shown(encoding.measure(found["ceilings"], asked.tiny))}
    if name == "learners":
        from benchmarks.gpu import learners

        return {name: shown(learners.measure(asked.tiny))}
    from benchmarks.gpu import quality

    posts = _posts(asked)
    rows = quality.fit_all(posts, asked.models, batches=asked.batches, seeds=asked.seeds)
    return {name: shown(rows), "to level": shown(quality.time_to_level(posts, rows))}


def _write(path: Path, found: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, default=float))


def shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Printed as a table."""
    print("\n| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        print("| " + " | ".join(cells) + " |", flush=True)
    return rows


if __name__ == "__main__":
    main()
