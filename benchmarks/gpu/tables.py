"""From the JSON files of a card to the page: tables between markers, and Figure 1 for this card.

    python -m benchmarks.gpu.tables FILE.json ... [--page docs/performance.md] [--figure FILE.svg]

Files are put together; what several have is taken from the last.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from undertow.paper.page import replaced

Rows = Sequence[Mapping[str, Any]]
TITLES = {
    "ceilings": "What the card does when it does nothing else",
    "steps": "Training steps of alpha-NCE on a GPU",
    "encoding": "Encoding on a GPU, counts and vectors on the card",
    "learners": "Learners by vocabulary on a GPU, milliseconds of a minibatch of 128",
    "judged": "Quality of 20 Newsgroups on a GPU and on the CPU",
    "to level": "Seconds of training on a GPU to MAP .38",
    "cores": "All cores of the machine with the GPU",
}
ABOUT = ("card", "processor", "torch", "triton", "date")  # what stands below a table


def main(arguments: list[str] | None = None) -> None:
    """Prints the tables, or writes them where they belong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu.tables")
    parser.add_argument("files", type=Path, nargs="+", help="what --out and --json wrote")
    parser.add_argument("--page", type=Path, help="the page whose sections are exchanged")
    parser.add_argument("--figure", type=Path, help="where Figure 1 is drawn, as SVG")
    asked = parser.parse_args(arguments)
    found = together(asked.files)
    parts = sections(found)
    if asked.page:
        text = asked.page.read_text(encoding="utf-8")
        for name, part in parts.items():
            text = replaced(text, f"gpu-{name.replace(' ', '-')}", part, TITLES[name])
        asked.page.write_text(text, encoding="utf-8")
    else:
        for name, part in parts.items():
            print(f"{TITLES[name]}\n\n{part}\n")
    if asked.figure and "learners" in found:
        from benchmarks.plots import step_times
        from undertow.paper.plots import rendered

        asked.figure.write_bytes(rendered(lambda: step_times(lines_of(found["learners"])), "svg"))


def together(files: Sequence[Path]) -> dict[str, Any]:
    """All sections by name, each with its date and machine."""
    found: dict[str, Any] = {}
    for file in files:
        read = json.loads(file.read_text(encoding="utf-8"))
        if "rows" in read:  # of benchmarks.all_cores
            read = read["machine"] | {"cores": read["rows"]}
        about = [str(read[key]) for key in ABOUT if key in read]
        for name in TITLES.keys() & read.keys():
            found[name] = read[name]
            if about:
                found[f"about {name}"] = about
    return found


def sections(found: Mapping[str, Any]) -> dict[str, str]:
    """Markdown of every table that there is."""
    parts = {}
    for name in TITLES:
        rows = found.get(name)
        if not rows:
            continue
        rows = [rows] if isinstance(rows, Mapping) else rows
        rows = by_setting(rows) if name == "judged" else rows
        lines = [markdown(rows)]
        if f"about {name}" in found:
            lines += ["", f"*{', '.join(found[f'about {name}'])}*"]
        parts[name] = "\n".join(lines)
    return parts


def by_setting(rows: Rows) -> list[dict[str, Any]]:
    """Means over seeds, with the lowest and the highest."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["device"], row["batch"], row["rate"]), []).append(row)
    measures = ("epochs", "training, s", "accuracy", "MAP of balanced", "MAP of strengths")
    return [
        dict(zip(("device", "batch", "rate"), key, strict=True))
        | {"seeds": len(group)}
        | {name: _spread([row[name] for row in group]) for name in measures}
        for key, group in sorted(groups.items(), key=str)
    ]


def _spread(numbers: Sequence[float]) -> str:
    mean = sum(numbers) / len(numbers)
    return f"{_figure(mean)} ({_figure(min(numbers))} to {_figure(max(numbers))})"


def markdown(rows: Rows) -> str:
    """A table; its columns are those of the first row."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + " ---: |" * len(names)]
    lines += ["| " + " | ".join(_figure(row.get(name)) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _figure(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "" if value is None else str(value)
    if isinstance(value, int) or abs(value) >= 1e15:
        return f"{value:,}"
    if abs(value) >= 1e6:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def lines_of(rows: Rows) -> dict[str, tuple[list[float], list[float]]]:
    """Of every learner: numbers of words, and milliseconds."""
    words = [float(row["words"]) for row in rows]
    return {name: (words, [row[name] for row in rows]) for name in rows[0] if name != "words"}


if __name__ == "__main__":
    main()
