"""The Markdown page: tables and figures between markers, commentary outside them, which is never
touched.

    <!-- table1 -->
    ... written by `undertow paper table1`
    <!-- end table1 -->

A page that is there keeps everything outside the markers; a section that it lacks is appended; a
new page begins with a heading for each section.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from undertow.paper import files, machine
from undertow.paper.cells import Cell, Record
from undertow.paper.report import Experiment, Report, Table
from undertow.paper.scale import Scale

TITLE = "# The paper's tables and figures, reproduced"


def section(
    experiment: Experiment,
    report: Report,
    results: Mapping[Cell, Record],
    *,
    scale: Scale,
    command: str,
    figures: Path,
    page: Path,
) -> str:
    """What stands between the markers of an experiment."""
    parts = []
    if scale.name != "full":
        parts.append(
            f"*A {scale.name} run on slices of the data: it shows that everything works, not what "
            f"is true.*"
        )
    for picture in report.pictures:
        link = Path(os.path.relpath(figures / f"{picture.name}.svg", page.parent)).as_posix()
        parts.append(f"![{picture.name}]({link})\n\n{picture.caption}")
    parts += [markdown_table(table) for table in report.tables]
    parts += report.notes
    parts.append(f"    {command}")
    parts.append(
        provenance(results.values(), [corpus for cell in results for corpus in cell.corpora])
    )
    return "\n\n".join(parts)


def provenance(records: Iterable[Record], corpora: Iterable[object]) -> str:
    """When and where figures were computed, and how texts became counts."""
    records = list(records)
    if not records:
        return "- Nothing was measured yet."
    dates = sorted({record.date for record in records})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    places = sorted({machine.in_words(record.machine) for record in records})
    how = [corpus.in_words() for corpus in dict.fromkeys(corpora)]  # type: ignore[attr-defined]
    lines = [
        f"Computed {when} on {'; and on '.join(places)}.",
        *(f"{words}." for words in dict.fromkeys(how)),
    ]
    return "\n".join(f"- {line}" for line in lines)


def markdown_table(table: Table) -> str:
    """The table, its title in bold above it; numbers are aligned to the right."""
    head = "| " + " | ".join(map(_escaped, table.columns)) + " |"
    rule = "| --- |" + " ---: |" * (len(table.columns) - 1)
    rows = ["| " + " | ".join(map(_escaped, row)) + " |" for row in table.rows]
    return "\n".join([f"**{table.title}**", "", head, rule, *rows])


def update(page: Path, sections: Mapping[str, str], headings: Mapping[str, str]) -> None:
    """Writes the sections into the page, each between its markers."""
    text = page.read_text(encoding="utf-8") if page.exists() else f"{TITLE}\n"
    for name, content in sections.items():
        text = replaced(text, name, content, headings[name])
    files.write_text(page, text)


def replaced(text: str, name: str, content: str, heading: str) -> str:
    """The text with the content of one section exchanged, or with the section appended where it has
    none.
    """
    begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
    block = f"{begin}\n{content}\n{end}"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    if pattern.search(text):
        return pattern.sub(lambda _: block, text, count=1)
    return f"{text.rstrip()}\n\n## {heading}\n\n{block}\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
