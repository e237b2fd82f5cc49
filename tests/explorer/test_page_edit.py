"""Editing topics in a real browser: in place, with a way back, and kept on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Page, expect

from tests.browser import Open, Visit, settled
from tests.explorer.serving import Served, served
from tests.explorer.visiting import visitor
from undertow import TopicModel
from undertow.search import Index

TOKEN = "token-of-a-test"


@pytest.fixture
def running(own_index: Path) -> Iterator[Served]:
    with served(own_index, TOKEN) as explorer:
        yield explorer


@pytest.fixture
def visit(running: Served, open_browser: Open) -> Visit:
    """The topics, in edit mode. The page is closed before the explorer ends."""
    shown = visitor(open_browser, running)("/topics")
    expect(shown.page.locator(".topic-words").first).to_be_visible()
    shown.page.get_by_role("button", name="Edit").click()
    return shown


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit.page


def kept(folder: Path) -> TopicModel:
    return Index.open(folder).model


def names(page: Page) -> list[str]:
    settled(page)
    return page.locator(".topic-card-name").all_text_contents()


def tool(page: Page, kind: str, place: int = 0) -> None:
    page.get_by_role("button", name=re.compile(f"^{kind} ")).nth(place).click()


def test_a_topic_is_renamed_in_place(page: Page, own_index: Path) -> None:
    before = names(page)
    tool(page, "Rename")
    box = page.get_by_label("The topic’s name")
    expect(box).to_be_focused()
    expect(box).to_have_value(before[0])
    page.keyboard.press("Escape")
    expect(page.locator(".topic-card-name")).to_have_text(before)
    tool(page, "Rename")
    box.fill("Our topic")
    page.keyboard.press("Enter")
    expect(page.locator(".topic-card-name").first).to_have_text("Our topic")
    assert "Our topic" in kept(own_index).topic_names().values()
    page.reload()
    expect(page.locator(".topic-card-name").first).to_have_text("Our topic")
    page.get_by_role("navigation").get_by_role("link", name="Map").click()
    expect(page.locator(".legend")).to_contain_text("Our topic")


def test_an_error_is_told_in_words_and_changes_nothing(visit: Visit, own_index: Path) -> None:
    page = visit.page
    tool(page, "Rename")
    page.get_by_label("The topic’s name").fill("taken")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_have_text(re.compile("Renamed"))
    tool(page, "Rename", 1)
    page.get_by_label("The topic’s name").fill("taken")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(
        "This did not work: name must not be that of another topic"
    )
    assert list(kept(own_index).topic_names().values()).count("taken") == 1
    visit.meant.append("422")


def test_topics_are_merged_and_split(page: Page, own_index: Path, chosen: int) -> None:
    button = page.get_by_role("button", name=re.compile("merge", re.IGNORECASE))
    expect(button).to_be_disabled()
    page.locator(".topic-tick").nth(0).check()
    page.locator(".topic-tick").nth(2).check()
    page.get_by_role("button", name="Merge 2 topics").click()
    page.get_by_label("Name", exact=True).fill("together")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".topic-card")).to_have_count(chosen - 1)
    expect(page.locator(".topic-card-name", has_text="together")).to_have_count(1)
    expect(page.locator(".topic-tick:checked")).to_have_count(0)
    page.get_by_role("button", name="Split together").click()
    expect(page.locator(".topic-card")).to_have_count(chosen)
    assert [action.kind for action in kept(own_index).curation_.actions] == ["merge", "split"]


def test_a_drop_can_be_undone_at_once_and_later(page: Page, own_index: Path, chosen: int) -> None:
    name = names(page)[1]
    tool(page, "Drop", 1)
    expect(page.locator(".toast")).to_contain_text("was dropped")
    expect(page.locator(".topic-card")).to_have_count(chosen - 1)
    expect(page.locator(".lede")).to_contain_text("1 topic dropped")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".topic-card")).to_have_count(chosen)
    expect(page.locator(".topic-card-name", has_text=name).first).to_be_visible()
    tool(page, "Drop", 1)
    expect(page.locator(".topic-card")).to_have_count(chosen - 1)
    page.locator(".edit-dropped summary").click()
    page.get_by_role("button", name=f"↺ {name}").click()
    expect(page.locator(".topic-card")).to_have_count(chosen)
    assert not kept(own_index).atlas_.tree.dropped.any()


def test_a_topic_is_seeded_and_moved(page: Page, own_index: Path) -> None:
    page.get_by_role("button", name="New topic around words").click()
    page.get_by_label("Name", exact=True).fill("Orchard")
    page.get_by_label("Words, with commas").fill("apple, orchard juice")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("link", name="Orchard", exact=True)).to_be_visible()
    page.get_by_role("button", name="Move Orchard").click()
    choice = page.get_by_label("Where to")
    value = choice.locator("option").nth(1).get_attribute("value")
    assert value is not None
    choice.select_option(value)
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("Moved")
    model = kept(own_index)
    node = next(node for node, name in model.atlas_.names.items() if name == "Orchard")
    assert model.atlas_.tree.parent(node) == int(value)


def test_the_other_topics_stay_when_one_is_merged_in_another_cut(page: Page) -> None:
    page.get_by_label("How many topics, exactly").fill("12")
    page.get_by_label("How many topics, exactly").press("Enter")
    expect(page.locator(".topic-card")).to_have_count(12)
    page.locator(".topic-card .topic-tick").nth(0).check()
    page.locator(".topic-card .topic-tick").nth(1).check()
    page.get_by_role("button", name="Merge 2 topics").click()
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".topic-card")).to_have_count(11)


def test_the_token_leaves_the_address_and_stays_in_the_tab(page: Page, running: Served) -> None:
    expect(page).not_to_have_url(re.compile(TOKEN))
    assert page.evaluate("sessionStorage.getItem('undertow-token')") == TOKEN
    page.reload()
    expect(page.get_by_role("button", name="Edit")).to_be_visible()


def test_without_the_token_nothing_can_be_edited(running: Served, open_browser: Open) -> None:
    shown = open_browser()
    shown.page.goto(running.at("/topics"))
    settled(shown.page)
    expect(shown.page.locator(".topic-card").first).to_be_visible()
    expect(shown.page.get_by_role("button", name="Edit")).to_have_count(0)
    expect(shown.page.locator(".edit-hint")).to_contain_text(
        "open the address that the command printed"
    )
    status = shown.page.evaluate("""fetch("/api/edit", {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ action: "drop", topic: 1 }),
    }).then((answer) => answer.status)""")
    assert status == 403
    shown.meant.append("403")


def test_what_was_done_can_be_saved(page: Page) -> None:
    tool(page, "Rename")
    page.get_by_label("The topic’s name").fill("kept")
    page.keyboard.press("Enter")
    expect(page.locator(".topic-card-name").first).to_have_text("kept")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Save what was done").click()
    assert waiting.value.suggested_filename == "curation.json"
