"""A report in a notebook: the page that is written, in a frame of its own."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from tests.browser import Open
from undertow import InvalidInput, TopicModel
from undertow.report import report_view, write_report


class Frame(HTMLParser):
    """The one element that there is."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        self.attributes = {name: value or "" for name, value in attrs}


def test_the_page_is_that_of_write_report(model: TopicModel, tmp_path: Path) -> None:
    view = report_view(model, n=3, title="A & <b>B</b>", height=300)
    file = write_report(model, tmp_path / "report.html", n=3, title="A & <b>B</b>")
    assert without_time(view.page) == without_time(file.read_text(encoding="utf-8"))
    frame = Frame()
    frame.feed(view._repr_html_())
    assert frame.attributes["sandbox"] == "allow-scripts"  # nothing of the notebook is in reach
    assert frame.attributes["height"] == "300"
    base = '<base href="about:srcdoc">'
    assert frame.attributes["srcdoc"].replace(base, "", 1) == view.page
    assert len(repr(view)) < 80


def without_time(page: str) -> str:
    """But for the lines that say when it was made."""
    return "\n".join(line for line in page.splitlines() if " UTC" not in line)


def test_wrong_arguments_are_said(model: TopicModel) -> None:
    with pytest.raises(InvalidInput, match="height must be a whole number of at least 100"):
        report_view(model, height=5)
    with pytest.raises(InvalidInput, match="n must be from 2"):
        report_view(model, n=1)


@pytest.mark.torture  # a browser
def test_its_links_lead_to_parts_of_it(
    open_browser: Open, model: TopicModel, table: pl.DataFrame, tmp_path: Path
) -> None:
    file = tmp_path / "notebook.html"
    shown = report_view(model, table)._repr_html_()
    file.write_text(f"<!doctype html><meta charset=utf-8>{shown}", encoding="utf-8")
    visit = open_browser(offline=True)
    visit.page.goto(file.as_uri())
    inside = visit.page.frame_locator("iframe")
    inside.locator("#map-figure[data-drawn]").wait_for(state="attached")
    inside.locator("a.node").last.click()
    visit.page.wait_for_function("frames.length === 1")
    frame = next(one for one in visit.page.frames if one != visit.page.main_frame)
    frame.wait_for_url("about:srcdoc#topic-*")
    assert inside.locator(".topic").count() == len(model.topics())
