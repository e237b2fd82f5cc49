"""What a version of the documents is made of: the database's manifest, looked into before the
database opens it.

A manifest may name other folders and addresses in which its files lie, and the database goes there,
with the keys of whoever opens it. Ours never do, so such a manifest is refused, and everything in
one that is not what an index is made of: odd names of files, other kinds of columns and of indices,
more rows than its files can hold.

It ends with the place of the message in it, the number of the format and four letters.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from undertow._errors import IndexFileError
from undertow.search.database.wire import Value, content, entries, number, text

LARGEST = 2**28  # bytes
MAGIC, TAIL = b"LANC", 16
NEWEST = 2**64 - 1  # names count down from it, so that the newest comes first
FOLDER = "_versions"
WIDEST = 2**16  # numbers of a vector
ROWS_A_BYTE = 8  # ids differ, so that no file holds more
KNOWN_FEATURES = 1 | 2 | 4 | 8  # deletions, stable rows, format 2, settings; not: other folders

_NAME = re.compile(r"([0-9]{20})\.manifest")
_FILE = re.compile(r"[A-Za-z0-9_-]{1,200}\.[a-z]{1,12}")
_KIND = re.compile(
    r"string|large_string|bool|int64|double|date32:day|timestamp:us:-|"
    r"fixed_size_list:(?:halffloat|float|uint8):([0-9]{1,9})"
)
_INDEX = re.compile(rb"\n.(?:type.googleapis.com)?/lance\.table\.BTreeIndexDetails", re.DOTALL)


@dataclass
class Manifest:
    """A version: its number, its files in the table's folder with their bytes (0: it does not say),
    and which parts have rows that were deleted.
    """

    version: int = 0
    files: dict[str, int] = field(default_factory=dict)
    with_deletions: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its own file."""
        return f"{FOLDER}/{NEWEST - self.version:020}.manifest"


Newest = Callable[[], Manifest]
"""Looks up which manifest is the newest, and what is in it."""


def newest_of(folder: Path) -> Manifest:
    """That of a table on this machine. A writer may remove what was listed: it has put a newer one
    there then.
    """
    for _ in range(100):
        try:
            name = newest_name((file.name for file in (folder / FOLDER).iterdir()), str(folder))
            with (folder / FOLDER / name).open("rb") as handle:
                return read(handle.read(LARGEST + 1), f"{folder}/{FOLDER}/{name}")
        except FileNotFoundError:
            if not (folder / FOLDER).is_dir():
                raise IndexFileError(
                    f"{folder} must hold versions of the documents, got no folder {FOLDER}"
                ) from None
    raise IndexFileError(f"{folder} must hold still while it is opened, got changed all the time")


def newest_name(names: Iterable[str], place: str) -> str:
    """The file of the newest version among the names in a folder."""
    manifests = sorted(name for name in names if name.endswith(".manifest"))
    for name in manifests:
        if not _NAME.fullmatch(name):
            raise IndexFileError(
                f"{place} must hold manifests under names of 20 digits, got {name!r:.60}"
            )
    if not manifests:
        raise IndexFileError(f"{place} must hold a version of the documents, got none")
    return manifests[0]


def read(stored: bytes, place: str) -> Manifest:
    """What is in a manifest; an error where it leads elsewhere, or is none."""
    try:
        found = _read(memoryview(stored))
        named = _NAME.fullmatch(place.rpartition("/")[2])
        if named is not None and NEWEST - int(named[1]) != found.version:
            raise ValueError(f"version {found.version} under the name of another")
    except (ValueError, OverflowError) as error:
        raise IndexFileError(
            f"{place} must be a manifest of an index' documents, got {error!s:.160}"
        ) from None
    return found


def _read(stored: memoryview) -> Manifest:
    if len(stored) > LARGEST:
        raise ValueError(f"more than {LARGEST:,} bytes")
    if len(stored) < TAIL or stored[-4:] != MAGIC:
        raise ValueError("another kind of file, or one that is cut off")
    found = Manifest()
    begin = int.from_bytes(stored[-TAIL : 8 - TAIL], "little")
    for key, value in entries(_message(stored, begin)):
        if key == 1:
            _check_column(content(value))
        elif key == 2:
            _add_fragment(found, content(value))
        elif key == 3:
            found.version = number(value)
        elif key == 6:
            _add_indices(found, _message(stored, number(value)))
        elif key == 9 and number(value) & ~KNOWN_FEATURES:
            raise ValueError(
                f"features {number(value):#x}, such as files in other places than this one"
            )
        elif key == 18:
            raise ValueError(f"files in another place, {_place_of(content(value))!r}")
    return found


