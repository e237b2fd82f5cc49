"""A stranger's manifest: it leads nowhere, promises no more than its files hold, and breaks
nothing.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow import IndexFileError
from undertow.search import Index
from undertow.search.database import manifest
from undertow.search.database.manifest import MAGIC, NEWEST, newest_of, read
from undertow.search.database.store import Store
from undertow.search.database.wire import entries


def varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def entry(field: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    return varint(field << 3 | 2) + varint(len(value)) + value


def whole(message: bytes, section: bytes = b"") -> bytes:
    """A manifest with this message, and these indices before it."""
    before = len(section).to_bytes(4, "little") + section
    tail = len(before).to_bytes(8, "little") + b"\0\0\2\0" + MAGIC
    return before + len(message).to_bytes(4, "little") + message + tail


def fragment(
    name: bytes = b"abc.lance",
    size: int = 1000,
    rows: int = 9,
    more: bytes = b"",
    in_file: bytes = b"",
) -> bytes:
    file = entry(1, name) + entry(6, size) + in_file
    return entry(2, entry(1, 3) + entry(2, file) + entry(4, rows) + more)


def index_of(kind: bytes, name: bytes = b"page_data.lance", more: bytes = b"") -> bytes:
    details = entry(1, b"/lance.table." + kind)
    files = entry(10, entry(1, name) + entry(2, 10))
    return entry(1, entry(1, entry(1, bytes(16))) + entry(6, details) + files + more)


COLUMN = entry(1, entry(2, b"id") + entry(5, b"string"))
VERSION = entry(3, 7)
LEAD_AWAY = {
    "a base path": COLUMN + entry(18, entry(1, 1) + entry(4, b"s3://bucket/of/somebody")),
    "a feature": COLUMN + entry(9, 16),
    "a file of another base": fragment(in_file=entry(7, 0)),
    "deletions of another base": fragment(more=entry(3, entry(7, 1))),
    "a file above": fragment(name=b"../../../etc/passwd"),
    "a file elsewhere": fragment(name=b"/etc/passwd"),
    "an address": fragment(name=b"s3://bucket/x.lance"),
    "rows that no file holds": fragment(rows=10**12),
    "a file of unknown size": fragment(size=0),
    "numbers of rows in a file": fragment(more=entry(6, entry(1, b"x"))),
    "deletions of another kind": fragment(more=entry(3, entry(1, 7))),
    "a column that holds places": entry(1, entry(2, b"x") + entry(5, b"blob")),
    "a wide column": entry(1, entry(5, b"fixed_size_list:halffloat:999999999")),
    "no text": entry(1, entry(5, b"\xff\xfe")),
    "indices elsewhere": entry(6, 10**18),
    "a number for a column": entry(1, 5),
}


def read_version(stored: bytes) -> manifest.Manifest:
    return read(stored, f"{NEWEST - 7:020}.manifest")


def test_what_ours_are_made_of() -> None:
    deletions = entry(3, entry(1, 1) + entry(2, 4) + entry(3, 5) + entry(4, 1))
    parts = entry(6, 0) + fragment(more=deletions) + entry(9, 1) + VERSION
    found = read_version(whole(COLUMN + parts, index_of(b"BTreeIndexDetails")))
    none = "00000000-0000-0000-0000-000000000000"
    assert found.files == {
        "data/abc.lance": 1000,
        "_deletions/3-4-5.bin": 0,
        f"_indices/{none}/page_data.lance": 10,
    }
    assert (found.version, found.with_deletions) == (7, [3])


@pytest.mark.parametrize("what", LEAD_AWAY)
def test_what_leads_elsewhere_is_refused(what: str) -> None:
    with pytest.raises(IndexFileError, match="must be a manifest of an index' documents, got"):
        read_version(whole(LEAD_AWAY[what] + VERSION))


@pytest.mark.parametrize(
    "section",
    [
        index_of(b"MemWalIndexDetails"),
        index_of(b"BTreeIndexDetails", name=b"../x.lance"),
        index_of(b"BTreeIndexDetails", more=entry(9, 2)),
        entry(1, entry(1, entry(1, b"short"))),
    ],
)
def test_other_indices_are_refused(section: bytes) -> None:
    with pytest.raises(IndexFileError, match="must be a manifest of an index' documents, got"):
        read_version(whole(entry(6, 0) + VERSION, section))


@given(st.binary(max_size=300))
def test_any_bytes_are_told_apart(stored: bytes) -> None:
    for content in (stored, whole(stored), whole(VERSION, stored)):
        with suppress(IndexFileError):
            read_version(content)


@given(st.binary(max_size=200))
def test_a_message_is_walked_to_its_end_or_refused(message: bytes) -> None:
    try:
        found = list(entries(memoryview(message)))
    except ValueError:
        return
    assert sum(len(value) for _, value in found if not isinstance(value, int)) <= len(message)


def test_names(tmp_path: Path) -> None:
    with pytest.raises(IndexFileError, match="got no folder _versions"):
        newest_of(tmp_path)
    (tmp_path / "_versions").mkdir()
    with pytest.raises(IndexFileError, match="must hold a version of the documents, got none"):
        newest_of(tmp_path)
    (tmp_path / "_versions" / "7.manifest").touch()
    with pytest.raises(IndexFileError, match=r"under names of 20 digits, got '7\.manifest'"):
        newest_of(tmp_path)


# With the database


def cloned(index: Index) -> Path:
    """The documents of an index, in a folder that only leads to them, as the database writes it."""
    import lancedb

    away = index.path.parent / "away"
    shutil.move(index.path / "documents", away)

    async def clone() -> None:
        database = await lancedb.connect_async(index.path / "documents")
        await database.clone_table("documents", str(away / "documents.lance"))

    asyncio.run(clone())
    return index.path


@pytest.fixture
def unopened(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is not asked at all."""
    import lancedb

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the database was asked")

    monkeypatch.setattr(lancedb, "connect_async", refused)


