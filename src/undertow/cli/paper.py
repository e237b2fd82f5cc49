"""`undertow paper`: the paper's tables and figures, from raw text."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from undertow.cli import common
from undertow.cli._shown import say


class What(StrEnum):
    """What can be reproduced."""

    CLAIMS = "claims"
    TABLE1 = "table1"
    TABLE2 = "table2"
    FIG1 = "fig1"
    FIG2 = "fig2"
    FIG3 = "fig3"
    ALPHA = "alpha"
    BEAT = "beat"
    FAMILY = "family"
    ALL = "all"


class Times(StrEnum):
    """Which times are taken."""

    MISSING = "missing"
    ANEW = "anew"
    NONE = "none"


OUT = Path("paper")


def paper(
    what: Annotated[
        What,
        typer.Argument(
            metavar="WHAT",
            help="A table or figure; 'alpha', 'beat' and 'family' go beyond the paper.",
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Slices of the data and few epochs: minutes, not hours.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Runs of each model: 3 unless given, 1 with --quick.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for results, figures, the page and all that is kept.")
    ] = OUT,
    page: Annotated[
        Path | None,
        typer.Option(
            help="The Markdown page to write or bring up to date, OUT/page.md unless given."
        ),
    ] = None,
    times: Annotated[
        Times,
        typer.Option(
            help="What measures time: what is missing, all of it anew, or none, where others use "
            "the machine. Times that are kept are shown."
        ),
    ] = Times.MISSING,
    known: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder of results, as docs/paper/results: what is in there is not computed.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes, one per core unless given.")
    ] = None,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Reproduce the paper's tables and figures from raw text: JSON, CSV, SVG, PNG and a Markdown
    page.

    Everything computed is kept in OUT by its settings: after Ctrl-C, the same command goes on where
    it stopped. The data sets are read from the folder that UNDERTOW_DATA names, or downloaded once.
    On an existing page only what is between markers such as <!-- table1 --> changes.

    Examples:

        undertow paper table1

        undertow paper all --quick --out /tmp/paper

        undertow paper fig3 --seeds 5 --jobs 2 --page docs/paper.md

        undertow paper family --known docs/paper/results --times none
    """
    from undertow.paper.reproduce import check_extra, reproduce, with_seeds

    check_extra()
    from undertow.kernels.cores import cores
    from undertow.paper import scale

    chosen = with_seeds(scale.QUICK if quick else scale.FULL, seeds)
    try:
        outcome = reproduce(
            what.value,
            scale=chosen,
            out=out,
            page=out / "page.md" if page is None else page,
            command=lambda name: _command(
                name, quick=quick, seeds=chosen.seeds, out=out, page=page
            ),
            jobs=cores() if jobs is None else jobs,
            times=times.value,
            known=known,
            quiet=quiet,
        )
    except KeyboardInterrupt:
        if not quiet:
            say(
                f"Stopped. What was computed is kept in {out}: the same command goes on from "
                f"there.",
                err=True,
            )
        raise
    if not quiet:
        say(
            f"Wrote {outcome.page}: {outcome.computed} cells computed, {outcome.found} found from "
            f"earlier runs."
        )


def _command(name: str, *, quick: bool, seeds: int, out: Path, page: Path | None) -> str:
    """The line that makes an experiment again."""
    words = [
        "undertow",
        "paper",
        name,
        *(["--quick"] if quick else []),
        "--seeds",
        str(seeds),
        "--out",
        str(out),
    ]
    return shlex.join([*words, *([] if page is None else ["--page", str(page)])])
