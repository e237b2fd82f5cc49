"""A report in a browser, opened as a file: drawn, sorted and searched, without a network, whatever
documents hold.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_rgb

from tests.browser import PHONE, WIDE, Open, Visit, frames, until
from undertow import TopicModel, insight
from undertow.insight import Overview
from undertow.report import write_report

pytestmark = pytest.mark.torture  # slow, and rarely fails


def opened(
    open_browser: Open, report: Path, *, dark: bool = False, size: tuple[int, int] = WIDE
) -> Visit:
    visit = open_browser(dark=dark, size=size, offline=True)
    visit.page.goto(report.as_uri())
    visit.page.wait_for_selector("#map-figure[data-drawn]")
    return visit


def names(visit: Visit) -> list[str]:
    """The topics that are shown, in their order."""
    found: list[str] = visit.page.evaluate(
        "[...document.querySelectorAll('.topic')].filter(topic => !topic.hidden).map(topic => "
        "topic.dataset.name)"
    )
    return found


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_drawn_and_nothing_planted_runs(
    open_browser: Open, report: Path, dark: bool, size: tuple[int, int]
) -> None:
    visit = opened(open_browser, report, dark=dark, size=size)
    page = visit.page
    assert (
        page.locator("[data-chart] svg path.curve").count()
        == page.locator("[data-chart]").count()
        >= 4
    )
    assert page.locator("#streams path.stream").count() == page.locator(".topic").count()
    for details in page.query_selector_all("details"):
        details.evaluate("element => { element.open = true; }")
    assert page.evaluate("window.hacked === undefined")
    assert (
        page.evaluate(
            "document.querySelectorAll('main a:not([href^=\"#\"]), svg a, main img').length"
        )
        == 0
    )
    assert (
        page.evaluate("document.documentElement.scrollWidth") <= size[0]
    )  # nothing to scroll sideways
    page.evaluate("scrollTo(0, 0)")
    visit.screenshot(f"report-{'dark' if dark else 'light'}-{size[0]}")


def test_the_first_screen_is_for_everybody(
    open_browser: Open, report: Path, model: TopicModel
) -> None:
    """Documents, topics, sizes, words and quotations come before anything about models."""
    page = opened(open_browser, report).page
    seen = page.evaluate(
        "[...document.querySelectorAll('header, main section')].filter(part => "
        "part.getBoundingClientRect().top < 900)"
        ".map(part => part.innerText).join(' ').toLowerCase()"
    )
    assert f"120 documents, {len(model.topics())} topics" in seen
    assert all(word in seen for word in ("guitar", "planet", "gear"))
    assert all(word not in seen for word in ("loss", "epoch", "hidden unit", "retrieval"))
    widths = page.evaluate(
        "[...document.querySelectorAll('.summary .bar span')].map(bar => bar.offsetWidth)"
    )
    assert widths == sorted(widths, reverse=True)
    sizes = [topic.documents for topic in model.topics()]
    assert widths[3] / widths[0] == pytest.approx(sizes[3] / sizes[0], abs=0.03)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_label_covers_another(open_browser: Open, report: Path, size: tuple[int, int]) -> None:
    page = opened(open_browser, report, size=size).page
    for selector, least in (
        ("#map-figure .names span", 1),
        (".node", 5),
        ("#streams .stream-names text", 0),
    ):
        boxes = page.evaluate(
            "(selector) => [...document.querySelectorAll(selector)].map(one => "
            "one.getBoundingClientRect())"
            ".map(box => [box.left, box.top, box.right, box.bottom])",
            selector,
        )
        assert len(boxes) >= least
        for number, one in enumerate(boxes):
            for other in boxes[:number]:
                apart = (
                    one[0] >= other[2]
                    or other[0] >= one[2]
                    or one[1] >= other[3]
                    or other[1] >= one[3]
                )
                assert apart, (selector, one, other)
    overflowing = page.evaluate(
        "[...document.querySelectorAll('.node')].filter(node => node.scrollHeight > "
        "node.clientHeight + 3).length"
    )
    assert overflowing == 0


# A box for each group of points, on a map of 600 x 500 pixels.
PLACED = """([points, width, height]) => report.placeNames(
    points.map((own) => ({ points: own.flat(), width, height })), { width: 600, height: 500 })"""


def test_names_cover_neither_each_other_nor_what_they_name(
    open_browser: Open, report: Path
) -> None:
    page = opened(open_browser, report).page
    generator = np.random.default_rng(0)
    groups = [
        (
            generator.uniform((60, 60), (540, 440), size=2) + 18 * generator.normal(size=(200, 2))
        ).tolist()
        for _ in range(14)
    ]
    boxes = page.evaluate(PLACED, [groups, 90, 15])
    found = [(box, np.array(own)) for box, own in zip(boxes, groups, strict=True) if box]
    assert len(found) >= 6
    for number, (box, own) in enumerate(found):
        for other, _ in found[:number]:
            assert (
                box["left"] >= other["left"] + other["width"]
                or other["left"] >= box["left"] + box["width"]
                or box["top"] >= other["top"] + other["height"]
                or other["top"] >= box["top"] + box["height"]
            )
        low, high = (
            np.array([box["left"], box["top"]]),
            np.array([box["left"] + 90, box["top"] + 15]),
        )
        under = ((own > low + 3) & (own < high - 3)).all(axis=1)
        assert under.mean() <= 0.08
        assert ((own > low - 20) & (own < high + 20)).all(axis=1).any()  # it stands beside its own
    everywhere = [[x, y] for x in range(0, 600, 10) for y in range(0, 500, 10)]
    assert page.evaluate(PLACED, [[everywhere], 90, 15]) != [None]
    assert page.evaluate(PLACED, [[everywhere], 300, 100]) == [None]  # it would cover its own
    crowd = [[x, y] for x in range(0, 600, 4) for y in range(0, 500, 4)]
    assert (
        page.evaluate(PLACED, [[everywhere[:40:10], crowd], 90, 15])[0] is None
    )  # it would stand among others


def test_points_are_seen(
    open_browser: Open,
    model: TopicModel,
    table: pl.DataFrame,
    overview: Overview,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The picture of the map has the colours of its groups."""
    spread = np.where(
        np.isfinite(overview.positions), np.random.default_rng(0).random((120, 2)), np.nan
    )
    known = replace(overview, positions=spread.astype(np.float32))
    monkeypatch.setattr(insight, "overview_of_texts", lambda model, corpus, progress=None: known)
    visit = opened(
        open_browser, write_report(model, tmp_path / "report.html", table, evaluate=False)
    )
    colours = visit.page.evaluate("report.data.topics.slice(0, 4).map(topic => topic.colour)")

    def shown() -> int:
        pixels = seen(visit)
        return sum(painted(pixels, colour) > 50 for colour in colours)

    until(visit.page, lambda: shown() == len(colours))
    visit.page.click("#legend button >> nth=0")  # one alone: the others fade
    until(visit.page, lambda: shown() == 1)


