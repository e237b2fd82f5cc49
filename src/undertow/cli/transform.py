"""`undertow transform`: document vectors as a Parquet file."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common

if TYPE_CHECKING:
    import polars as pl

ROW_GROUP = 32_768  # vectors that are written, and read again, at a time


def transform(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    out: Annotated[Path, typer.Option(help="The Parquet file to write.")],
    kind: Annotated[
        str, typer.Option(help="'posterior', 'soft', 'activation', 'strength' or 'code' (packed bits).")
    ] = "posterior",
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Write a vector per document: columns id, label and split where there are any, and vector.

    Examples:

        undertow transform model reviews.parquet --out vectors.parquet

        undertow transform model 20newsgroups --kind code --out codes.parquet
    """
    common.check_free(out, force)
    trained = common.load_topic_model(model)
    columns = {"id_column": id_column, "text_column": text_column, "label_column": label_column}
    documents = common.open_any(corpus, **columns, split_column=split_column, quiet=quiet)
    began = time.perf_counter()
    with common.status("encoding", silent=quiet or json):
        written = _write((_encoded(trained, chunk, kind) for chunk in documents.chunks()), out)
    rate = written / (time.perf_counter() - began)
    if json:
        common.print_json({"out": str(out), "documents": written, "documents_per_second": rate})
    elif not quiet:
        typer.echo(f"Wrote {out}: {written:,} vectors ({rate:,.0f} documents a second).")


def _encoded(model: Any, chunk: pl.DataFrame, kind: str) -> pl.DataFrame:
    import polars as pl

    vectors = model.encode(chunk["text"], kind)
    kept = [name for name in ("id", "label", "split") if name in chunk.columns]
    return chunk.select(kept).with_columns(pl.Series("vector", vectors))


def _write(tables: Iterator[pl.DataFrame], out: Path) -> int:
    """Writes tables below each other and says how many rows that were. No more than one is held at a time.

    They go to a temporary folder beside the target first, a file each, then into one file, which takes the target's
    name when it is whole: nothing half-written is ever left under that name.
    """
    import polars as pl

    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.", suffix=".part") as name:
        files, rows = [], 0
        for number, table in enumerate(tables):
            files.append(Path(name) / f"{number}.parquet")
            table.write_parquet(files[-1], compression="uncompressed")
            rows += table.height
        pl.scan_parquet(files).sink_parquet(Path(name) / "whole", row_group_size=ROW_GROUP)
        os.replace(Path(name) / "whole", out)
    return rows
