"""Words and texts from documents as labels of figures.

plotly reads a little HTML in every label, hover text and name, links included, and TeX between
dollar signs. So whatever comes from a corpus, a vocabulary or a user's name for a topic goes
through here.
"""

from __future__ import annotations

import html
import textwrap


def label(text: str, most: int = 80) -> str:
    """The text on one line, at most `most` characters of it, with nothing left to interpret."""
    return _escaped(shortened(text, most))


def paragraph(text: str, most: int = 240, width: int = 60) -> str:
    """The beginning of a text over several lines, for what is shown under the pointer."""
    return "<br>".join(_escaped(line) for line in textwrap.wrap(shortened(text, most), width))


def shortened(text: str, most: int) -> str:
    """The text on one line without characters that do not print, cut at `most` characters."""
    start = " ".join(text[: 8 * most].split())  # no more is looked at than can be shown
    clean = "".join(letter if letter.isprintable() else " " for letter in start)
    return clean if len(clean) <= most else clean[: most - 1].rstrip() + "…"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("$", "&#36;")
