"""The pages of the explorer in a real browser: search, documents, the model, and the keyboard."""

from __future__ import annotations

import re
import time

import pytest

from undertow import TopicModel, plot

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Route, expect

from tests.browser import settled
from tests.explorer.visiting import Visiting, answered


def test_search_answers_while_one_types(visit: Visiting) -> None:
    page = visit("/search").page
    asked: list[str] = []
    page.on(
        "request",
        lambda request: asked.append(request.url) if "/api/search" in request.url else None,
    )
    page.get_by_label("Search the documents").press_sequentially("apple and a pear", delay=15)
    answered(page, "apple and a pear")
    expect(page.locator(".document").first).to_be_visible()
    expect(page.locator(".search-status")).to_contain_text("20 documents of 301")
    assert asked
    expect(page.locator(".document").first.locator(".topic-chip").first).to_contain_text("%")
    expect(page.locator(".document").first.locator(".score")).to_have_text(re.compile(r"^\d+ %$"))
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".document")).to_have_count(40)
    page.locator(".document-like").nth(2).click()
    expect(page.locator(".like-banner")).to_contain_text("Documents like d")
    settled(page)
    page.go_back()
    expect(page.get_by_label("Search the documents")).to_have_value("apple and a pear")


def test_the_server_is_not_asked_at_every_key(visit: Visiting) -> None:
    """By a clock that the test moves on, however slow the keys are."""
    page = visit("/search").page
    asked: list[str] = []
    page.on(
        "request",
        lambda request: asked.append(request.url) if "/api/search" in request.url else None,
    )
    page.clock.install()
    page.clock.pause_at(time.time() + 3600)
    page.get_by_label("Search the documents").press_sequentially("apple and a pear")
    page.clock.run_for(150)
    page.get_by_label("Search the documents").press_sequentially("s")
    page.clock.run_for(150)
    assert asked == []
    with page.expect_response("**/api/search?**"):
        page.clock.run_for(20)
    assert len(asked) == 1


def test_why_is_one_line_of_words_and_topics(visit: Visiting) -> None:
    page = visit("/search?q=orchrad+violin+brzk").page
    expect(page.locator(".corrected")).to_have_text("Searched for orchard instead of orchrad")
    expect(page.locator(".search-notes .notice")).to_contain_text("No document holds 'brzk'")
    answer = page.evaluate(
        "fetch('/api/search?q=orchrad+violin+brzk&n=20').then((answer) => answer.json())"
    )
    expect(page.locator(".document")).to_have_count(len(answer["results"]))
    assert answer["results"][-1]["why"]["missing"]
    for place, found in list(enumerate(answer["results"]))[::4]:
        line = page.locator(".document").nth(place).locator(".why")
        why = found["why"]
        expect(line.locator("mark")).to_have_text([one["word"] for one in why["words"]])
        missing = [f"without: {', '.join(why['missing'])}"] if why["missing"] else []
        expect(line.locator(".why-missing")).to_have_text(missing)
        shared = [topic["id"] for topic in why["topics"]]
        others = [topic["id"] for topic in found["topics"] if topic["id"] not in shared]
        links = line.locator("a").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
        assert links == [f"#/documents/{found['id']}?topic={topic}" for topic in shared + others]
        expect(line.locator("a.quiet")).to_have_count(len(others))
    page.locator(".document-like").first.click()  # a document is a question of many words
    expect(page.locator(".like-banner")).to_be_visible()
    expect(page.locator(".document").first.locator("mark")).to_have_count(5)
    expect(page.locator(".why-missing")).to_have_count(0)
    expect(page.locator(".search-notes")).to_be_empty()


def test_documents_that_are_nearly_the_same_are_behind_the_best(visit: Visiting) -> None:
    page = visit("/search").page
    many = [f"<b>{number}</b>" for number in range(60)]

    def with_copies(route: Route) -> None:
        answer = route.fetch()
        given = answer.json()
        given["results"][0]["alike"], given["results"][1]["alike"] = ["d1", "a/b"], many
        route.fulfill(response=answer, json=given)

    page.route("**/api/search?**", with_copies)
    page.get_by_label("Search the documents").fill("apple")
    expect(page.locator(".alike > summary")).to_have_text(["2 more like this", "60 more like this"])
    few, more = page.locator(".alike").nth(0), page.locator(".alike").nth(1)
    expect(few.locator("a").first).to_be_hidden()
    few.locator("summary").click()
    expect(few.locator("a")).to_have_text(["d1", "a/b"])
    more.locator("summary").click()
    expect(more.locator("li")).to_have_text([*many[:50], "and 10 others"])
    few.locator("a").first.click()
    expect(page.locator(".facts")).to_contain_text("d1")


