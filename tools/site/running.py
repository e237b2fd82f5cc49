"""Code on pages of the site is run while the site is built, and what it prints and draws is shown
below it. So what a page shows is what happened, and a page whose code fails ends the build.

- ```` ```python ```` is run; all blocks of a page share their names.
- ```` ```console ```` has commands after `$ `, which are run by a shell, in the same folder.
- A figure of plotly in the name `figure` is drawn below the block that made it.
- What is in the name `shown` stands there as a notebook shows it.
- Other fences (```` ```text ````, ```` ```sh ````) are shown as they are.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LONGEST = 60  # lines of output that are shown
WIDTH = 96
SCRIPT = "assets/plotly.min.js"
SKIP = "UNDERTOW_DOCS_SKIP_EXAMPLES"  # to look at pages quickly


def with_results(markdown: str, page: str) -> str:
    """A page's text, its code followed by what came of it."""
    if os.environ.get(SKIP) or not BLOCK.search(markdown):
        return markdown
    print(f"docs/{page} runs", flush=True)  # minutes for all of them
    up = "../" * page.count("/")
    names: dict[str, Any] = {"__name__": "__main__"}
    with own_folder():

        def shown(found: re.Match[str]) -> str:
            if found[1] == "console":
                return "```console\n" + of_commands(found[2], page) + "```"
            out = of_python(found[2], names, page)
            drawn, seen = names.pop("figure", None), names.pop("shown", None)
            below = "" if drawn is None else "\n\n" + picture(drawn, up)
            below += "" if seen is None else "\n\n" + as_in_a_notebook(seen)
            printed = f"\n\n```text\n{cut(out)}\n```" if out.strip() else ""
            return found[0] + printed + below

        return BLOCK.sub(shown, markdown)


@contextlib.contextmanager
def own_folder() -> Iterator[None]:
    """An empty folder to work in, until the end of the block."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            yield
        finally:
            os.chdir(before)


def of_python(code: str, names: dict[str, Any], page: str) -> str:
    """What a block prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, page, "exec"), names)
        except Exception as error:
            raise SystemExit(f"{page}: {type(error).__name__}: {error}\nin\n{code}") from error
    return out.getvalue()


def of_commands(block: str, page: str) -> str:
    """Commands, each followed by what it prints."""
    bin_folder = Path(sys.executable).parent
    own = {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": str(WIDTH)}
    told = ""
    for call in re.findall(r"^\$ (.*(?:\n  .*)*)", block, flags=re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", call],
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{page}: {call}\n{done.stdout}")
        told += f"$ {call}\n{cut(done.stdout)}\n".replace("\n\n", "\n")
    return told


def cut(text: str) -> str:
    """The first lines, and how many were left out."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    left_out = len(lines) - LONGEST
    return "\n".join(lines[:LONGEST] + ([f"... {left_out} more lines"] if left_out > 0 else []))


def picture(figure: Any, up: str) -> str:
    """A figure of plotly as a part of a page."""
    drawn = figure.to_html(full_html=False, include_plotlyjs=False, default_height="520px")
    return f'<script src="{up}{SCRIPT}"></script>\n<div>{drawn}</div>'


def as_in_a_notebook(thing: Any) -> str:
    """What a notebook shows of something, in one line where that can be, which Markdown leaves
    alone; in a script, the sign for a new line would be code.
    """
    html = f'<div class="cell">{thing._repr_html_()}</div>'
    return html if "<script" in html else html.replace("\n", "&#10;")
