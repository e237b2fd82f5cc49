"""Tables as files: the end of a file's name says what is written, and a name that says nothing is
refused.

Tables come one after the other, rows below rows, and no more than one is held. What is written
takes its name when it is whole: nothing half-written is ever left under that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

ROW_GROUP = 32_768  # rows of Parquet that are written, and read again, at a time

Tables = Iterable["pl.DataFrame"]


def check_ending(file: Path, endings: Sequence[str], option: str = "--out") -> None:
    """Refuses a name that does not say what to write, before any work is done."""
    from undertow._errors import InvalidInput

    if file.suffix.lower() not in endings:
        raise InvalidInput(
            f"{option} must end in {', '.join(endings[:-1])} or {endings[-1]}, got {file}"
        )


def write_tables(tables: Tables, file: Path) -> int:
    """Writes tables below each other, in the format of the name; says how many rows that were."""
    from polars.exceptions import PolarsError

    from undertow._errors import UndertowError
    from undertow.files.atomic import new_file
    from undertow.files.disk import reason

    write = WRITERS[file.suffix.lower()]
    try:
        with new_file(file) as whole:
            return write(tables, whole)
    except (OSError, PolarsError) as error:  # those of reading are worded by who reads
        raise UndertowError(
            f"{file} must be a place that can be written, got {reason(error)}"
        ) from error


def _columnar(finish: Callable[[pl.LazyFrame, Path], Any]) -> Callable[[Tables, Path], int]:
    """A format that has to be written as a whole: tables go to files of their own first, then into
    one.
    """

    def write(tables: Tables, whole: Path) -> int:
        import polars as pl

        from undertow.files.scratch import Scratch

        parts, rows = [], 0
        with Scratch(whole.parent, prefix=".undertow-") as scratch:
            for number, table in enumerate(tables):
                parts.append(scratch.folder / f"{number}.parquet")
                table.write_parquet(parts[-1], compression="uncompressed")
                rows += table.height
            finish(pl.scan_parquet(parts, glob=False), whole)
        return rows

    return write


def _parquet(table: pl.LazyFrame, whole: Path) -> None:
    table.sink_parquet(whole, row_group_size=ROW_GROUP)


def _arrow(table: pl.LazyFrame, whole: Path) -> None:
    """Arrow's file format, which is Feather's second; texts in the types that every reader
    knows.
    """
    import polars as pl

    table.sink_ipc(whole, compression="uncompressed", compat_level=pl.CompatLevel.oldest())


def _separated(separator: str) -> Callable[[Tables, Path], int]:
    """Rows of text below a header; of what is in a list, texts are joined by commas and numbers get
    columns.
    """

    def write(tables: Tables, whole: Path) -> int:
        rows = 0
        with whole.open("wb") as handle:
            for number, table in enumerate(tables):
                _flat(table).write_csv(handle, include_header=not number, separator=separator)
                rows += table.height
        return rows

    return write


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    columns: list[pl.Expr] = []
    for name, kind in table.schema.items():
        if isinstance(kind, pl.Array):
            columns += [
                pl.col(name).arr.get(place).alias(f"{name}_{place}") for place in range(kind.size)
            ]
        elif kind == pl.List(pl.String):
            columns.append(pl.col(name).list.join(", "))
        else:
            columns.append(pl.col(name))
    return table.select(columns)


def _json_lines(tables: Tables, whole: Path) -> int:
    rows = 0
    with whole.open("wb") as handle:
        for table in tables:
            table.write_ndjson(handle)
            rows += table.height
    return rows


def _numbers(tables: Tables, whole: Path) -> int:
    """All numbers of the tables as one matrix. How many rows it has is known last, and written over
    the beginning.
    """
    rows, kind, beginning = 0, "", 0
    with whole.open("wb") as handle:
        for table in tables:
            matrix = _matrix(table)
            if not rows:
                kind = matrix.dtype.str
                beginning = _begin(handle, kind, (0, matrix.shape[1]))
            handle.write(matrix.tobytes())
            rows += len(matrix)
        handle.seek(0)
        if _begin(handle, kind, (rows, matrix.shape[1])) != beginning:
            raise AssertionError("the number of rows must fit the space that NumPy leaves for it")
    return rows


def _begin(handle: Any, kind: str, shape: tuple[int, int]) -> int:
    """Writes what a .npy file begins with, and says where that ends: NumPy leaves space for a row
    number to grow.
    """
    from numpy.lib import format as npy

    npy.write_array_header_1_0(handle, {"descr": kind, "fortran_order": False, "shape": shape})
    return int(handle.tell())


def _matrix(table: pl.DataFrame) -> NDArray[Any]:
    """The numbers of a table, a row each: float32, or bytes where they are packed bits."""
    import numpy as np
    import polars as pl
    import polars.selectors as cs

    columns = table.select(cs.numeric() | cs.array())
    parts = [columns[name].to_numpy().reshape(table.height, -1) for name in columns.columns]
    packed = columns.dtypes == [pl.Array(pl.UInt8, parts[0].shape[1])]
    return np.ascontiguousarray(np.hstack(parts), dtype=np.uint8 if packed else np.float32)


WRITERS: dict[str, Callable[[Tables, Path], int]] = {
    ".parquet": _columnar(_parquet),
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".jsonl": _json_lines,
    ".arrow": _columnar(_arrow),
    ".feather": _columnar(_arrow),
    ".npy": _numbers,
}
TABLES = tuple(name for name in WRITERS if name != ".npy")
"""Endings of files that hold a table."""
NUMBERS = tuple(WRITERS)
"""Endings of files that hold a table, or its numbers alone."""
PAGES = (".html", ".htm")
"""Endings of pages for a browser."""
