"""`undertow transform`: document vectors as a Parquet file."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import common

if TYPE_CHECKING:
    import polars as pl


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
    import polars as pl

    common.check_free(out, force)
    trained = common.load_topic_model(model)
    columns = {"id_column": id_column, "text_column": text_column, "label_column": label_column}
    documents = common.open_any(corpus, **columns, split_column=split_column, quiet=quiet)
    began = time.perf_counter()
    with common.status("encoding", silent=quiet or json):
        vectors = pl.concat([_encoded(trained, chunk, kind) for chunk in documents.chunks()])
        _write(vectors, out)
    rate = len(vectors) / (time.perf_counter() - began)
    if json:
        common.print_json({"out": str(out), "documents": len(vectors), "documents_per_second": rate})
    elif not quiet:
        typer.echo(f"Wrote {out}: {len(vectors):,} vectors ({rate:,.0f} documents a second).")


def _encoded(model: Any, chunk: pl.DataFrame, kind: str) -> pl.DataFrame:
    import polars as pl

    vectors = model.encode(chunk["text"], kind)
    kept = [name for name in ("id", "label", "split") if name in chunk.columns]
    return chunk.select(kept).with_columns(pl.Series("vector", vectors))


def _write(vectors: pl.DataFrame, out: Path) -> None:
    """To a temporary file beside the target first, so that nothing half-written is ever left under its name."""
    descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=".part")
    os.close(descriptor)
    try:
        vectors.write_parquet(name)
        os.replace(name, out)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
