"""Figures on the pages: drawn by plotly under the policy, in the colours of the page, and only when
needed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Page, expect

from tests.browser import Visit, settled, until
from tests.explorer.visiting import Visiting, go

pytestmark = pytest.mark.torture  # slow, and rarely fails

TRACES = ".plot .scatterlayer .trace"
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
WIDTH = "document.querySelector('.plot .main-svg').getBoundingClientRect().width"
COLUMNS = """new Set(Object.entries(document.querySelector('.plot').layout)
  .filter(([name]) => name.startsWith('xaxis')).map(([, axis]) => axis.domain[0]))"""
SEEN = """() => ['.plot .xaxislayer-above text', '.plot .gridlayer path', '.plot .js-line'].map((name) => {
  const style = getComputedStyle(document.querySelector(name));
  return [style.fill, style.stroke, style.fontFamily].join();
})"""


def asked_for(page: Page, part: str) -> list[str]:
    """Addresses with this part that are asked for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if part in request.url else None)
    return found


def drawn(visit: Visiting, route: str, **options: object) -> Visit:
    shown = visit(route, **options)
    expect(shown.page.locator(TRACES).first).to_be_attached()
    expect(shown.page.get_by_role("button", name="Save as a picture")).to_be_visible()  # all of it
    return shown


def test_plotly_is_fetched_when_a_figure_is_shown_and_once(visit: Visiting) -> None:
    page = visit("/search").page
    scripts = asked_for(page, "plotly")
    for route in ("/topics", "/map", "/documents/d0", "/compare/1/2", "/time", "/topics/2"):
        go(page, route)
    page.reload()
    settled(page)
    assert scripts == []
    for route in ("/training", "/topics", "/training"):
        go(page, route)
        if route == "/training":
            expect(page.locator(TRACES).first).to_be_attached()
    assert len(scripts) == 1


def test_the_first_page_does_not_fetch_plotly(visit: Visiting) -> None:
    shown = visit()
    fetched = shown.page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => entry.name)"
    )
    assert any("/api/topics?n=" in name for name in fetched)
    assert [name for name in fetched if "plotly" in name or "figure" in name] == []


@pytest.mark.torture
def test_figures_follow_the_theme(visit: Visiting) -> None:
    route = "/training"
    page = drawn(visit, route, dark=False).page
    light = page.evaluate(SEEN)
    page.get_by_role("button", name="Switch to the dark theme").click()
    page.wait_for_function(
        f"before => ({SEEN})().every((one, place) => one !== before[place])", arg=light
    )
    dark = drawn(visit, route, dark=True).page.evaluate(SEEN)
    page.wait_for_function(f"dark => String(({SEEN})()) === String(dark)", arg=dark)
    assert page.evaluate("getComputedStyle(document.querySelector('main')).fontFamily") in dark[0]
    ground = "getComputedStyle(document.querySelector('.plot .main-svg')).backgroundColor"
    assert page.evaluate(ground) in ("rgba(0, 0, 0, 0)", "transparent")


def test_figures_fit_their_place(visit: Visiting) -> None:
    page = drawn(visit, "/training", size=(1280, 860)).page
    wide = page.evaluate(WIDTH)
    asked = asked_for(page, "/api/figures/training")
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function(f"() => {WIDTH} < 330")
    page.wait_for_function(f"() => ({COLUMNS}).size === 1")
    assert wide > 900
    until(page, lambda: [address.partition("?")[2] for address in asked][-1:] == ["columns=1"])
    page.wait_for_function(f"() => {SIDEWAYS} <= 0")


def test_a_figure_is_saved_as_a_picture(visit: Visiting, tmp_path: Path) -> None:
    page = drawn(visit, "/training").page
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as a picture").click()
    assert waiting.value.suggested_filename == "training.png"
    waiting.value.save_as(tmp_path / "training.png")
    assert (tmp_path / "training.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_tells_under_the_pointer(visit: Visiting) -> None:
    page = drawn(visit, "/training").page
    point = page.locator(".plot .scatterlayer .point").nth(5)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    assert box is not None
    hover = page.locator(".plot .hoverlayer text").first
    for step in range(40):  # plotly lets movements go that follow each other too quickly
        page.mouse.move(box["x"] + box["width"] / 2 + step % 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(50)
        if hover.count():
            break
    expect(hover).to_be_attached()


def test_a_script_that_does_not_come_is_told_and_tried_again(visit: Visiting) -> None:
    shown = visit("/topics")
    page = shown.page
    page.route("**/plotly.min.js", lambda route: route.abort())
    go(page, "/training")
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    expect(page.locator(".tiles .card")).to_have_count(5)  # the rest is there
    page.unroute("**/plotly.min.js")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(TRACES).first).to_be_attached()
    expect(page.get_by_role("alert")).to_have_count(0)
    shown.meant.append("ERR_FAILED")


def test_a_figure_that_fails_says_why(visit: Visiting) -> None:
    shown = visit("/topics")
    page = shown.page
    problem = '{"error": "the figure broke"}'
    page.route("**/api/figures/**", lambda route: route.fulfill(status=500, body=problem))
    go(page, "/training")
    expect(page.get_by_role("alert")).to_contain_text("the figure broke")
    expect(page.locator(".tiles .card")).to_have_count(5)
    shown.meant.append("500")


def test_figures_are_cleaned_up_when_the_page_is_left(visit: Visiting) -> None:
    page = drawn(visit, "/training").page
    page.evaluate("""() => {
      const purge = Plotly.purge;
      window.purged = [];
      Plotly.purge = (box) => { purge(box); window.purged.push(box.childElementCount); };
    }""")
    page.get_by_role("navigation").get_by_role("link", name="Topics").click()
    expect(page.locator(".topic-card").first).to_be_visible()
    page.wait_for_function("() => window.purged.join() === '0'")
