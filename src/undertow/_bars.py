"""Progress bars: rich's in a terminal; in a notebook the same, drawn as HTML.

In notebooks, rich needs ipywidgets and shows nothing without. What every notebook has, a display
that can be written over, will do.
"""

from __future__ import annotations

import io
import time
from typing import Any

from rich import get_console
from rich.console import Console
from rich.progress import Progress, ProgressColumn

EVERY = 0.2  # seconds between two pictures in a notebook
WIDTH = 96
FRAME = "<pre style='margin:0;line-height:1.3;white-space:pre;overflow-x:auto'>{code}</pre>"


def progress(*columns: ProgressColumn, console: Console | None = None) -> Progress:
    """Bars with these columns, for where we are."""
    place = console or get_console()
    if place.is_jupyter and not place.quiet:
        return _InNotebook(*columns, console=place)
    return Progress(*columns, console=place, disable=place.quiet)


class _InNotebook(Progress):
    """Bars in the output of a cell."""

    def __init__(self, *columns: ProgressColumn, console: Console) -> None:
        self._shown: Any = None
        self._next = 0.0
        super().__init__(*columns, console=console, auto_refresh=False)

    def start(self) -> None:
        from IPython.display import HTML, display

        self._made, self._shown = HTML, display(HTML(""), display_id=True)

    def stop(self) -> None:
        self._next = 0.0
        self.refresh()
        self._shown = None

    def refresh(self) -> None:
        if self._shown is not None and time.monotonic() >= self._next:
            self._shown.update(self._made(self.html()))
            self._next = time.monotonic() + EVERY

    def update(self, *arguments: Any, **values: Any) -> None:
        super().update(*arguments, **values)
        self.refresh()

    def html(self) -> str:
        """The bars as they are now."""
        paper = Console(
            file=io.StringIO(),
            record=True,
            width=WIDTH,
            force_terminal=True,
            force_jupyter=False,
            color_system="truecolor",
        )
        paper.print(self.get_renderable())
        return paper.export_html(inline_styles=True, code_format=FRAME)