def _message(stored: memoryview, begin: int) -> memoryview:
    length = int.from_bytes(stored[begin : begin + 4], "little")
    if begin + 4 + length > len(stored) - TAIL:
        raise ValueError(f"{length} bytes at {begin}, where there are fewer")
    return stored[begin + 4 : begin + 4 + length]


def _place_of(base: memoryview) -> str:
    return next((text(value)[:80] for key, value in entries(base) if key == 4), "unnamed")


def _check_column(column: memoryview) -> None:
    """Columns are of few kinds; others could hold places to read from."""
    kind = next((text(value) for key, value in entries(column) if key == 5), "")
    known = _KIND.fullmatch(kind)
    if known is None or int(known[1] or 0) > WIDEST:
        raise ValueError(f"a column of kind {kind!r:.60}")


def _add_fragment(found: Manifest, fragment: memoryview) -> None:
    """Its files: data, and which rows were deleted."""
    own, rows, size, deletions = 0, 0, 0, None
    for key, value in entries(fragment):
        if key == 1:
            own = number(value)
        elif key == 2:
            name, length = _data_file(content(value))
            found.files[f"data/{name}"] = length
            size += length
        elif key == 3:
            deletions = content(value)
        elif key == 4:
            rows = number(value)
        elif key in (6, 8, 10):
            raise ValueError("numbers of rows in a file of their own")
    if size and rows > size * ROWS_A_BYTE:
        raise ValueError(f"{rows:,} rows in {size:,} bytes")
    if deletions is not None:
        found.files[f"_deletions/{own}-{_deletion_file(deletions)}"] = 0
        found.with_deletions.append(own)


def _data_file(file: memoryview) -> tuple[str, int]:
    name, size = "", 0
    for key, value in entries(file):
        if key == 1:
            name = _file_name(value)
        elif key == 6:
            size = number(value)
        _refuse_base(key == 7, value)
    if not size:
        raise ValueError(f"a file of unknown size, {name!r}")
    return name, size


def _deletion_file(file: memoryview) -> str:
    kinds, numbers = ("arrow", "bin"), {1: 0, 2: 0, 3: 0}
    for key, value in entries(file):
        if key in numbers:
            numbers[key] = number(value)
        _refuse_base(key == 7, value)
    if numbers[1] >= len(kinds):
        raise ValueError(f"deletions of kind {numbers[1]}")
    return f"{numbers[2]}-{numbers[3]}.{kinds[numbers[1]]}"


def _add_indices(found: Manifest, section: memoryview) -> None:
    for key, value in entries(section):
        if key == 1:
            _add_index(found, content(value))


def _add_index(found: Manifest, index: memoryview) -> None:
    own, names, kind = "", list[tuple[str, int]](), b""
    for key, value in entries(index):
        if key == 1:
            raw = [bytes(content(part)) for at, part in entries(content(value)) if at == 1]
            own = str(uuid.UUID(bytes=b"".join(raw)))
        elif key == 6:
            kind = bytes(content(value))
        elif key == 10:
            names.append(_index_file(content(value)))
        _refuse_base(key == 9, value)
    if not _INDEX.match(kind):
        raise ValueError(f"an index of kind {kind!r:.60}")
    found.files.update((f"_indices/{own}/{name}", size) for name, size in names)


def _index_file(file: memoryview) -> tuple[str, int]:
    name, size = "", 0
    for key, value in entries(file):
        if key == 1:
            name = _file_name(value)
        elif key == 2:
            size = number(value)
    return name, size


def _file_name(value: Value) -> str:
    name = text(value)
    if not _FILE.fullmatch(name):
        raise ValueError(f"a file under the name {name!r:.80}")
    return name


def _refuse_base(is_base: bool, value: Value) -> None:
    if is_base:
        raise ValueError(f"a file in another place, number {value!s:.20}")
