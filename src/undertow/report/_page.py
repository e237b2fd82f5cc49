"""The page itself: one HTML file with its scripts and data inside.

Nothing in it comes from elsewhere, and a Content-Security-Policy forbids that anything does:
scripts run only if their hash is listed, and no address may be asked for. Words and texts are
escaped by the template; data lies in a block that nothing in it can end.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from undertow import _extras

FOLDER = Path(__file__).parent / "page"
SCRIPTS = (
    "parts.js",
    "curves.js",
    "streams.js",
    "names.js",
    "map.js",
    "topics.js",
)  # in the order that they run in


def check_extra() -> None:
    """Says what to install where the extra is missing, before any work is done.

    Raises
    ------
    InvalidInput
        Without the extra.

    Examples
    --------
    >>> undertow.report.check_extra()
    """
    _extras.require("a report", "explorer", "jinja2", "openTSNE")


def page(values: dict[str, Any], data: dict[str, Any]) -> str:
    """The file: `values` for the template, `data` for the script."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    scripts = [(FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return environment.get_template("report.html.j2").render(
        **values,
        policy=policy(scripts),
        style=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),
        scripts=[Markup(script) for script in scripts],
        data=Markup(data_block(data)),
    )


def policy(scripts: list[str]) -> str:
    """The Content-Security-Policy: no address may be asked for, and no script runs that is not one
    of these.
    """
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def data_block(data: dict[str, Any]) -> str:
    """JSON that can stand inside a script element: no letter in it can begin a tag or a comment."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
