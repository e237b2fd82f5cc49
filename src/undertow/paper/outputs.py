"""Results as files: JSON with everything, CSV with a row per cell, figures as SVG and PNG."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

from undertow.files.atomic import write_file
from undertow.paper import files
from undertow.paper.cells import CELL_VERSION
from undertow.paper.report import Cells, Experiment, Report, Results, tidy_rows
from undertow.paper.scale import Scale


def write_json(
    file: Path,
    experiment: Experiment,
    report: Report,
    results: Results,
    *,
    scale: Scale,
    command: str,
) -> None:
    """Settings, figures, seconds, date and machine of every cell, and the tables as they are
    shown.
    """
    files.write_json(
        file,
        {
            "experiment": experiment.name,
            "cell_version": CELL_VERSION,
            "heading": experiment.heading,
            "command": command,
            "scale": asdict(scale),
            "preprocessing": sorted(
                {corpus.in_words() for cell in results for corpus in cell.corpora}
            ),
            "tables": [asdict(table) for table in report.tables],
            "captions": {picture.name: picture.caption for picture in report.pictures},
            "cells": [asdict(record) for record in results.values()],
        },
    )


def write_csv(file: Path, cells: Cells, results: Results) -> None:
    """A row per cell; a column that a cell knows nothing of stays empty."""
    rows = tidy_rows(cells, results)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    files.write_text(file, text.getvalue())


def write_figures(folder: Path, report: Report) -> None:
    """Each picture as SVG, for print, and as PNG."""
    from undertow.paper import plots

    for picture in report.pictures:
        write_file(folder / f"{picture.name}.svg", plots.rendered(picture.draw, "svg"))
        write_file(folder / f"{picture.name}.png", plots.rendered(picture.draw, "png"))


def _plain(value: Any) -> Any:
    return "" if value is None else value