def test_a_list_that_is_gone_through_keeps_its_place(visit: Visiting) -> None:
    """The answer to what was typed last comes when one is in the list already."""
    page = visit("/search?q=apple").page
    box = page.get_by_label("Search the documents")
    held: list[Route] = []
    page.route("**/api/search?**", lambda route: held.append(route))
    with page.expect_request("**/api/search?**"):
        box.fill("apple pear")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".document-id").nth(1)).to_be_focused()
    old = page.locator(".document-id").nth(1).element_handle()
    held[0].continue_()
    page.wait_for_function("old => !old.isConnected", arg=old)
    expect(page.locator(".document-id").nth(1)).to_be_focused()


def test_the_search_is_left_and_found_again_where_it_was(visit: Visiting) -> None:
    page = visit("/search?q=apple", size=(1280, 500)).page
    page.evaluate("scrollTo(0, 700)")
    page.locator(".document-id").nth(9).click()
    expect(page.locator(".facts")).to_be_visible()
    left = page.evaluate("history.length")
    settled(page)
    page.go_back()
    expect(page.locator(".document").first).to_be_visible()
    page.wait_for_function("() => scrollY > 400")
    assert page.evaluate("history.length") == left


def test_a_late_answer_to_an_older_question_is_not_shown(visit: Visiting) -> None:
    page = visit("/search").page
    held: list[Route] = []
    page.route("**/api/search?q=apple*", lambda route: held.append(route))
    box = page.get_by_label("Search the documents")
    with page.expect_request("**/api/search?q=apple*"):
        box.fill("apple")
    with page.expect_event("requestfailed"):  # given up by the page itself
        box.fill("engine diesel")
    expect(page.locator(".document").first).to_be_visible()
    assert len(held) == 1
    expect(page.locator(".document-text").first).to_contain_text("engine", ignore_case=True)


def test_modes_and_filters(visit: Visiting) -> None:
    shown = visit("/search?q=apple")
    page = shown.page
    expect(page.locator(".document").first).to_be_visible()
    page.get_by_label("Label").select_option("cars")
    expect(page.locator(".document .label").first).to_have_text("cars")
    expect(page.locator(".document .label", has_not_text="cars")).to_have_count(0)
    page.get_by_label("Filter", exact=True).fill("labl = 'x'")
    expect(page.get_by_role("alert").filter(has_text="labl")).to_be_visible()
    expect(page.get_by_label("Filter", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Filter", exact=True).fill("id != 'd0'")
    expect(page.locator(".document").first).to_be_visible()
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    page.get_by_text("How filters are written").click()
    expect(page.get_by_text("TIMESTAMP")).to_be_visible()
    page.get_by_label("Search the documents").fill("xyzzy")
    page.get_by_label("Label").select_option("")
    expect(page.locator(".document-id")).to_have_text(["unknown"])
    page.get_by_label("Filter", exact=True).fill("")
    page.get_by_role("radio", name="Meaning").check()
    expect(page.locator(".state")).to_contain_text("the model knows no word of the question")
    page.get_by_role("button", name="Search by words and meaning").click()
    expect(page.locator(".document-id")).to_have_text(["unknown"])
    expect(page).not_to_have_url(re.compile("mode="))
    shown.meant.append("422")  # what the browser says of a bad filter


def test_the_keyboard_is_enough(visit: Visiting) -> None:
    page = visit().page
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_label("Search the documents")).to_be_focused()
    page.keyboard.type("apple j/k?")  # letters, in a box
    answered(page, "apple j/k?")
    expect(page.locator(".document").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    links = page.locator(".document-id")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("k")
    expect(links.nth(1)).to_be_focused()
    name = links.nth(1).inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".facts")).to_contain_text(name)
    settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Search the documents")).to_have_value("apple j/k?")
    expect(page.get_by_label("Search the documents")).to_be_focused()
    settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Search the documents")).not_to_be_focused()
    page.keyboard.press("m")
    expect(page.locator("main h1")).to_have_text("Map")


