"""The one place where commands print. Words, names and paths come from anywhere, and a terminal
does what some characters say: these are shown as escapes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, all but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of writing
    "\u2028\u2029\ufeff\ud800-\udfff]"  # line ends that are none, marks, halves of letters
)


def escaped(text: str) -> str:
    """The text with what a terminal would obey as \\u001b and the like, which JSON reads as the
    same characters.
    """
    return UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def say(line: object = "", *, err: bool = False) -> None:
    """A line, or several, on standard output or standard error."""
    typer.echo(escaped(str(line)), err=err)


def new_console(**options: Any) -> Console:
    """A console of rich, for tables, trees and styles."""
    from rich.console import Console
    from rich.segment import Segment

    class Escaping(Console):
        def render(self, *given: Any, **more: Any) -> Iterable[Segment]:
            for text, style, control in super().render(*given, **more):
                yield Segment(text if control else escaped(text), style, control)

    return Escaping(**options)


class Remarks(logging.Filter):
    """What the library tells in its log goes to the terminal as well."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets all pass, escaped."""
        record.msg, record.args = escaped(record.getMessage()), ()
        return True
