"""`undertow index`, `undertow add` and `undertow delete`: making a search index and changing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from undertow.cli import _clusters, common
from undertow.cli._shown import new_console, say

ChangedArgument = Annotated[
    str, typer.Argument(metavar="INDEX", help="A folder that `undertow index` wrote.")
]
DayFirst = Annotated[
    bool | None,
    typer.Option(
        "--day-first/--month-first",
        rich_help_panel=common.COLUMNS,
        help="How to read dates such as 12/05/1997.  \\[default: as the whole column says]",
    ),
]
Optimize = Annotated[
    bool,
    typer.Option(
        "--optimize",
        help="Bring the index up to date afterwards: quicker searches, may take a minute.",
    ),
]


Forget = Annotated[
    bool,
    typer.Option(
        "--optimize",
        help=(
            "Bring the index up to date afterwards, and leave nothing on disk of documents that "
            "were deleted; may take a minute."
        ),
    ),
]


def index(
    model: common.ModelArgument,
    corpus: common.CorpusArgument,
    out: Annotated[Path, typer.Option(help="The folder to write the index to.")],
    vectors: common.Vectors = None,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    time_column: common.TimeColumn = None,
    url_column: common.UrlColumn = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN[:KIND]",
            rich_help_panel=common.COLUMNS,
            help=(
                "Keep this further column and no others but those named so; may be given many "
                "times. Kinds: flag, whole, number, day, moment, text; found out unless given.  "
                "\\[default: keep all]"
            ),
        ),
    ] = None,
    keep_none: Annotated[
        bool,
        typer.Option("--keep-none", rich_help_panel=common.COLUMNS, help="Keep no further column."),
    ] = False,
    day_first: DayFirst = None,
    device: common.Device = "cpu",
    cluster: _clusters.Address = None,
    workers: _clusters.Workers = None,
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Make a search index of a corpus: documents, vectors, codes and a copy of the model in one
    folder.

    All columns of the corpus are kept, to be shown and to be filtered by under their own names; a
    title becomes the first line of its text.

    After Ctrl-C, the same command goes on where it stopped. With --force, an index that is there
    stays whole until the new one is finished. Needs the extra: pip install 'undertow\\[search]'.

    Examples:

        undertow index model 20newsgroups --out news

        undertow index model reviews.csv --out reviews

        undertow index model reviews.csv --out reviews --keep author --keep rating:whole
        --time-column posted

        undertow index model reviews.csv --vectors reviews.npy --out reviews

        undertow index model /shared/reviews --cluster auto --workers 8 --out reviews

        undertow search news "a rocket to the moon"
    """
    machines = _clusters.chosen(cluster, workers)
    from undertow.search import Index

    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column, "time": time_column, "url": url_column}
    common.check_device(device)
    trained = common.load_topic_model(model).set_params(device=device)
    documents = common.open_any(corpus, columns, remembered=trained.columns_, quiet=quiet or json)
    given = common.vectors_in(vectors)
    began = time.perf_counter()
    try:
        with _bar("indexing", silent=quiet or json) as progress:
            options: dict[str, Any] = {
                "keep": _kept(keep, keep_none),
                "day_first": day_first,
                "overwrite": force,
                "cluster": machines,
            }
            made = Index.create(
                out, trained, documents, **options, progress=progress, vectors=given
            )
    except KeyboardInterrupt:
        if not quiet:
            say("Stopped. What was indexed is kept: the same command goes on from there.", err=True)
        raise
    facts = made.info()
    if json:
        common.print_json(
            {**facts, "seconds": time.perf_counter() - began, "remarks": list(made.remarks)}
        )
    elif not quiet:
        _tell(made.remarks)
        size = f"{facts['bytes'] / 1e6:,.1f} MB"
        if facts["near_copies"]:
            copies = f"{facts['near_copies']:,} documents are nearly the same as others"
            say(f"{copies}: a search shows them as one.")
        say(
            f"Wrote {out}: {len(made):,} documents, {size}.\n"
            f'Next: undertow search {out} "words or a paragraph"'
        )


