"""How the pages look: themes, sizes, every page by its address, and what is shown when something is
not there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import undertow.explorer
from undertow.plot import palette

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import expect

from tests.browser import PHONE, Open, settled
from tests.explorer.serving import served
from tests.explorer.visiting import Visiting, go

PAGES = Path(undertow.explorer.__file__).parent / "pages"
ROUTES = {
    "topics": "/topics",
    "nested": "/topics?n=16",
    "topic": "/topics/1",
    "compare": "/compare/1/2",
    "map": "/map",
    "search": "/search?q=apple%20orchard",
    "document": "/documents/d0",
    "time": "/time",
    "training": "/training",
}
NARROW = (360, 740)
NAME = "(one.ariaLabel || one.textContent || one.labels?.[0]?.innerText || '').trim()"
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def test_the_colours_are_those_of_plots() -> None:
    written = (PAGES / "core" / "palette.js").read_text()
    for name, colours in (
        ("GROUPS", palette.PALETTE),
        ("TIME", [colour for _, colour in palette.TIME]),
    ):
        block = re.search(rf"{name} = \[(.*?)\];", written, re.DOTALL)
        assert block is not None
        assert re.findall(r"#\w{6}", block[1])[: len(colours)] == list(colours)
    theme = (PAGES / "styles" / "theme.css").read_text()
    assert f"--up: light-dark({palette.UP}," in theme
    assert f"--down: light-dark({palette.DOWN}," in theme


def test_the_theme_follows_the_system_until_it_is_chosen(visit: Visiting) -> None:
    page = visit(dark=True).page
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Switch to the light theme").click()
    page.wait_for_function(f"dark => {ground} !== dark", arg=dark)
    light = page.evaluate(ground)
    page.reload()
    settled(page)
    assert page.evaluate(ground) == light
    assert visit(dark=False).page.evaluate(ground) == light


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    "look",
    ["light", *(pytest.param(look, marks=pytest.mark.torture) for look in ("dark", "phone"))],
)
def test_every_page_by_its_address(visit: Visiting, name: str, look: str) -> None:
    """Each is drawn, names everything that can be pressed, and does not scroll sideways. The
    pictures are kept.
    """
    shown = visit(
        ROUTES[name], dark=look == "dark", size=NARROW if look == "phone" else (1280, 860)
    )
    page = shown.page
    if name == "training":
        expect(page.locator(".plot .trace").first).to_be_attached()
    page.wait_for_function(f"() => {SIDEWAYS} <= 0")
    expect(page.locator("main h1")).to_have_count(1)
    for role in ("button", "link", "textbox", "combobox", "radio"):
        pressed = page.get_by_role(role, include_hidden=False)
        assert (
            pressed.evaluate_all(f"all => all.filter((one) => !{NAME}).map((one) => one.outerHTML)")
            == []
        )
    if look == "phone":
        expect(page.get_by_role("navigation").get_by_role("link", name="Model")).to_be_hidden()
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_role("navigation").get_by_role("link", name="Model")).to_be_visible()
        page.wait_for_function(f"() => {SIDEWAYS} <= 0")
        page.get_by_role("button", name="Menu").click()
    shown.screenshot(f"explorer-{name}-{look}", full=False)


def test_sizes_between_phone_and_desk_do_not_scroll_sideways(visit: Visiting) -> None:
    page = visit(size=PHONE).page
    for name in (
        "nested",
        "document",
        "time",
        "training",
    ):  # lists with long names, streams, and plotly's figures
        route = ROUTES[name]
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        go(page, route)
        expect(page.locator("main h1")).to_have_count(1)
        for width in (320, 480, 761, 900, 1025):
            page.set_viewport_size({"width": width, "height": 700})
            page.wait_for_function(
                f"width => innerWidth === width && {SIDEWAYS} <= 0", arg=width
            )  # figures are drawn anew


def test_a_model_alone_shows_topics_and_training(
    open_browser: Open, model_folder: Path, chosen: int
) -> None:
    with served(model_folder) as running:
        shown = open_browser()
        page = shown.page
        page.goto(running.at("/topics"))
        settled(page)
        expect(page.locator(".topic-card")).to_have_count(chosen)
        expect(page.locator(".quotation").first).to_be_visible()
        expect(page.locator(".quotation a")).to_have_count(0)  # there are no documents to open
        expect(page.locator(".edit-button")).to_have_count(0)
        page.locator(".topic-card-name").first.click()
        expect(page.locator(".topic-bars > li").first).to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name="Model").click()
        expect(page.locator(".plot .trace").first).to_be_visible()
        for name in ("Map", "Search", "Over time"):
            page.get_by_role("navigation").get_by_role("link", name=name).click()
            expect(page.locator("main .commands")).to_contain_text(
                "undertow index MODEL CORPUS --out INDEX"
            )
            settled(page)
        shown.screenshot("explorer-model-only", full=False)
        page.context.close()


def test_the_overview_is_waited_for(open_browser: Open, small_index: Path) -> None:
    with served(small_index) as running:
        background = running.background
        background.state, background.progress, made, background.overview = (
            "computing",
            0.4,
            background.overview,
            None,
        )
        page = open_browser().page
        page.goto(running.at("/map"))
        expect(page.get_by_text("Computing the map… 40 %")).to_be_visible()
        background.progress = 0.7
        expect(page.get_by_text("Computing the map… 70 %")).to_be_visible()
        expect(page.locator("#map-note")).to_have_text("70 %")
        background.overview, background.progress, background.state = made, 1.0, "ready"
        expect(page.locator(".legend")).to_be_visible()
        expect(page.locator("#map-note")).to_be_empty()
        settled(page)
        page.context.close()


def test_an_overview_that_failed_says_why(open_browser: Open, small_index: Path) -> None:
    with served(small_index) as running:
        background = running.background
        background.state, background.error, background.overview = "failed", "the disk is full", None
        page = open_browser().page
        for route in ("/map", "/time"):
            page.goto(running.at(route))
            expect(page.get_by_text("the disk is full")).to_be_visible()
            settled(page)
        page.context.close()


def test_a_server_that_went_away_is_named(visit: Visiting) -> None:
    shown = visit()
    shown.page.route("**/api/**", lambda route: route.abort())
    go(shown.page, "/topics/3")
    expect(shown.page.get_by_role("alert")).to_contain_text("does not answer")
    shown.page.unroute("**/api/**")
    shown.page.get_by_role("button", name="Try again").click()
    expect(shown.page.locator(".topic-bars")).to_be_visible()
    shown.meant.append("ERR_FAILED")
