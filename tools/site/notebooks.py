"""Notebooks of the gallery, one for each example: python -m tools.site.notebooks

They hold no output, and open as they are. The tests see to it that they keep up with the examples.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from tools.site.gallery import EXAMPLES, Example, examples

FOLDER = EXAMPLES / "notebooks"


def cells(one: Example) -> list[dict[str, Any]]:
    """Title and words, then the code, cut at empty lines between statements."""
    found = [cell("markdown", f"# {one.title}\n\n{one.about}", 0)]
    parts = [part for part in statements(one.code) if part.strip()]
    parts.append("figure")
    return found + [cell("code", part, number) for number, part in enumerate(parts, 1)]


def statements(code: str) -> list[str]:
    """Pieces of code between the empty lines of the outermost level."""
    lines = code.splitlines()
    inside: set[int] = set()
    for node in ast.parse(code).body:
        inside |= set(range(node.lineno, node.end_lineno or node.lineno))
    parts: list[list[str]] = [[]]
    for number, line in enumerate(lines):  # line `number` is the one after line number `number`
        if not line.strip() and number not in inside:
            parts.append([])
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def cell(kind: str, text: str, number: int) -> dict[str, Any]:
    """One cell as the format has it."""
    lines = text.splitlines(keepends=True)
    made: dict[str, Any] = {"cell_type": kind, "id": f"part{number}", "metadata": {}}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made | {"source": lines}


def notebook(one: Example) -> str:
    """The file's text."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells(one),
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def path_of(one: Example) -> Path:
    """Where it lies."""
    return FOLDER / f"{one.name}.ipynb"


def main() -> None:
    """Writes all of them anew."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.ipynb"):
        old.unlink()
    for one in examples():
        path_of(one).write_text(notebook(one), encoding="utf-8")


if __name__ == "__main__":
    main()
