"""Figures in a browser: drawn, and harmless whatever the words are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.browser import Open
from undertow import TopicModel, plot
from undertow.insight import Overview

pytestmark = pytest.mark.torture  # slow, and rarely fails

# Where a few points of each trace are on the screen.
PLACES = """(() => {
    const map = document.getElementById('map'), layout = map._fullLayout, box = map.getBoundingClientRect();
    return map._fullData.flatMap(trace => [...Array(8).keys()].filter(point => point < trace.x.length).map(point => [
        box.left + layout.xaxis._offset + layout.xaxis.d2p(trace.x[point]),
        box.top + layout.yaxis._offset + layout.yaxis.d2p(trace.y[point]),
    ]));
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_hostile_words_are_shown_and_do_nothing(
    open_browser: Open,
    tmp_path: Path,
    model: TopicModel,
    overview: Overview,
    table: pl.DataFrame,
    dark: bool,
) -> None:
    figures = (
        plot.topics(model, 4, n_words=20),
        plot.tree(model, 4),
        plot.units(model, 6, n_words=20),
        plot.similarity(model, 4),
        plot.map(overview, model, 4, texts=table["text"].to_list()),
        plot.over_time(overview, model, 4),
    )
    parts = [
        figure.to_html(include_plotlyjs=number == 0, full_html=False)
        for number, figure in enumerate(figures)
    ]
    style = (
        "<meta charset=utf-8><body style='background:" + ("#15181d" if dark else "#ffffff") + "'>"
    )
    (tmp_path / "figures.html").write_text(style + "".join(parts), encoding="utf-8")
    visit = open_browser(dark=dark)
    visit.page.goto((tmp_path / "figures.html").as_uri())
    visit.page.wait_for_function("document.querySelectorAll('.main-svg').length >= 8")
    labels = visit.page.evaluate(
        "[...document.querySelectorAll('svg text')].map(text => text.textContent)"
    )
    for word in (
        "<script>window.hacked=1…",
        "<b>violin</b>",
        "$x^2$",
        "&lt;b&gt;",
        "%{x}",
        "<!--",
        "1990",
    ):
        assert word in labels
    assert any("<b>bold</b>" in text for text in labels)
    assert (
        visit.page.evaluate("document.querySelectorAll('svg a, svg img, svg script').length") == 0
    )
    assert visit.page.evaluate("window.hacked === undefined")
    visit.screenshot(f"figures-{'dark' if dark else 'light'}")


def test_hovering_shows_the_text_of_a_document(
    open_browser: Open, tmp_path: Path, model: TopicModel, overview: Overview, table: pl.DataFrame
) -> None:
    figure = plot.map(overview, model, 4, texts=table["text"].to_list())
    figure.write_html(tmp_path / "map.html", include_plotlyjs=True, div_id="map")
    page = open_browser().page
    page.goto((tmp_path / "map.html").as_uri())
    page.wait_for_selector(".main-svg")
    seen = []
    for place in page.evaluate(PLACES):
        page.mouse.move(*place)
        page.wait_for_selector(".hovertext text")
        seen.append(page.text_content(".hoverlayer") or "")
    assert any("topic:" in text for text in seen)
    assert any("hacked=" in text for text in seen)
    assert "<script>" in "".join(seen)
    assert page.evaluate("document.querySelectorAll('.hoverlayer a').length") == 0
    assert page.evaluate("window.hacked === undefined")
