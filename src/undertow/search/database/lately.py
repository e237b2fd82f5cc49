"""What was asked for lately, kept in memory up to a number of bytes: the oldest goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

OVERHEAD = 200  # bytes that an entry takes beside what it holds


class Allowance:
    """How many bytes may be kept; 0 for nothing. Whoever holds it sees it change."""

    def __init__(self, size: int = 0) -> None:
        self.size = size


class Lately:
    """A table of a bounded size, for all threads. What it gives back must not be changed.

    One entry may take an eighth of the whole, so that a single long document does not push out all
    others.
    """

    def __init__(self, allowance: Allowance, share: float = 1.0) -> None:
        self._allowance, self._share = allowance, share
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self.size = 0

    @property
    def most(self) -> int:
        """Bytes that may be kept here."""
        return int(self._allowance.size * self._share)

    def get(self, key: Hashable) -> Any:
        """What was kept, or None."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[1]

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Keeps something of so many bytes, if it may be kept at all."""
        size += OVERHEAD
        if size > self.most // 8:
            return
        with self._lock:
            before = self._held.pop(key, None)
            self.size += size - (before[0] if before else 0)
            self._held[key] = size, value
            while self.size > self.most:
                self.size -= self._held.popitem(last=False)[1][0]
