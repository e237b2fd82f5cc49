"""Texts of others stay texts: markup in documents, labels, ids and names is shown, and never
run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

import undertow.explorer

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Page, expect

from tests.browser import Open, settled, until
from tests.explorer.conftest import ATTACKS, hostile_names
from tests.explorer.serving import Served, served
from tests.explorer.visiting import Visiting, go, visitor

PAGES = Path(undertow.explorer.__file__).parent / "pages"
MARKUP = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "DOMParser",
    "createContextualFragment",
    "srcdoc",
)
CODE = (r"\beval\(", r"\bnew Function\b", r"setTimeout\(\s*[\"'`]", r"javascript:")


@pytest.fixture(scope="module")
def hostile(script_index: Path) -> Iterator[Served]:
    with served(script_index) as running:
        yield running


@pytest.fixture
def see(open_browser: Open, hostile: Served) -> Visiting:
    return visitor(open_browser, hostile)


def scripts() -> list[Path]:
    return sorted(PAGES.rglob("*.js"))


@pytest.mark.parametrize("script", scripts(), ids=lambda path: str(path.relative_to(PAGES)))
def test_no_script_makes_markup_or_code_of_texts(script: Path) -> None:
    written = script.read_text()
    assert [name for name in MARKUP if name in written] == []
    assert [pattern for pattern in CODE if re.search(pattern, written)] == []


def test_pages_need_nothing_from_elsewhere_and_run_nothing_inline() -> None:
    for file in [*scripts(), *PAGES.rglob("*.css"), *PAGES.rglob("*.html")]:
        addresses = re.findall(r"https?://[^\s\"'`)]+", file.read_text())
        assert set(addresses) <= {"http://www.w3.org/2000/svg"}, file
    page = (PAGES / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert re.findall(r"\son\w+=|\sstyle=|<style", page) == []


def unharmed(page: Page) -> None:
    settled(page)
    assert page.evaluate("window.attacked") is None
    expect(page.locator("main script, main img, main svg[onload], main b")).to_have_count(0)


def test_hostile_topics(see: Visiting) -> None:
    page = see("/topics").page
    for name in hostile_names():
        expect(page.get_by_text(name).first).to_be_attached()
    unharmed(page)
    ids = page.locator(".topic-card").evaluate_all("all => all.map((one) => one.dataset.topic)")
    routes = [f"/topics/{node}" for node in ids] + [
        f"/compare/{ids[0]}/{ids[1]}",
        f"/map?topic={ids[2]}",
    ]
    for route in (*routes, "/time", "/map", "/topics?n=16", "/training?unit=0"):
        go(page, route)
        unharmed(page)
        if route == "/map":
            expect(page.locator(".stage-names")).to_contain_text("<script>")


def test_hostile_names_in_streams(see: Visiting) -> None:
    page = see("/time").page
    streams = page.locator(".stream")
    expect(streams.first).to_be_visible()
    shown = page.locator(".streams-frame .map-tip strong")
    for place in range(streams.count()):
        streams.nth(place).dispatch_event(
            "pointermove", {"bubbles": True, "clientX": 300, "clientY": 300}
        )
        expect(shown).not_to_be_empty()
        assert page.evaluate("window.attacked") is None
        expect(page.locator("main script, main img, main svg[onload], main b")).to_have_count(0)
    page.get_by_text("The same as a table").click()
    expect(page.locator("table.figures")).to_contain_text("onerror")
    unharmed(page)


def test_names_that_are_typed_stay_text(open_browser: Open, own_index: Path) -> None:
    with served(own_index, "token") as running:
        page = visitor(open_browser, running)("/topics").page
        page.get_by_role("button", name="Edit").click()
        for attack in ATTACKS:
            page.get_by_role("button", name=re.compile("^Rename")).first.click()
            page.get_by_label("The topic’s name").fill(attack)
            page.keyboard.press("Enter")
            expect(page.locator(".topic-card-name").first).to_have_text(attack)
            unharmed(page)
        page.get_by_role("button", name=re.compile("^Drop")).first.click()
        expect(page.locator(".toast")).to_contain_text(ATTACKS[-1])
        expect(page.locator(".toast b, .toast img, .toast script")).to_have_count(0)
        unharmed(page)
        page.context.close()


def test_hostile_results(see: Visiting) -> None:
    page = see("/search?q=apple%20pear&mode=text").page
    expect(page.locator(".document").first).to_be_visible()
    unharmed(page)
    for attack in ATTACKS:
        page.get_by_label("Label").select_option(attack)
        expect(page.locator(".document-id")).to_have_count(1)
        expect(page.locator(".document .label")).to_have_text([attack])
        unharmed(page)


@pytest.mark.parametrize("number", range(len(ATTACKS)))
def test_hostile_documents(see: Visiting, number: int) -> None:
    attack = ATTACKS[number]
    name = f"{attack}/?#%2F&{number}"
    page = see(f"/documents/{quote(name, safe='')}").page
    expect(page.locator(".facts")).to_contain_text(name)
    assert (page.locator(".marked").text_content() or "").count(attack) == 2
    title = page.evaluate("fetch(`/api${location.hash.slice(1)}`).then((answer) => answer.json())")[
        "title"
    ]
    expect(page.locator("main h1")).to_have_text(title)
    page.wait_for_function("title => document.title.includes(title)", arg=title)
    unharmed(page)
    page.get_by_role("link", name="Like this").click()
    expect(page.locator(".like-banner a")).to_have_text(name)
    expect(page.locator(".document").first).to_be_visible()
    unharmed(page)


def test_hostile_map(see: Visiting) -> None:
    page = see("/map?colour=label").page
    expect(page.locator(".legend")).to_contain_text(ATTACKS[1])
    box = page.locator(".stage").bounding_box()
    assert box is not None
    page.get_by_label("Lasso").check()
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()
    expect(page.locator(".selection .document").first).to_be_visible()
    settled(page)
    while (more := page.get_by_role("button", name=re.compile("Show .* more"))).count():
        more.click()
        settled(page)
    expect(page.locator(".selection")).to_contain_text(ATTACKS[2])
    unharmed(page)


def test_the_policy_stops_scripts_that_got_in(see: Visiting) -> None:
    """A second wall: even markup that reached the page would not run."""
    shown = see("/topics")
    shown.page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.attacked = 'inline'";
      document.body.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.attacked = 'handler'");
      image.src = "data:,";
      document.body.append(image);
    }""")
    refused = "Content Security Policy"
    until(shown.page, lambda: sum(refused in error for error in shown.errors) >= 2)
    assert shown.page.evaluate("window.attacked") is None
    shown.meant.append(refused)


def test_links_with_code_are_refused(see: Visiting) -> None:
    page = see("/topics").page
    attempts = [
        {"href": "javascript:alert(1)"},
        {"href": "//elsewhere"},
        {"href": "data:text/html,x"},
        {"onclick": "x"},
    ]
    refused = """async (attempts) => {
      const { h } = await import("/pages/core/dom.js");
      return attempts.filter((given) => { try { h("a", given); return false; } catch { return true; } }).length;
    }"""
    assert page.evaluate(refused, attempts) == len(attempts)
