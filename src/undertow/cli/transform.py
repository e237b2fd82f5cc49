"""`undertow transform`: document vectors, or shares of topics, as a Parquet file."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from undertow.cli import common

if TYPE_CHECKING:
    import polars as pl

    from undertow.estimators import TopicModel

    Encode = Callable[[pl.Series], list[pl.Series]]

ROW_GROUP = 32_768  # vectors that are written, and read again, at a time


def transform(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    out: Annotated[Path, typer.Option(help="The Parquet file to write.")],
    kind: Annotated[
        str,
        typer.Option(
            help="'topics' (how much of each document is about each topic), or vectors of units: 'posterior', 'soft', "
            "'activation', 'strength' or 'code' (packed bits)."
        ),
    ] = "posterior",
    n: Annotated[int | None, typer.Option("-n", help="How many topics.  \\[default: the model's own number]")] = None,
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
    """Write a row per document: columns id, label and split where there are any, and vector.

    With --kind topics there is a column for each topic instead, named by its id and name, the widest first, and one
    for what belongs to none of them; each row adds up to 1.

    Examples:

        undertow transform model reviews.parquet --kind topics -n 20 --out topics.parquet

        undertow transform model reviews.parquet --out vectors.parquet

        undertow transform model 20newsgroups --kind code --out codes.parquet
    """
    common.check_free(out, force)
    trained = common.load_topic_model(model)
    encode = _topics(trained, n) if kind == "topics" else _vectors(trained, kind, n)
    columns = {"id_column": id_column, "text_column": text_column, "label_column": label_column}
    documents = common.open_any(corpus, **columns, split_column=split_column, quiet=quiet)
    began = time.perf_counter()
    with common.status("encoding", silent=quiet or json):
        written = _write((_encoded(chunk, encode) for chunk in documents.chunks()), out)
    rate = written / (time.perf_counter() - began)
    if json:
        common.print_json({"out": str(out), "documents": written, "documents_per_second": rate})
    elif not quiet:
        what = (
            f"{written:,} documents x {len(trained.topic_names(n))} topics"
            if kind == "topics"
            else f"{written:,} vectors"
        )
        typer.echo(f"Wrote {out}: {what} ({rate:,.0f} documents a second).")


def _encoded(chunk: pl.DataFrame, encode: Encode) -> pl.DataFrame:
    kept = [name for name in ("id", "label", "split") if name in chunk.columns]
    return chunk.select(kept).hstack(encode(chunk["text"]))


def _vectors(model: TopicModel, kind: str, n: int | None) -> Encode:
    """One column of vectors."""
    import polars as pl

    from undertow._errors import InvalidInput

    if n is not None:
        raise InvalidInput(f"-n must be used with --kind topics, got --kind {kind}")
    return lambda texts: [pl.Series("vector", model.encode(texts, kind))]


def _topics(model: TopicModel, n: int | None) -> Encode:
    """A column for each topic, and one for the rest."""
    import polars as pl

    common.check_cut(model, n)
    names = [f"{topic} {name}" for topic, name in model.topic_names(n).items()]

    def encode(texts: pl.Series) -> list[pl.Series]:
        shares = model.transform_topics(texts, n)
        rest = (1.0 - shares.sum(axis=1)).clip(0.0)
        return [*(pl.Series(name, shares[:, place]) for place, name in enumerate(names)), pl.Series("none", rest)]

    return encode


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