def seen(visit: Visit) -> Any:
    picture = BytesIO(visit.page.locator("#map-figure").screenshot())
    return np.asarray(matplotlib.image.imread(picture))[..., :3]


def painted(pixels: Any, colour: str) -> int:
    wanted = 0.8 * np.array(to_rgb(colour)) + 0.2  # four fifths of it, on white
    return int((np.abs(pixels - wanted).max(axis=-1) < 0.08).sum())


def test_colours_of_the_map(open_browser: Open, report: Path) -> None:
    page = opened(open_browser, report).page
    texts = "[...document.querySelectorAll('#legend button')].map(button => button.textContent)"
    first = page.evaluate(texts)
    assert len(first) >= 4
    page.click("[data-colour=label]")
    assert page.get_attribute("[data-colour=label]", "aria-pressed") == "true"
    assert page.get_attribute("[data-colour=topic]", "aria-pressed") == "false"
    assert "cars & <br> bikes" in page.evaluate(texts)
    page.click("[data-colour=time]")
    page.wait_for_selector("#legend .scale")
    assert page.evaluate(texts) == []
    assert "2020-01" in page.inner_text("#legend")
    page.click("[data-colour=topic]")
    assert page.evaluate(texts) == first


def test_the_pointer_shows_a_document_and_its_topic(open_browser: Open, report: Path) -> None:
    page = opened(open_browser, report).page
    page.locator("#map-figure").scroll_into_view_if_needed()
    box = page.locator("#map-figure canvas").bounding_box()
    assert box is not None
    side = min(box["width"], box["height"]) - 28
    places = page.evaluate(
        "[...report.numbers(report.data.map.positions)].map(number => number / 65534)"
    )
    shown = []
    for row in range(12):
        x = box["x"] + box["width"] / 2 + (places[2 * row] - 0.5) * side
        y = box["y"] + box["height"] / 2 - (places[2 * row + 1] - 0.5) * side
        page.mouse.move(x, y)
        frames(page)
        page.wait_for_selector("#tip", state="visible")
        shown.append(page.inner_text("#tip"))
    assert any("hacked=" in text for text in shown)
    assert all("topic: " in text for text in shown)
    assert page.evaluate("window.hacked === undefined")
    assert page.evaluate("document.querySelectorAll('#tip a, #tip img, #tip script').length") == 0
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 60)
    page.wait_for_selector("#tip", state="hidden")


def test_the_map_zooms_and_moves(open_browser: Open, report: Path) -> None:
    visit = opened(open_browser, report)
    page = visit.page
    whole = seen(visit)
    page.click("[data-zoom=in]")
    until(page, lambda: not np.array_equal(seen(visit), whole))
    page.click("[data-zoom=all]")
    until(page, lambda: np.array_equal(seen(visit), whole))
    before = page.evaluate("scrollY")
    page.hover("#map-figure canvas")
    page.mouse.wheel(0, 120)  # the page scrolls
    page.wait_for_function("(before) => scrollY !== before", arg=before)