def test_the_skip_link_leads_to_the_content(visit: Visiting) -> None:
    page = visit("/training").page
    page.locator("main .plot .trace").first.wait_for()
    assert page.locator("a").first.evaluate("one => one.className") == "skip"
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    expect(page).to_have_url(re.compile("#/training$"))


def test_the_tints_of_a_document_add_up(visit: Visiting) -> None:
    page = visit("/documents/d7").page  # its first letter takes two units of JavaScript
    expect(page.locator(".marked")).to_contain_text("🚀")
    answer = page.evaluate("fetch('/api/documents/d7').then((answer) => answer.json())")
    parts = [
        float(value)
        for value in page.locator(".marked [data-part]").evaluate_all(
            "all => all.map(one => one.dataset.part)"
        )
    ]
    assert len(parts) == len(answer["spans"]) > 15
    assert sum(parts) == pytest.approx(answer["total"], rel=1e-4)
    assert page.locator(".marked").text_content() == answer["text"]
    for place, span in enumerate(answer["spans"][:5]):
        part = page.locator(".marked [data-part]").nth(place)
        expect(part).to_have_text(span["word"], ignore_case=True)
    expect(page.locator(".marked .strong")).to_have_count(12)
    expect(page.locator(".marked .strong").first).to_have_attribute("title", re.compile("to “"))
    rows = page.locator("a.share-row")
    expect(rows.first).to_have_attribute("aria-current", "true")
    shares = [one["share"] for one in answer["topics"]]
    widths = page.locator(".share-bar > span").evaluate_all(
        "all => all.map((one) => one.offsetWidth)"
    )
    assert len(widths) == len(shares)
    assert widths[0] / page.locator(".share-bar").evaluate(
        "one => one.offsetWidth"
    ) == pytest.approx(shares[0], abs=0.05)
    page.get_by_label("Tint by another topic").select_option(index=1)
    page.wait_for_url("**?topic=*")
    settled(page)
    expect(page.locator("a.share-row[aria-current]")).to_contain_text("0 %")
    expect(page.locator(".section .document").first).to_be_visible()


def test_words_in_words_are_tinted_together(visit: Visiting) -> None:
    page = visit().page
    found = page.evaluate("""async () => {
      const { markedText } = await import("/pages/parts/marked_text.js");
      const spans = [[0, 3, 1], [0, 7, 2], [4, 7, -4], [9, 12, 0.5]];
      const given = spans.map(([start, end, part]) => ({ start, end, part, word: "w" }));
      const made = markedText({ text: "new old, end.", spans: given }, "topic");
      return [...made.childNodes].map((one) => [one.textContent, one.className ?? "", Number(one.dataset?.part ?? 0)]);
    }""")
    up, down = "up strong", "down strong"
    assert [piece for piece in found if piece[0]] == [
        ["new", up, 3],
        [" ", up, 0],
        ["old", down, -4],
        [", ", "", 0],
        ["end", up, 0.5],
        [".", "", 0],
    ]


def test_documents_that_are_unknown_or_say_nothing(visit: Visiting) -> None:
    missing = visit("/documents/no%2Fsuch%3Fdocument")
    expect(missing.page.get_by_role("alert")).to_contain_text("no/such?document")
    missing.meant.append("404")
    page = visit("/documents/unknown").page
    expect(page.locator(".marked")).to_have_text("zzz qqq xyzzy")
    expect(page.get_by_text("No topic: no word is known")).to_be_visible()
    expect(page.locator(".document-main .section")).to_contain_text(
        "no other document shares a word"
    )


def test_training_is_drawn_and_told(visit: Visiting, small_model: TopicModel) -> None:
    page = visit("/training").page
    expect(page.locator(".plot .scatterlayer .trace")).to_have_count(
        len(plot.history(small_model).data)
    )
    expect(page.get_by_role("img", name="Training over")).to_have_attribute(
        "aria-label", re.compile("Loss from")
    )
    expect(page.locator(".tiles .card")).to_have_count(5)
    page.get_by_text("The same as a table").click()
    expect(page.locator("table.figures tbody tr").first).to_be_visible()


def test_hidden_units_are_on_the_page_of_the_model(visit: Visiting) -> None:
    page = visit("/training?unit=3").page
    expect(page.locator(".unit")).to_have_count(12)
    expect(page.locator(".unit[aria-current]")).to_contain_text("unit 3")
    expect(page.locator(".unit[aria-current]")).to_be_in_viewport()
    page.get_by_text("12 hidden units: the features").click()
    expect(page.locator(".unit").first).to_be_hidden()