def add(
    index: ChangedArgument,
    corpus: common.CorpusArgument,
    vectors: common.Vectors = None,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    time_column: common.TimeColumn = None,
    url_column: common.UrlColumn = None,
    day_first: DayFirst = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Let documents take the place of those that have their ids."
        ),
    ] = False,
    optimize: Optimize = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Add documents to a search index: all of them or, after an error or Ctrl-C, none.

    Nothing that is there is lost: a corpus without ids is given new ones, numbers above the highest
    that is there, and an id that is there already is an error. With --replace, a document takes the
    place of the one with its id; after Ctrl-C some have, and the same command does the rest. What
    the index keeps and the corpus has not is left empty.

    Examples:

        undertow add news more.parquet --id-column message_id

        undertow add news corrected.parquet --id-column message_id --replace

        undertow add reviews more.csv --vectors more.npy
    """
    from undertow.search import Index

    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column, "time": time_column, "url": url_column}
    opened = Index.open(index)
    documents = common.open_any(
        corpus, columns, remembered=opened.corpus_columns, quiet=quiet or json
    )
    before, given = opened.version, common.vectors_in(vectors)
    try:
        with _bar("adding", silent=quiet or json) as progress:
            options: dict[str, Any] = {"replace": replace, "day_first": day_first, "vectors": given}
            added = opened.add(documents, **options, progress=progress)
    except KeyboardInterrupt:
        if not quiet:
            say(_what_stopped(changed=opened.version != before, replace=replace), err=True)
        raise
    if optimize:
        with common.status("bringing the index up to date", silent=quiet or json):
            opened.optimize(forget=replace)
    if json:
        facts = {"added": added.added, "replaced": added.replaced, "made_ids": added.made}
        state = {
            "documents": len(opened),
            "version": opened.version,
            "remarks": list(added.remarks),
        }
        common.print_json({"index": str(index), **facts, **state})
    elif not quiet:
        _tell(added.remarks)
        made = (
            ""
            if added.made is None
            else f" Their ids are new: {' to '.join(dict.fromkeys(added.made))}."
        )
        say(f"Added {added.added:,} and replaced {added.replaced:,} documents of {index}.{made}")


def _what_stopped(*, changed: bool, replace: bool) -> str:
    """What Ctrl-C left of an addition."""
    if not changed:
        return "Stopped. The index is as it was."
    if replace:
        return "Stopped. Some documents may have been replaced: the same command does the rest."
    return "Stopped, when the documents had been added already: do not add them again."


def delete(
    index: ChangedArgument,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="Ids of documents; after -- where one begins with -."),
    ] = None,
    more: Annotated[
        list[str] | None, typer.Option("--id", help="An id too; may be given many times.")
    ] = None,
    optimize: Forget = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Delete documents of a search index by their ids.

    They are not found any more; with --optimize, they are on no file of the index either.

    Examples:

        undertow delete news train/sci.space/60774 train/sci.space/60905

        undertow delete news --id train/sci.space/60774
    """
    from undertow._errors import InvalidInput
    from undertow.search import Index

    wanted = [*(ids or ()), *(more or ())]
    if not wanted:
        raise InvalidInput("ID must be given: the ids of documents to delete, got none")
    opened = Index.open(index)
    deleted = opened.delete(wanted)
    if optimize:  # also for what an earlier command deleted
        with common.status("bringing the index up to date", silent=quiet or json):
            opened.optimize(forget=True)
    if json:
        facts = {"deleted": deleted.documents, "missing": list(deleted.missing)}
        common.print_json(
            {"index": str(index), **facts, "documents": len(opened), "version": opened.version}
        )
        return
    if not quiet:
        say(f"Deleted {deleted.documents:,} documents of {index}.")
        for name in deleted.missing:
            say(f"No document has the id {name!r}.", err=True)


def _kept(keep: list[str] | None, none: bool) -> list[str] | None:
    """The columns to keep; None for all."""
    from undertow._errors import InvalidInput

    if keep and none:
        raise InvalidInput(f"--keep-none must not be used with --keep, got --keep {keep[0]}")
    return [] if none else keep or None


def _tell(remarks: tuple[str, ...]) -> None:
    for line in remarks:
        say(f"Note: {line}", err=True)


@contextmanager
def _bar(work: str, *, silent: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error that is told how many documents are done, of how many."""
    if silent:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=new_console(stderr=True)) as bar:
        task = bar.add_task(work, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
