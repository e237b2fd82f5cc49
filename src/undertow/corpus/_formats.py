"""The formats of a corpus as sources of batches: tables that polars scans, JSON lines, folders of
text files.

Rows are numbered from 0, as in polars; lines of a file, in messages, from 1, as in editors.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import polars as pl
from polars.exceptions import PanicException, PolarsError

from undertow._errors import InvalidInput

UNREADABLE = (PolarsError, OSError, PanicException)  # the last one of files that were cut off
KEYS_FROM = 1000  # JSON lines that are looked at to find out which keys there are
NESTED = (list, dict)
RECODE = "such as by iconv -f latin1 -t utf-8, or save it as UTF-8 where it comes from"
UNSHOWN = (pl.Binary, pl.Object)  # types of tables that nobody can read
FULL = pl.col("line").str.strip_chars() != ""  # of lines: those that hold something
# What polars writes for a number or truth value where a string was asked for.
NOT_QUOTED = r"^(?:-?[0-9][0-9.eE+-]*|true|false)$"


@dataclass(frozen=True)
class TableSource:
    """A table that polars reads lazily; `kind` is what the file has to be."""

    name: str
    kind: str
    frame: pl.LazyFrame
    empty_is_null: bool = (
        False  # an empty cell says that there is none, but for the text; so it is in CSV
    )

    @property
    def goes_anywhere(self) -> bool:
        """Whether rows in the middle are read without those before them."""
        return not self.empty_is_null

    @property
    def typed(self) -> bool:
        return not self.empty_is_null

    @property
    def columns(self) -> list[str]:
        try:
            return self.frame.collect_schema().names()
        except UNREADABLE as error:
            refuse(self.name, self.kind, error)

    @property
    def single(self) -> list[str]:
        types = self.frame.collect_schema()
        return [
            name for name in self.columns if not (types[name].is_nested() or types[name] in UNSHOWN)
        ]

    def batches(
        self, columns: Sequence[str], rows: int, *, text: str, loose: Sequence[str] = ()
    ) -> Iterator[pl.DataFrame]:
        empty = [column for column in columns if self.empty_is_null and column != text]
        try:
            frame = self.frame.select(columns).with_columns(pl.col(empty).replace("", None))
            yield from frame.collect_batches(chunk_size=rows, lazy=True)
        except UNREADABLE as error:
            refuse(self.name, self.kind, error)

    def count_rows(self) -> int:
        try:
            return int(self.frame.select(pl.len()).collect(engine="streaming").item())
        except UNREADABLE as error:
            refuse(self.name, self.kind, error)

    def part(self, first: int, last: int) -> TableSource:
        return replace(self, frame=self.frame.slice(first, last - first))


@dataclass(frozen=True)
class JsonLinesSource:
    """A JSON object a line; blank lines are passed over. Keys are those of the first 1,000
    objects.
    """

    name: str
    lines: TableSource
    typed: bool = False
    rows: tuple[int, int] | None = None  # those that are read, None for all

    @property
    def columns(self) -> list[str]:
        return list(self._keys)

    @property
    def single(self) -> list[str]:
        return [key for key, nested in self._keys.items() if not nested]

    @cached_property
    def _keys(self) -> dict[str, bool]:
        """The keys of the first objects, and whether a list or an object is among the values of
        each.
        """
        keys: dict[str, bool] = {}
        first = TableSource(self.name, self.lines.kind, self.lines.frame.head(KEYS_FROM))
        for batch in first.batches(["line"], KEYS_FROM, text="line"):
            for row, line in enumerate(batch["line"]):
                if line.strip():
                    found = _json_object(line, row, self.name)
                    keys |= {
                        key: keys.get(key, False) or isinstance(found[key], NESTED) for key in found
                    }
        return keys

    def batches(
        self, columns: Sequence[str], rows: int, *, text: str, loose: Sequence[str] = ()
    ) -> Iterator[pl.DataFrame]:
        wanted = pl.Struct(dict.fromkeys(columns, pl.String))
        for lines in self._lines(rows):
            try:
                table = lines["line"].str.json_decode(wanted).struct.unnest()
            except PolarsError:
                table = self._nested(lines, columns, loose)
            # A bare number has become a string on the way; the few lines that look like it are read
            # again.
            self._check_strings(
                lines.filter(table[text].str.contains(NOT_QUOTED).fill_null(False)), text
            )
            yield table

    def _lines(self, rows: int) -> Iterator[pl.DataFrame]:
        """The lines that are read, with their numbers, blank ones left out."""
        passed, done = 0, 0
        begin, end = (0, None) if self.rows is None else self.rows
        for batch in self.lines.batches(["line"], rows, text="line"):
            lines = batch.with_row_index("row", offset=passed).filter(FULL)
            passed += batch.height
            last = lines.height if end is None else max(min(end - done, lines.height), 0)
            yield lines[min(max(begin - done, 0), last) : last]
            done += lines.height
            if end is not None and done >= end:
                return

    def count_rows(self) -> int:
        try:
            full = self.lines.frame.filter(FULL).select(pl.len())
            return int(full.collect(engine="streaming").item())
        except UNREADABLE as error:
            refuse(self.name, self.lines.kind, error)

    def part(self, first: int, last: int) -> JsonLinesSource:
        return replace(self, rows=(first, last))

    def _nested(
        self, lines: pl.DataFrame, columns: Sequence[str], loose: Sequence[str]
    ) -> pl.DataFrame:
        """The lines, with lists and objects of the loose columns as JSON; elsewhere they are
        refused.
        """
        rows = []
        for row, line in lines.iter_rows():
            value = _json_object(line, row, self.name)
            for column in columns:
                if isinstance(value.get(column), NESTED) and column not in loose:
                    raise InvalidInput(
                        f"columns must hold single values, got {value[column]!r:.40} under "
                        f"{column!r} "
                        f"in line {row + 1} of {self.name}"
                    )
            rows.append([_written(value.get(column)) for column in columns])
            if not _is_unicode("".join(filter(None, rows[-1]))):
                raise InvalidInput(
                    f"{self.name} must hold valid Unicode, got half of a surrogate pair in line "
                    f"{row + 1}"
                )
        return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")

    def _check_strings(self, lines: pl.DataFrame, text: str) -> None:
        for row, line in lines.iter_rows():
            value = _json_object(line, row, self.name)[text]
            if not isinstance(value, str):
                raise InvalidInput(
                    f"texts must be strings, got {value!r} in line {row + 1} of {self.name}"
                )


@dataclass(frozen=True)
class FolderSource:
    """A folder of text files, a document each, in the order of their paths, which are their ids."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    columns: list[str] = field(default_factory=lambda: ["id", "text"])
    typed: bool = True

    @property
    def single(self) -> list[str]:
        return self.columns

    def batches(
        self, columns: Sequence[str], rows: int, *, text: str, loose: Sequence[str] = ()
    ) -> Iterator[pl.DataFrame]:
        for first in range(0, len(self.files), rows):
            files = self.files[first : first + rows]
            table = {
                "id": [file.relative_to(self.folder).as_posix() for file in files],
                "text": [_decoded(file) for file in files],
            }
            yield pl.DataFrame(table, schema={"id": pl.String, "text": pl.String}).select(columns)

    def count_rows(self) -> int:
        return len(self.files)

    def part(self, first: int, last: int) -> FolderSource:
        return replace(self, files=self.files[first:last])


