"""What Parquet files promise is looked at before polars reads them: what it is not asked for cannot
end the process.
"""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from tests.hostile.mutations import odd_bytes
from undertow import InvalidInput, open_corpus
from undertow.corpus import _parquet
from undertow.corpus._parquet import MAGIC, MOST_VALUES, check_parquet

ROWS = pl.DataFrame({"id": ["a", "b", "c"], "text": ["the moon", "ripe pears", None]})
MIXED = pl.DataFrame(
    {
        "text": [f"the moon {n} {'orbit ' * (n % 7)}" for n in range(5000)],
        "tags": [["a", "b"], None] * 2500,
        "sure": [True, None, False, True, True] * 1000,
        "share": [n / 3 for n in range(5000)],
        "where": [{"x": 1, "y": "z"}] * 5000,
    }
)


def written(rows: pl.DataFrame, **options: Any) -> bytes:
    file = io.BytesIO()
    rows.write_parquet(file, **options)
    return file.getvalue()


def number(value: int) -> bytes:
    """With its sign, seven bits a byte."""
    left, found = (value << 1 ^ value >> 63) & (2**64 - 1), b""
    while left > 127:
        found, left = found + bytes([left & 127 | 128]), left >> 7
    return found + bytes([left])


def structure(**fields: int | bytes | list[bytes]) -> bytes:
    """Fields by their numbers, as in f3=...: numbers, structures, lists of structures."""
    found, before = b"", 0
    for name, value in fields.items():
        field = int(name[1:])
        kind = 6 if isinstance(value, int) else 12 if isinstance(value, bytes) else 9
        found += bytes([(field - before) << 4 | kind])
        if isinstance(value, list):
            value = bytes([len(value) << 4 | 12]) + b"".join(value)
        found, before = found + (number(value) if isinstance(value, int) else value), field
    return found + b"\0"


def whole(chunks: list[bytes], pages: bytes = b"") -> bytes:
    """A file with these columns."""
    footer = structure(f4=[structure(f1=[structure(f3=chunk) for chunk in chunks])])
    return MAGIC + pages + footer + len(footer).to_bytes(4, "little") + MAGIC


def chunk(size: int, values: int = 3, begin: int = 4) -> bytes:
    return structure(f5=values, f7=size, f9=begin)


def page(values: int = 3, size: int = 2, nulls: int = 0) -> bytes:
    return structure(f1=0, f2=5, f3=size, f5=structure(f1=values, f2=nulls)) + bytes(max(size, 0))


def said(tmp_path: Path, content: bytes) -> str:
    (tmp_path / "made.parquet").write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        check_parquet([tmp_path / "made.parquet"])
    return str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "uncompressed", "data_page_size": 100},
        {"compression": "snappy", "row_group_size": 700, "statistics": False},
        {"compression": "gzip", "data_page_size": 3000},
    ],
)
def test_files_of_writers_are_read(tmp_path: Path, options: dict[str, Any]) -> None:
    file = tmp_path / "made.parquet"
    for rows in (ROWS, MIXED, MIXED.clear()):
        file.write_bytes(written(rows, **options))
        check_parquet([file])
        assert open_corpus(file).count_rows() == rows.height


def test_files_of_another_writer_are_read(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "made.parquet"
    table = MIXED.to_arrow()
    for options in (
        {"data_page_version": "2.0", "compression": "zstd"},
        {"version": "1.0", "write_page_checksum": True, "write_page_index": True},
        {"use_dictionary": False, "data_page_size": 500, "store_schema": False},
    ):
        parquet.write_table(table, file, **options)
        check_parquet([file])


def test_a_page_that_says_less_than_nothing_is_told(tmp_path: Path) -> None:
    """polars takes -7 values for 2^64 - 7, and the process would end."""
    stored = written(ROWS, compression="uncompressed")
    spoilt = stored.replace(b"\x2c\x15\x06", b"\x2c\x15\x0d")
    assert spoilt != stored
    (tmp_path / "made.parquet").write_bytes(spoilt)
    with pytest.raises(InvalidInput, match=r"must be a Parquet file, got a page with a number bel"):
        open_corpus(tmp_path / "made.parquet")


def test_what_no_file_holds_is_told(tmp_path: Path) -> None:
    assert "a page of 67,108,865 values" in said(
        tmp_path, whole([chunk(20, 10**12)], page(MOST_VALUES + 1))
    )
    for wrong in (page(-1), page(nulls=-1), page(size=-1)):
        assert "a number below 0" in said(tmp_path, whole([chunk(20)], wrong))
    sound = page()
    many = [chunk(len(sound))] * 14  # which all lie in the same place, as in a bomb
    assert "of more bytes than are there" in said(tmp_path, whole(many, sound))
    assert "longer than its column" in said(tmp_path, whole([chunk(len(sound) - 1)], sound))
    behind = structure(f5=3, f7=len(sound), f9=4, f11=40)
    assert "a dictionary that comes after" in said(tmp_path, whole([behind], sound))
    for wrong in (chunk(10**15), chunk(5, begin=-1), chunk(-5)):
        assert "of more bytes than are there" in said(tmp_path, whole([wrong], sound))


def test_a_sound_one_made_by_hand_passes(tmp_path: Path) -> None:
    (tmp_path / "made.parquet").write_bytes(whole([chunk(len(page()))], page()))
    check_parquet([tmp_path / "made.parquet"])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 3, b"PAR1\xff\xff\xff\x7fPAR1"])
def test_a_file_without_its_end_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "made.parquet").write_bytes(content)
    with pytest.raises(InvalidInput, match="must be a Parquet file, got: parquet"):
        open_corpus(tmp_path / "made.parquet")


def test_of_very_many_pages_the_first_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_parquet, "MOST_PAGES", 3)
    pages = page() * 3 + page(-1)
    (tmp_path / "made.parquet").write_bytes(whole([chunk(len(pages), 100)], pages))
    check_parquet([tmp_path / "made.parquet"])
    monkeypatch.setattr(_parquet, "MOST_PAGES", 4)
    assert "a number below 0" in said(tmp_path, whole([chunk(len(pages), 100)], pages))


def test_any_bytes_are_told_apart(tmp_path: Path) -> None:
    stored = written(ROWS, compression="uncompressed")
    file = tmp_path / "made.parquet"
    for seed in range(300):
        file.write_bytes(odd_bytes(stored, Random(seed)))
        with suppress(InvalidInput):
            check_parquet([file])
