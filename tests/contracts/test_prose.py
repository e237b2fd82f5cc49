"""README.md and the other pages of the root, and those of docs/, have short lines, and their links
lead somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 100  # characters of a line
LONGEST_README = 150  # lines
GENERATED = {"paper.md"}  # a whole page that `undertow paper` writes
MADE = re.compile(r"(\.\./)*(gallery|reference|project)/")
"""Parts of the site that `make docs` makes, and whose links it checks."""
GONE = {"benchmarks/small.py", "minilm_encode.py"}
"""Files that a page names and says that they are gone, or that are elsewhere."""
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name not in GENERATED),
]


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside of code, tables, and parts that a command writes between markers."""
    fenced, marker = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        begun = re.fullmatch(r"<!-- (.*?) -->", line.strip())
        if marker:
            marker = "" if begun and begun[1] == f"end {marker}" else marker
        elif line.strip().startswith("```"):
            fenced = not fenced
        elif begun and f"<!-- end {begun[1]} -->" in text:
            marker = begun[1]
        elif not (fenced or line.startswith("    ") or line.strip().startswith("|")):
            yield number, line


def too_long(text: str) -> list[int]:
    """Numbers of lines that are longer than allowed and could be broken."""
    return [
        number
        for number, line in prose(text)
        if len(line) > LONGEST and " " in line[:LONGEST].strip().lstrip("-# ")
    ]


def anchors(text: str) -> set[str]:
    """What links to parts of a page may end in, made of its headings as GitHub does."""
    headings = [line.lstrip("# ") for _, line in prose(text) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_is_too_long() -> None:
    long = "word " * 30
    text = f"{long}\n```\n{long}\n```\n| {long} |\n<!-- a -->\n{long}\n<!-- end a -->\n- {long}\n"
    assert too_long(text + "x" * 120) == [1, 9]


def test_what_a_heading_is_called() -> None:
    assert anchors("# A title\n## Which is which? (2026)\n```\n# no\n```") == {
        "a-title",
        "which-is-which-2026",
    }


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= LONGEST_README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_are_short(page: Path) -> None:
    assert too_long(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")) or MADE.match(target):
            continue
        path, _, part = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if part:
            assert part in anchors(file.read_text(encoding="utf-8")), f"{page.name}: {target}"


def files_named(text: str) -> set[str]:
    """The Python files that a page names in code spans."""
    return set(re.findall(r"`((?:[\w.-]+/)*\w+\.py)`", text))


def test_what_a_file_looks_like() -> None:
    assert files_named("see `learn/loop.py`, `_near.py` and `a.b`") == {"learn/loop.py", "_near.py"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    known = [
        file.relative_to(ROOT).as_posix()
        for folder in ("src", "tests", "benchmarks", "examples", "tools")
        for file in (ROOT / folder).rglob("*.py")
    ]
    named = files_named(page.read_text(encoding="utf-8")) - GONE
    assert [
        name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in known)
    ] == []
