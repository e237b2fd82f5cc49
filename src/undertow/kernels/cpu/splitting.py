"""Cutting a range of items into tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Task = tuple[Callable[..., Any], tuple[Any, ...]]


def split(
    kernel: Callable[..., Any], items: int, threads: int, *arguments: Any, least: int = 1
) -> Iterator[Task]:
    """Tasks `kernel(first, last, *arguments)` that together cover `items`, two per thread to even
    out the ends, of `least` items or more.
    """
    pieces = 1 if threads == 1 else min(2 * threads, max(items // least, 1))
    for piece in range(pieces):
        first, last = piece * items // pieces, (piece + 1) * items // pieces
        if last > first:
            yield kernel, (first, last, *arguments)
