"""A report in a browser, opened as a file: drawn, sorted and searched, without a network, whatever documents hold."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import matplotlib.image
import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_rgb

from tests.browser import PHONE, WIDE, Open, Visit
from undertow import TopicModel, insight
from undertow.insight import Overview
from undertow.report import write_report


def opened(open_browser: Open, report: Path, *, dark: bool = False, size: tuple[int, int] = WIDE) -> Visit:
    visit = open_browser(dark=dark, size=size, offline=True)
    visit.page.goto(report.as_uri())
    visit.page.wait_for_selector("#map-figure .main-svg")
    return visit


def names(visit: Visit) -> list[str]:
    """The topics that are shown, in their order."""
    found: list[str] = visit.page.evaluate(
        "[...document.querySelectorAll('.topic')].filter(topic => !topic.hidden).map(topic => topic.dataset.name)"
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
        page.evaluate("document.getElementById('map-figure').data.reduce((n, trace) => n + trace.x.length, 0)") == 119
    )
    for place in page.query_selector_all("[data-figure]"):
        place.scroll_into_view_if_needed()
        place.wait_for_selector(".main-svg", state="attached")
    for details in page.query_selector_all("details"):
        details.evaluate("element => { element.open = true; }")
    assert page.evaluate("window.hacked === undefined")
    assert page.evaluate("document.querySelectorAll('main a:not([href^=\"#\"]), svg a, main img').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]  # nothing to scroll sideways
    page.evaluate("scrollTo(0, 0)")
    visit.screenshot(f"report-{'dark' if dark else 'light'}-{size[0]}")


def test_points_are_seen(
    open_browser: Open,
    model: TopicModel,
    table: pl.DataFrame,
    overview: Overview,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The picture of the map has the colours of its groups: WebGL, or what stands in for it, has drawn."""
    spread = np.where(np.isfinite(overview.positions), np.random.default_rng(0).random((120, 2)), np.nan)
    known = replace(overview, positions=spread.astype(np.float32))
    monkeypatch.setattr(insight, "overview_of_texts", lambda model, corpus, progress=None: known)
    visit = opened(open_browser, write_report(model, tmp_path / "report.html", table, evaluate=False))
    colours = visit.page.evaluate("document.getElementById('map-figure').data.map(trace => trace.marker.color)")
    visit.page.evaluate("document.querySelector('#map-figure .legend').remove()")
    visit.page.wait_for_timeout(500)
    picture = BytesIO(visit.page.locator("#map-figure").screenshot())
    pixels = np.asarray(matplotlib.image.imread(picture))[..., :3]
    assert len(colours) >= 4
    for colour in colours:
        wanted = 0.8 * np.array(to_rgb(colour)) + 0.2  # four fifths of it, on white
        assert (np.abs(pixels - wanted).max(axis=-1) < 0.08).sum() > 50, colour


def test_colours_of_the_map(open_browser: Open, report: Path) -> None:
    page = opened(open_browser, report).page
    texts = "[...document.querySelectorAll('#map-figure .legendtext')].map(text => text.textContent)"
    first = page.evaluate(texts)
    assert len(first) >= 4
    page.click("[data-colour=label]")
    assert page.get_attribute("[data-colour=label]", "aria-pressed") == "true"
    assert page.get_attribute("[data-colour=topic]", "aria-pressed") == "false"
    assert "cars & <br> bikes" in page.evaluate(texts)
    page.click("[data-colour=time]")
    page.wait_for_selector("#map-figure .colorbar")
    assert page.evaluate(texts) == []
    page.click("[data-colour=topic]")
    assert page.evaluate(texts) == first


def test_sorting_and_searching(open_browser: Open, report: Path, model: TopicModel) -> None:
    visit = opened(open_browser, report)
    page = visit.page
    records = model.units(n_words=12)
    assert names(visit) == [topic.name for topic in records]
    page.click("[data-sort=id]")
    assert names(visit) == [topic.name for topic in sorted(records, key=lambda topic: topic.id)]
    page.click("[data-sort=name]")
    assert page.evaluate(
        "(shown) => shown.every((name, i) => !i || shown[i - 1].localeCompare(name) <= 0)", names(visit)
    )
    page.click("[data-sort=activity]")
    assert names(visit) == [topic.name for topic in records]
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
    ink = "document.getElementById('map-figure')._fullLayout.font.color"
    light = page.evaluate(ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{ink} !== '{light}'")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(ink) == "#444444"
    assert page.evaluate("document.querySelectorAll('[data-figure]:not(.js-plotly-plot)').length") == 0


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
    visit.page.wait_for_timeout(300)
    assert visit.page.evaluate("window.hacked === undefined")
    assert visit.outward == []
    refused = [error for error in visit.errors if "Content Security Policy" in error]
    assert len(refused) >= 3
    visit.errors.clear()


def test_without_webgl_points_are_drawn_another_way(open_browser: Open, report: Path) -> None:
    visit = open_browser()
    visit.page.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        " return kind.includes('webgl') ? null : get.call(this, kind, ...more); };"
    )
    visit.page.goto(report.as_uri())
    visit.page.wait_for_selector("#map-figure .scatterlayer .point")
    assert visit.page.query_selector(".no-webgl") is None


def test_a_model_alone_needs_no_map(open_browser: Open, model: TopicModel, tmp_path: Path) -> None:
    file = write_report(model, tmp_path / "report.html")
    page = open_browser(offline=True).page
    page.goto(file.as_uri())
    page.wait_for_selector("[data-figure=similarity] .main-svg", state="attached")


@pytest.mark.usefixtures("map_is_known")
def test_a_title_in_any_script(open_browser: Open, model: TopicModel, table: pl.DataFrame, tmp_path: Path) -> None:
    title = "שלום — 主题 <i>x</i> 👩‍🚀"
    file = write_report(model, tmp_path / "report.html", table, title=title, evaluate=False)
    assert opened(open_browser, file).page.inner_text("h1") == title
