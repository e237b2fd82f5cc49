"""The wire format of protocol buffers, as far as it is needed to look into a stranger's message:
numbered fields, each a whole number or bytes. Nothing is copied, and nothing is made that is larger
than what came.
"""

from __future__ import annotations

from collections.abc import Iterator

NUMBER, EIGHT, BYTES, FOUR = 0, 1, 2, 5
LONGEST_NUMBER = 10  # bytes

Value = int | memoryview


def entries(message: memoryview) -> Iterator[tuple[int, Value]]:
    """The fields of a message in their order: number, and a whole number or bytes. A message that
    is cut off or none is a ValueError.
    """
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        field, form = key >> 3, key & 7
        if form == NUMBER:
            value, place = _number(message, place)
            yield field, value
            continue
        if form == BYTES:
            length, place = _number(message, place)
        elif form in (EIGHT, FOUR):
            length = 8 if form == EIGHT else 4
        else:
            raise ValueError(f"a field of form {form}")
        if length > len(message) - place:
            raise ValueError(f"a field of {length} bytes where {len(message) - place} are left")
        yield field, message[place : place + length]
        place += length


def number(value: Value) -> int:
    """A field that has to be a whole number."""
    if isinstance(value, int):
        return value
    raise ValueError("bytes where a number should be")


def content(value: Value) -> memoryview:
    """A field that has to be bytes."""
    if isinstance(value, memoryview):
        return value
    raise ValueError("a number where bytes should be")


def text(value: Value) -> str:
    """A field that has to be text in UTF-8."""
    return bytes(content(value)).decode()


def _number(message: memoryview, place: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, and where the next field begins."""
    value = 0
    for index in range(LONGEST_NUMBER):
        if place + index >= len(message):
            raise ValueError("a number that is cut off")
        byte = message[place + index]
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value & (2**64 - 1), place + index + 1
    raise ValueError("a number of too many bytes")
