"""Hooks of MkDocs: pages that are made while the site is built, and links out of docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from tools.site import gallery, reference
from tools.site.running import with_results

ROOT = Path(__file__).parents[2]
PROJECT = ("CONTRIBUTING", "ARCHITECTURE", "CHANGELOG", "CODE_OF_CONDUCT", "SECURITY")
ABOUT_PROJECT = ("first_change", "tests", "benchmarks", "upkeep")
"""Pages of docs/contributing, which stand beside these."""
RUN = ("start.md", "guides/", "understand/")
"""Pages whose code is run, and followed by what it printed. That of others is run by the tests."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
PICTURES = (".svg", ".png")


def slug(text: str, separator: str) -> str:
    """The anchor of a heading, as the repository's own pages and GitHub have it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", separator)


def made() -> dict[str, dict[str, str]]:
    """Pages by the part of the site that they fill: texts by their paths."""
    project = {
        f"project/{name.lower()}.md": (ROOT / f"{name}.md").read_text(encoding="utf-8")
        for name in PROJECT
    }
    return {"gallery": gallery.pages(), "reference": reference.pages(), "project": project}


def on_config(config: Any) -> Any:
    """Fills the parts that are only named in `nav`."""
    config.made = made()
    for entry in config.nav:
        for title, part in entry.items():
            if isinstance(part, str) and part in config.made:
                entry[title] = [page for page in config.made[part] if page.endswith(".md")]
                if part == "project":
                    entry[title][1:1] = [f"contributing/{name}.md" for name in ABOUT_PROJECT]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds what was made, and pictures that pages show from outside of docs/."""
    for part in config.made.values():
        for path, text in part.items():
            files.append(File.generated(config, path, content=text))
    for path, content in gallery.pictures().items():
        files.append(File.generated(config, path, content=content))
    for page in (ROOT / "docs").glob("*.md"):
        for _, _, target in LINK.findall(page.read_text(encoding="utf-8")):
            if target.startswith("../") and target.endswith(PICTURES):
                name = f"outside/{target.removeprefix('../')}"
                content = (page.parent / target).read_bytes()
                files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links out of docs/ lead to pages of the site where there is one; else they are plain text."""
    here = page.file.src_uri
    if here.startswith("project/"):
        return LINK.sub(lambda found: of_project(*found.groups()), markdown)
    if here.startswith(RUN):
        markdown = with_results(markdown, here)
    return LINK.sub(lambda found: of_docs(here, *found.groups()), markdown)


def of_docs(here: str, shown: str, text: str, target: str) -> str:
    """A link on a page of docs/."""
    up = "../" * here.count("/")
    whole = f"{shown}[{text}]({target})"
    outside = re.fullmatch(rf"{re.escape(up)}\.\./(.*)", target)
    if target.startswith(("http", "#")):
        return whole
    if outside is None:
        return f"`{text}`" if target.startswith("paper/results") else whole
    name, _, part = outside[1].partition("#")
    if name.removesuffix(".md") in PROJECT:
        return f"[{text}]({up}project/{name.lower()}{'#' + part if part else ''})"
    if name.endswith(PICTURES):
        return f"{shown}[{text}]({up}outside/{name})"
    return text if text.startswith("`") else f"{text} (`{name}`)"


def of_project(shown: str, text: str, target: str) -> str:
    """A link on a page that stands in the root of the repository."""
    if target.startswith(("http", "#")):
        return f"{shown}[{text}]({target})"
    name, _, part = target.partition("#")
    anchor = "#" + part if part else ""
    if name.startswith("docs/"):
        return f"{shown}[{text}](../{name.removeprefix('docs/')}{anchor})"
    if name.removesuffix(".md") in PROJECT:
        return f"[{text}]({name.lower()}{anchor})"
    return f"{text} (`{name}`)"
