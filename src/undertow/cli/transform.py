"""`undertow transform`: document vectors, or shares of topics, as a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from undertow.cli import _clusters, _tables, common
from undertow.cli._shown import say

if TYPE_CHECKING:
    import polars as pl

    from undertow.cluster import Cluster
    from undertow.corpus import Corpus
    from undertow.estimators.document_tables import DocumentTables
    from undertow.vectors.given import GivenVectors


def transform(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    out: Annotated[Path, typer.Option(help=f"The file to write: {', '.join(_tables.NUMBERS)}.")],
    kind: Annotated[
        str | None,
        typer.Option(
            help=(
                "'topics' (how much of each document is about each topic), or vectors: 'balanced' "
                "(units and words, for classifiers, search and clusters alike); of units alone "
                "'posterior', 'soft', 'activation', 'strength' "
                "or 'code' (packed bits).  \\[default: the model's own, 'balanced']"
            ),
            show_default=False,
        ),
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", help="How many topics.  \\[default: the model's own number]")
    ] = None,
    cluster: _clusters.Address = None,
    workers: _clusters.Workers = None,
    vectors: common.Vectors = None,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    device: common.Device = "cpu",
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Write a row per document: columns id, label and split where there are any, and vector.

    With --kind topics there is a column for each topic instead, named by its id and name, the
    widest first, and one for what belongs to none of them; each row adds up to 1.

    The end of the file's name says what is written. CSV and TSV have a column for each number of a
    vector; .arrow and .feather are Arrow's file format; .npy holds the numbers alone, a row per
    document in the order of the corpus.

    Examples:

        undertow transform model reviews.parquet --kind topics -n 20 --out topics.parquet

        undertow transform model reviews.parquet --out vectors.parquet

        undertow transform model 20newsgroups --kind code --out codes.parquet

        undertow transform model reviews.parquet --kind strength --out vectors.npy

        undertow transform model reviews.parquet --vectors reviews.npy --kind strength --out
        joined.npy

        undertow transform model /shared/reviews --cluster auto --workers 8 --out vectors.parquet
    """
    _tables.check_ending(out, _tables.NUMBERS)
    common.check_free(out, force)
    common.check_device(device)
    machines = _clusters.chosen(cluster, workers)
    trained = common.load_topic_model(model).set_params(device=device)
    from undertow.estimators.document_tables import DocumentTables

    made = DocumentTables(trained, kind, n)
    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column}
    documents = common.open_any(corpus, columns, remembered=trained.columns_, quiet=quiet)
    began = time.perf_counter()
    given, events = common.vectors_in(vectors), list[str]()
    with common.status("encoding", silent=quiet or json):
        if machines is None:
            tables = _encoded(documents, given, made)
        else:
            from undertow.estimators.cluster_tables import Asked, encoded, finish

            tables = encoded(Asked(trained, documents, kind, n, given), machines, out, events)
        with _kept_pieces(machines, quiet=quiet):
            written = _tables.write_tables(tables, out)
        if machines is not None:
            finish(out)
    rate = written / (time.perf_counter() - began)
    if json:
        facts = {"out": str(out), "documents": written, "documents_per_second": rate}
        common.print_json(facts if machines is None else facts | {"events": events})
    elif not quiet:
        topics = (
            f"{written:,} documents x {len(trained.topic_names(n))} topics"
            if kind == "topics"
            else ""
        )
        alone = ", without ids, in the order of the corpus" if out.suffix.lower() == ".npy" else ""
        say(
            f"Wrote {out}: {topics or f'{written:,} vectors'}{alone} ({rate:,.0f} documents a "
            f"second).{_clusters.notes(events)}"
        )


@contextmanager
def _kept_pieces(machines: Cluster | None, *, quiet: bool) -> Iterator[None]:
    """After Ctrl-C: says what there is of the work of a cluster."""
    try:
        yield
    except KeyboardInterrupt:
        if machines is not None and not quiet:
            say(
                "Stopped. Pieces that are finished are kept: the same command goes on from there.",
                err=True,
            )
        raise


def _encoded(
    documents: Corpus, given: GivenVectors | None, made: DocumentTables
) -> Iterator[pl.DataFrame]:
    """The rows of the file, some at a time, each encoded with the vector that was given for it."""
    from undertow.vectors.given import part_of

    first = 0
    for chunk in documents.chunks():
        last = first + chunk.height
        yield made.table(chunk, part_of(given, first, last))
        first = last
    if given is not None:
        given.check_documents(first)