def test_the_streams_are_read_with_the_pointer(
    open_browser: Open, report: Path, model: TopicModel
) -> None:
    page = opened(open_browser, report).page
    page.locator("#streams").scroll_into_view_if_needed()
    box = page.locator("#streams svg").bounding_box()
    assert box is not None
    shown = []
    for part in np.linspace(0.05, 0.75, 12):
        page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * part)
        frames(page)
        shown.append(page.inner_text("#tip").splitlines())
    streams = [lines for lines in shown if len(lines) == 3]
    assert len({lines[0] for lines in streams}) >= 3
    for name, share, when in streams:
        assert name in model.topic_names().values()
        assert share.endswith(" %")
        assert when.startswith("202")
    tops = page.evaluate(
        "[...document.querySelectorAll('#streams path.stream')].map(path => path.getBBox())"
        ".map(box => [box.y, box.height])"
    )
    assert min(top for top, _ in tops) >= 7
    assert sum(height for _, height in tops) > 200


def test_sorting_and_searching(open_browser: Open, report: Path, model: TopicModel) -> None:
    visit = opened(open_browser, report)
    page = visit.page
    records = model.topics()
    assert names(visit) == [topic.name for topic in records]
    page.click("[data-sort=name]")
    assert page.evaluate(
        "(shown) => shown.every((name, i) => !i || shown[i - 1].localeCompare(name) <= 0)",
        names(visit),
    )
    page.click("[data-sort=size]")
    assert sorted(names(visit)) == sorted(topic.name for topic in records)
    page.fill("#filter", "GUITAR melody")
    found = names(visit)
    assert 0 < len(found) < len(records)
    assert page.inner_text("#found") == f"{len(found)} of {len(records)} topics"
    page.fill("#filter", "")
    assert len(names(visit)) == len(records)
    assert page.inner_text("#found") == ""


def test_a_link_to_a_hidden_topic_shows_it(open_browser: Open, report: Path) -> None:
    visit = opened(open_browser, report)
    visit.page.fill("#filter", "guitar melody")
    hidden = visit.page.evaluate("document.querySelector('.topic[hidden]').id")
    visit.page.evaluate("(id) => { location.hash = id; }", hidden)
    visit.page.wait_for_function("(id) => !document.getElementById(id).hidden", arg=hidden)


def test_words_of_figures_follow_the_page(open_browser: Open, report: Path) -> None:
    page = opened(open_browser, report).page
    ink = "getComputedStyle(document.querySelector('[data-chart] text')).fill"
    light = page.evaluate(ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {ink} !== light", arg=light)
    page.emulate_media(media="print")
    page.wait_for_function(f"() => {ink} === 'rgb(68, 68, 68)'")


def test_a_narrower_window_is_drawn_anew(open_browser: Open, report: Path) -> None:
    page = opened(open_browser, report).page
    page.set_viewport_size({"width": 500, "height": 900})
    page.wait_for_function("document.querySelector('#map-figure canvas').width < 500")
    page.wait_for_function("document.documentElement.scrollWidth <= 500")
    page.wait_for_function("document.querySelector('#streams svg').viewBox.baseVal.width < 500")


def test_it_prints(open_browser: Open, report: Path, tmp_path: Path) -> None:
    opened(open_browser, report).page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_the_policy_stops_what_is_not_listed(open_browser: Open, report: Path) -> None:
    visit = opened(open_browser, report)
    visit.page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 9';
            const image = document.createElement('img');
            image.setAttribute('onerror', 'window.hacked = 10');
            image.src = 'https://example.org/a.png';
            document.body.append(script, image);
            fetch('https://example.org/data').catch(() => {});
        }"""
    )
    policy = "Content Security Policy"
    until(visit.page, lambda: sum(policy in error for error in visit.errors) >= 3)
    assert visit.page.evaluate("window.hacked === undefined")
    assert visit.outward == []
    visit.meant.append(policy)


def test_without_scripts_topics_are_read(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator(".summary li").count() == page.locator(".topic").count() >= 4
    assert "need JavaScript" in page.inner_text("noscript")
    context.close()


def test_a_model_alone_needs_no_map(open_browser: Open, model: TopicModel, tmp_path: Path) -> None:
    file = write_report(model, tmp_path / "report.html")
    page = open_browser(offline=True).page
    page.goto(file.as_uri())
    page.wait_for_selector("[data-chart=stability] svg", state="attached")


@pytest.mark.usefixtures("map_is_known")
def test_a_title_in_any_script(
    open_browser: Open, model: TopicModel, table: pl.DataFrame, tmp_path: Path
) -> None:
    title = "שלום — 主题 <i>x</i> 👩‍🚀"
    file = write_report(model, tmp_path / "report.html", table, title=title, evaluate=False)
    assert opened(open_browser, file).page.inner_text("h1") == title
