"""A look at what a Parquet file promises, before polars reads it.

polars asks for as much memory as a page says that it holds values. A page that says -7, or two
billion, ends the process, which no program can word. So the file's footer and the headers of its
pages are walked first, in their compact wire format (Thrift); nothing else of it is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from undertow._errors import InvalidInput
from undertow.corpus._thrift import STRUCT, WHOLE, Wire

MAGIC = b"PAR1"
LARGEST_FOOTER = 2**28  # bytes
MOST_VALUES = 2**26  # of a page; writers cut pages at about 2**20 bytes
MOST_PAGES = 100_000  # that are looked at in one corpus: some 100 GB
HEADER, LARGEST_HEADER = 2**9, 2**24  # bytes of a page's header: a first guess, and at most


def check_parquet(files: list[Path]) -> None:
    """Refuses files whose pages promise what none holds; of very many pages, the first ones."""
    left = MOST_PAGES
    for file in files:
        try:
            with file.open("rb") as handle:
                left -= _check(handle, left)
        except (ValueError, IndexError) as error:
            raise InvalidInput(f"{file} must be a Parquet file, got {error!s:.100}") from None
        except OSError as error:
            raise InvalidInput(f"{file} must be readable, got: {error.strerror}") from None


@dataclass(frozen=True)
class _Chunk:
    """A column of a group of rows: where its pages are, and how many values they hold."""

    begin: int
    size: int
    values: int


def _check(handle: BinaryIO, most: int) -> int:
    """How many pages were looked at."""
    size = handle.seek(0, os.SEEK_END)
    handle.seek(max(size - 8, 0))
    tail = handle.read(8)
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < 8 or tail[4:] != MAGIC or not 0 < length <= size - 12:
        return 0  # no Parquet, or cut off, as polars says in words
    if length > LARGEST_FOOTER:
        raise ValueError(f"a footer of {length:,} bytes")
    handle.seek(size - 8 - length)
    pages, left = 0, size
    for chunk in _chunks(Wire(handle.read(length))):
        left -= chunk.size
        if chunk.begin < 0 or chunk.size < 0 or chunk.begin + chunk.size > size or left < 0:
            raise ValueError("columns of more bytes than are there")
        if pages < most:
            pages += _check_pages(handle, chunk, most - pages)
    return pages


def _chunks(footer: Wire) -> Iterator[_Chunk]:
    for field, kind in footer.fields():
        if field != 4:  # groups of rows
            footer.skip(kind)
            continue
        for _ in footer.elements():
            for part, of in footer.fields():
                if part != 1:  # their columns
                    footer.skip(of)
                    continue
                for _ in footer.elements():
                    yield from _described_chunks(footer)


def _described_chunks(footer: Wire) -> Iterator[_Chunk]:
    for field, kind in footer.fields():
        if field != 3 or kind != STRUCT:
            footer.skip(kind)
            continue
        found = footer.numbers()
        data, words = found.get(9, 0), found.get(11, 0)  # of data, of their dictionary
        if words > max(data, 0):
            raise ValueError("a dictionary that comes after its data")
        yield _Chunk(words or data, found.get(7, 0), found.get(5, 0))


def _check_pages(handle: BinaryIO, chunk: _Chunk, most: int) -> int:
    """As a reader walks them: to the end, or until all values are there."""
    place, end, values, pages = chunk.begin, chunk.begin + chunk.size, 0, 0
    while place < end and values < chunk.values and pages < most:
        header, length = _page_header(handle, place)
        size, held = header.get(3, -1), header.get("values", 0)
        promised = header.get(2, -1)
        if min(size, held, promised, header.get("least", 0)) < 0:
            raise ValueError("a page with a number below 0")
        if held > MOST_VALUES:
            raise ValueError(f"a page of {held:,} values, where {MOST_VALUES:,} are the most")
        values += held if header.get("data") else 0
        place += length + size
        pages += 1
    if place > end:
        raise ValueError("a page that is longer than its column")
    return pages


def _page_header(handle: BinaryIO, place: int) -> tuple[dict[int | str, int], int]:
    """Its numbers, and how many bytes it takes."""
    wanted = HEADER
    while True:
        handle.seek(place)
        wire = Wire(handle.read(wanted))
        try:
            return _page_numbers(wire), wire.place
        except IndexError:
            if wanted >= LARGEST_HEADER or wire.size < wanted:
                raise
            wanted *= 8


def _page_numbers(wire: Wire) -> dict[int | str, int]:
    """Sizes by their fields; `values`, and the `least` of the numbers that its kind has."""
    found: dict[int | str, int] = {}
    for field, kind in wire.fields():
        if field in (5, 7, 8) and kind == STRUCT:  # data, a dictionary, data of version 2
            numbers = wire.numbers()
            found["values"] = numbers.get(1, -1)
            found["least"] = min(numbers.values(), default=-1)
            found["data"] = int(field != 7)
        elif kind in WHOLE:
            found[field] = wire.whole()
        else:
            wire.skip(kind)
    return found
