"""Results in a JSON file, written after each one: a long run goes on where it stopped, here or on
another machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchmarks import machine
from benchmarks.pool import worked
from undertow.paper import files
from undertow.paper.machine import in_words

Order = TypeVar("Order")


class Kept:
    """Results by name, each with the machine that it comes from; None keeps them in memory
    alone.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        there = file is not None and file.exists()
        self._found: dict[str, dict[str, Any]] = (
            json.loads(file.read_text()) if file is not None and there else {}
        )
        self._here = in_words(machine.describe())

    def work(
        self,
        work: Callable[[Order], Any],
        orders: Sequence[Order],
        jobs: int,
        name: Callable[[Order], str],
    ) -> Iterator[tuple[Order, Any]]:
        """Each order with its result (an error is one, and is not kept): first those that are there
        already.
        """
        missing = [order for order in orders if name(order) not in self._found]
        for order in orders:
            if name(order) in self._found:
                yield order, self._found[name(order)]["result"]
        for order, result in worked(work, missing, jobs) if missing else ():
            if not isinstance(result, Exception):
                self._found[name(order)] = {"result": result, "machine": self._here}
                if self._file is not None:
                    files.write_json(self._file, self._found)
            yield order, result

    def machines(self, names: Sequence[str]) -> str:
        """What these results were computed on, in words."""
        places = {self._found[name]["machine"] for name in names if name in self._found}
        return "; and on ".join(sorted(places)) or self._here
