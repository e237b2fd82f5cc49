"""Answers that come late, while somebody is at it: nothing is lost, and nothing old is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Page, Route, expect

from tests.browser import Open, frames, settled, until
from tests.explorer.serving import served
from tests.explorer.visiting import Visiting, go


def held(page: Page, pattern: str) -> list[Route]:
    """Requests that are answered when the test lets them go on."""
    found: list[Route] = []
    page.route(pattern, lambda route: found.append(route))
    return found


def number(page: Page, n: int) -> None:
    box = page.get_by_label("How many topics, exactly")
    box.fill(str(n))
    box.press("Enter")


def test_a_card_is_pressed_while_its_words_arrive(visit: Visiting) -> None:
    page = visit().page
    waiting = held(page, "**/api/topics?*")
    number(page, 12)
    link = page.locator(".topic-card-name").first
    name = link.text_content() or ""
    until(page, lambda: bool(waiting))
    link.hover()
    page.mouse.down()
    waiting[-1].continue_()
    settled(page)
    page.mouse.up()
    expect(page.locator("main h1")).to_have_text(name)


def test_words_that_come_late_pass_the_filter(visit: Visiting) -> None:
    page = visit().page
    waiting = held(page, "**/api/topics?*")
    number(page, 12)
    until(page, lambda: bool(waiting))
    page.get_by_label("Filter topics").fill("rocket")  # asks for the words again
    until(page, lambda: len(waiting) == 2)  # the first was given up
    waiting[-1].continue_()
    expect(page.locator(".hit").first).to_have_text("rocket")
    settled(page)
    expect(page.locator(".topic-card", has_not_text="rocket")).to_have_count(0)


def test_the_overview_comes_while_topics_are_filtered(
    open_browser: Open, small_index: Path
) -> None:
    with served(small_index) as running:
        background = running.background
        made, background.overview = background.overview, None
        background.state, background.progress = "computing", 0.5
        visit = open_browser()
        page = visit.page
        page.goto(running.at("/topics"))
        expect(page.locator("#map-note")).to_have_text("50 %")
        page.get_by_label("Filter topics").fill("rocket")
        waiting = held(page, "**/api/tree")
        background.overview, background.state = made, "ready"
        until(page, lambda: bool(waiting))  # the tree is asked for anew
        page.get_by_label("Filter topics").fill("apple")
        expect(page.locator(".hit").first).to_have_text("apple")
        waiting[-1].continue_()
        settled(page)
        page.get_by_label("Filter topics").fill("violin")
        expect(page.locator(".hit").first).to_have_text("violin")
        settled(page)
        page.context.close()


def test_of_two_topics_of_a_document_the_second_is_shown(visit: Visiting) -> None:
    page = visit("/documents/d0").page
    ids = page.evaluate("fetch('/api/tree').then((answer) => answer.json())")["leaves"][:2]
    waiting = held(page, f"**/api/documents/d0?topic={ids[0]}*")
    page.evaluate("hash => { location.hash = hash }", f"#/documents/d0?topic={ids[0]}")
    until(page, lambda: bool(waiting))
    go_second = f"#/documents/d0?topic={ids[1]}"
    page.evaluate("hash => { location.hash = hash }", go_second)
    second = page.locator(f"a.share-row[aria-current][href*='topic={ids[1]}']")
    expect(second).to_have_count(1)
    waiting[0].continue_()
    settled(page)
    expect(second).to_have_count(1)


def test_the_pointer_leaves_before_its_frame(visit: Visiting) -> None:
    page = visit("/map").page
    page.locator(".legend").wait_for()
    shown = page.evaluate("""() => {
      const stage = document.querySelector(".stage");
      const box = stage.getBoundingClientRect();
      const options = { bubbles: true, pointerType: "mouse", pointerId: 1 };
      for (let step = 0; step < 400; step++) { // somewhere there is a point
        const [x, y] = [box.left + box.width * (step % 20) / 20, box.top + box.height * Math.floor(step / 20) / 20];
        stage.dispatchEvent(new PointerEvent("pointermove", { ...options, clientX: x, clientY: y }));
      }
      const name = document.querySelector(".stage-names span[style*=visible]").getBoundingClientRect();
      const middle = { clientX: name.left + name.width / 2, clientY: name.top + name.height / 2 };
      stage.dispatchEvent(new PointerEvent("pointermove", { ...options, ...middle }));
      stage.dispatchEvent(new PointerEvent("pointerleave", options));
    }""")
    assert shown is None
    frames(page)
    settled(page)
    expect(page.locator(".stage.over-point")).to_have_count(0)
    expect(page.locator(".map-tip")).to_be_hidden()


def test_back_is_where_it_was_though_answers_are_late(visit: Visiting) -> None:
    page = visit("/search?q=apple", size=(1280, 500)).page
    page.evaluate("scrollTo(0, 700)")
    page.locator(".document-id").nth(9).click()
    expect(page.locator(".facts")).to_be_visible()
    settled(page)
    go(page, "/topics")
    page.evaluate("""async () => { // answers that were kept are forgotten
      const api = await import("/pages/core/api.js");
      api.forget();
    }""")
    waiting = held(page, "**/api/search?*")
    page.evaluate("history.go(-2)")
    until(page, lambda: bool(waiting))
    assert page.evaluate("scrollY") == 0
    waiting[-1].continue_()
    expect(page.locator(".document").nth(9)).to_be_attached()
    page.wait_for_function("() => scrollY > 400")
