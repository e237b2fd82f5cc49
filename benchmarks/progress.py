"""What a benchmark is doing, told while it does it: a status line on a terminal, plain lines in a
log.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

Say = Callable[[str], None]


class Skipped(Exception):
    """Raised by a section that cannot be measured here; the message says why and what to do."""


def silent(text: str) -> None:
    """For callers that want to hear nothing."""


@contextmanager
def saying(console: Console, section: str) -> Iterator[Say]:
    """A function to tell what is being done; on a terminal the last line stays until the next
    one.
    """
    began = time.perf_counter()
    if not console.is_terminal:
        yield lambda text: console.print(
            f"{time.perf_counter() - began:6.1f} s  {section}: {text}",
            highlight=False,
            markup=False,
        )
        return
    with console.status(section) as status:
        yield lambda text: status.update(f"{section}: {text}")
