"""The pages of the explorer and plotly's script: a table of names and bytes, read once when the
explorer starts.

A request is answered from the table or not at all. No path of a request is ever joined to a folder.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path

from undertow.explorer._fixed_responses import FixedResponse

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/vnd.microsoft.icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
A_DAY = "private, max-age=86400"


def pages() -> dict[str, FixedResponse]:
    """All pages by their names, such as "index.html" or "parts/map.js"."""
    return _inside(files("undertow.explorer") / "pages", "")


def plotly_script() -> FixedResponse | None:
    """plotly.min.js as it comes with plotly, or None where plotly is not installed."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return (
        FixedResponse(file.read_bytes(), CONTENT_TYPES[".js"], cache=A_DAY)
        if file.is_file()
        else None
    )


def _inside(folder: Traversable, prefix: str) -> dict[str, FixedResponse]:
    found: dict[str, FixedResponse] = {}
    for entry in folder.iterdir() if folder.is_dir() else ():
        suffix = Path(entry.name).suffix
        if entry.is_dir():
            found.update(_inside(entry, f"{prefix}{entry.name}/"))
        elif suffix in CONTENT_TYPES:
            found[prefix + entry.name] = FixedResponse(entry.read_bytes(), CONTENT_TYPES[suffix])
    return found