def test_an_index_that_leads_to_another_folder_is_refused(
    index: Index, request: pytest.FixtureRequest
) -> None:
    folder = cloned(index)
    (folder / "files.json").unlink()
    facts = (folder / "index.json").read_text().replace('"listed": true', '"listed": false')
    lines = [line for line in facts.splitlines() if "checksum" not in line]
    (folder / "index.json").write_text("\n".join(lines).replace("false,\n}", "false\n}"))
    request.getfixturevalue("unopened")
    with pytest.raises(IndexFileError, match="got a file in another place"):
        Index.open(folder)


def test_one_that_comes_to_lead_elsewhere_is_not_followed(index: Index) -> None:
    """It is looked into again before every look at the newest version."""
    table = index.path / "documents" / "documents.lance"
    newest = table / newest_of(table).name
    number = NEWEST - int(newest.stem) + 1
    content = whole(COLUMN + entry(3, number) + entry(18, entry(4, b"s3://bucket/x")))
    (newest.parent / f"{NEWEST - number:020}.manifest").write_bytes(content)
    changes: list[Callable[[], object]] = [index.refresh, lambda: index.delete("d1")]
    for change in changes:
        with pytest.raises(IndexFileError, match="files in another place, 's3://bucket/x'"):
            change()
    assert len(index.search("apple")) == 10  # what was opened stays open


def test_a_panic_of_the_database_is_told_in_words(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicException(BaseException):
        """As pyo3 makes it."""

    def panic(*_: object) -> None:
        raise PanicException("range end index 9 out of range\nfor slice of length 3")

    monkeypatch.setattr(Store, "whole", panic)
    with pytest.raises(IndexFileError, match="that can be read and written, got range end index 9"):
        index.search("apple")


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_a_manifest_with_other_bytes_is_read_or_refused(data: st.DataObject) -> None:
    stored = bytearray(whole(COLUMN + fragment() + entry(6, 0) + VERSION, index_of(b"x")))
    for _ in range(data.draw(st.integers(1, 4))):
        stored[data.draw(st.integers(0, len(stored) - 1))] = data.draw(st.integers(0, 255))
    with suppress(IndexFileError):
        read_version(bytes(stored))
