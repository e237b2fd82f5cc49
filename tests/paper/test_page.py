"""Sections of the page are replaced between their markers; everything else is left alone."""

from __future__ import annotations

from pathlib import Path

from undertow.paper.page import markdown_table, replaced, update
from undertow.paper.report import Table

PAGE = """# My page

Commentary before.

<!-- table1 -->
old
<!-- end table1 -->

Commentary after, with <!-- a remark --> and a \\backslash.

<!-- fig1 -->
kept
<!-- end fig1 -->
"""


def test_only_what_is_between_the_markers_changes() -> None:
    assert replaced(PAGE, "table1", r"new \1 \g<0>", "Table 1") == PAGE.replace(
        "old", r"new \1 \g<0>"
    )


def test_missing_section_is_appended() -> None:
    text = replaced(PAGE, "table2", "content", "Table 2: IMDB")
    assert text.startswith(PAGE.rstrip())
    assert text.endswith("\n\n## Table 2: IMDB\n\n<!-- table2 -->\ncontent\n<!-- end table2 -->\n")


def test_replacing_twice_is_replacing_once() -> None:
    once = replaced(PAGE, "table1", "new", "Table 1")
    assert replaced(once, "table1", "new", "Table 1") == once


def test_new_page_has_headings(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    update(page, {"fig1": "a", "fig2": "b"}, {"fig1": "Figure 1", "fig2": "Figure 2"})
    lines = page.read_text().splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# The paper's tables and figures, reproduced",
        "## Figure 1",
        "## Figure 2",
    ]


def test_table_in_markdown() -> None:
    table = Table("Title", ["model", "a|b"], [["CD-1", ".5"]])
    assert markdown_table(table).splitlines() == [
        "**Title**",
        "",
        "| model | a\\|b |",
        "| --- | ---: |",
        "| CD-1 | .5 |",
    ]
