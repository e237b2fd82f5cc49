"""`undertow report`: a model, and a corpus seen through it, on one page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from undertow.cli import _tables, common
from undertow.cli._shown import new_console, say

Shown = Callable[[str, int, int], None]


def report(
    model: common.ModelArgument,
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help=(
                "For a map, typical documents, topics over time and an evaluation: a file, a "
                f"folder or one of {', '.join(common.NAMED)}."
            ),
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    n: Annotated[
        int | None,
        typer.Option("-n", min=2, help="How many topics; the model's own number unless given."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="The page's title; the model's name unless given.")
    ] = None,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate/--no-evaluate",
            help="Judge the model, which takes longest where there are labels.",
        ),
    ] = True,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    time_column: common.TimeColumn = None,
    force: common.Force = False,
    quiet: common.Quiet = False,
    seed: common.Seed = 0,
    debug: common.Debug = False,
) -> None:
    """Write one HTML file about a model: its topics as a list and a tree; with a corpus, a map,
    quotations and times.

    The file opens by a double click, without a network, and can be sent to others: it holds the
    beginnings of up to 20,000 documents of the corpus. Needs the extra: pip install
    'undertow\\[explorer]'.

    Examples:

        undertow report model

        undertow report model 20newsgroups -n 20 --out news.html

        undertow report model posts.csv --time-column sent --title "Posts" --force
    """
    from undertow.report import check_extra, write_report

    check_extra()
    _tables.check_ending(out, _tables.PAGES)
    common.check_free(out, force)
    trained = common.load_topic_model(model)
    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column, "time": time_column}
    documents = None
    if corpus is not None:
        documents = common.open_any(corpus, columns, remembered=trained.columns_, quiet=quiet)
    began = time.perf_counter()
    with bar(silent=quiet) as shown:
        write_report(
            trained,
            out,
            documents,
            n=n,
            title=title or Path(model).resolve().name,
            corpus_name=None if corpus is None else Path(corpus).name or corpus,
            evaluate=evaluate,
            overwrite=force,
            seed=seed,
            progress=shown,
        )
    if not quiet:
        size, seconds = out.stat().st_size / 1e6, time.perf_counter() - began
        say(
            f"Wrote {out}: {size:.1f} MB in {seconds:.0f} s. Open it in a browser: "
            f"{out.resolve().as_uri()}"
        )


@contextmanager
def bar(*, silent: bool) -> Iterator[Shown | None]:
    """A bar on standard error that is told what is being done, how much of it is done, and of how
    much.
    """
    if silent:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=new_console(stderr=True)) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda work, done, total: bar.update(
            task, description=work, completed=done, total=total
        )
