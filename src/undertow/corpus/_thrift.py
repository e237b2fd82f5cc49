"""The compact wire format of Thrift, as far as it is needed to pass over what is not wanted.
Nothing is made that is larger than what came.
"""

from __future__ import annotations

from collections.abc import Iterator

TRUE, FALSE, BYTE, DOUBLE, BINARY, MAP, STRUCT = 1, 2, 3, 7, 8, 11, 12
WHOLE, LISTS = (4, 5, 6), (9, 10)
DEEPEST = 30  # structures in structures


class Wire:
    """Bytes, and the place up to which they are read. Reading beyond the end is an IndexError."""

    def __init__(self, stored: bytes) -> None:
        self._stored, self.place, self.size = stored, 0, len(stored)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and kind of each field of a structure; who asks for them reads their values."""
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self.whole()
            yield field, head & 15

    def numbers(self) -> dict[int, int]:
        """The whole numbers of a structure, by their fields; the rest is passed over."""
        found = {}
        for field, kind in self.fields():
            if kind in WHOLE:
                found[field] = self.whole()
            else:
                self.skip(kind)
        return found

    def elements(self) -> Iterator[None]:
        """As often as a list has structures, which are to be read."""
        kind, count = self._list()
        if kind != STRUCT and count:
            raise ValueError("a list of another kind")
        for _ in range(count):
            yield

    def whole(self) -> int:
        """A whole number with its sign."""
        number = self._count()
        return number >> 1 ^ -(number & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        """Passes over a value."""
        if depth > DEEPEST:
            raise ValueError("structures that are nested too deeply")
        if kind in WHOLE:
            self._count()
        elif kind in (BYTE, DOUBLE):
            self.place += 1 if kind == BYTE else 8
        elif kind == BINARY:
            length = self._count()
            self.place += length
        elif kind in LISTS:
            of, count = self._list()
            for _ in range(count):
                self._element(of, depth)
        elif kind == MAP and (count := self._count()):
            kinds = self._byte()
            for _ in range(count):
                self._element(kinds >> 4, depth)
                self._element(kinds & 15, depth)
        elif kind == STRUCT:
            for _, of in self.fields():
                self.skip(of, depth + 1)
        elif kind not in (TRUE, FALSE, MAP):
            raise ValueError(f"a field of kind {kind}")

    def _element(self, kind: int, depth: int) -> None:
        """One of a list, where truth values take a byte."""
        self.skip(BYTE if kind in (TRUE, FALSE) else kind, depth + 1)
        if self.place > self.size:
            raise IndexError("a file that is cut off")

    def _list(self) -> tuple[int, int]:
        head = self._byte()
        return head & 15, head >> 4 if head >> 4 < 15 else self._count()

    def _count(self) -> int:
        number = shift = 0
        while (byte := self._byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number of too many bytes")
        return number | byte << shift

    def _byte(self) -> int:
        self.place += 1
        if self.place > self.size:
            raise IndexError("a file that is cut off")
        return self._stored[self.place - 1]
