"""Pages of the gallery: every script of examples/ that has a figure, run, with what it printed and
drew.

An example is a script whose docstring begins with its title. It leaves a plotly figure in the name
`figure`. It is run in an empty folder, as somebody would who copied it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import runpy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.site.running import SCRIPT, SKIP, own_folder, picture

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Example:
    """A script: its title, what its docstring goes on with, and its code."""

    path: Path
    title: str
    about: str
    code: str

    @property
    def name(self) -> str:
        """What its page is called."""
        return self.path.stem


def examples() -> list[Example]:
    """Those that draw, in the order of their titles."""
    found = [read(path) for path in EXAMPLES.glob("*.py")]
    return sorted((one for one in found if "figure = " in one.code), key=lambda one: one.title)


def read(path: Path) -> Example:
    """A script in its parts."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    told = ast.get_docstring(tree) or ""
    title, _, about = told.partition("\n")
    end = tree.body[0].end_lineno or 0
    code = "\n".join(text.splitlines()[end:]).strip()
    return Example(path, title.rstrip("."), about.strip(), code)


def pages() -> dict[str, str]:
    """Texts by paths."""
    found = examples()
    listed = [f"- [{one.title}]({one.name}.md)" for one in found]
    head = ["# Gallery", "", "Short programs, with what they print and draw. Each is a file of"]
    head += ["`examples/`, and a notebook beside it in `examples/notebooks/`.", ""]
    return {"gallery/index.md": "\n".join([*head, *listed, ""])} | {
        f"gallery/{one.name}.md": page(one) for one in found
    }


def page(one: Example) -> str:
    """Code, output, figure."""
    lines = [f"# {one.title}", "", one.about, ""]
    lines += [f"`python examples/{one.path.name}`", "", "```python", one.code, "```", ""]
    if os.environ.get(SKIP):
        return "\n".join(lines)
    out, figure = run(one.path)
    if out.strip():
        lines += ["It prints:", "", "```text", out.rstrip(), "```", ""]
    if figure is not None:
        lines += [picture(figure, "../"), ""]
    return "\n".join(lines)


@cache
def run(path: Path) -> tuple[str, Any]:
    """What a script prints, and the figure that it leaves."""
    print(f"examples/{path.name} runs", flush=True)
    out = io.StringIO()
    with own_folder(), contextlib.redirect_stdout(out):
        names = runpy.run_path(str(path), run_name="__main__")
    return out.getvalue(), names.get("figure")


def pictures() -> dict[str, str]:
    """The script that figures are drawn by, once for the whole site."""
    from plotly.offline import get_plotlyjs

    return {SCRIPT: get_plotlyjs()}