def _decoded(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise InvalidInput(
            f"{file} must be UTF-8 text, got {found}: convert it, {RECODE}"
        ) from None
    except OSError as error:
        raise InvalidInput(f"{file} must be readable, got: {error.strerror}") from None


def _written(value: Any) -> str | None:
    """A value of JSON as polars writes it into a column of strings."""
    return (
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )


def _is_unicode(text: str) -> bool:
    """Whether no half of a surrogate pair is in it, which JSON can say and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json_object(line: str, row: int, name: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, or nested too deeply to be read
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(
            f"{name} must hold a JSON object a line, got {line!r:.60} in line {row + 1}"
        )
    return value


def refuse(name: str, kind: str, error: BaseException) -> NoReturn:
    """Says in one line why a file cannot be read."""
    reason = str(error).strip().partition("\n")[0]
    if "utf8" in reason.lower().replace("-", ""):
        raise InvalidInput(
            f"{name} must be UTF-8 text, got other bytes{_where(name)}: convert it, {RECODE}"
        ) from None
    if "more fields than defined" in reason:
        reason += ": a row has more cells than the first line (a text with commas needs quotes)"
    raise InvalidInput(f"{name} must be {kind}, got: {reason}") from None


def _where(name: str) -> str:
    """The line of the first byte that is not UTF-8, where the file is at hand."""
    path = Path(name)
    if not path.is_file() or path.suffix == ".zst":
        return ""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f" (0x{line[error.start]:02x} in line {number:,})"
    return ""
