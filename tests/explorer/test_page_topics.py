"""Topics in a real browser: the slider, nested cards, one topic, two topics, and streams over
time.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from undertow import TopicModel
from undertow.explorer._topics import _ranks
from undertow.topics import TopicTree

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import Page, expect

from tests.browser import PHONE, settled
from tests.explorer.visiting import Visiting, go

NESTED = """() => {
  const told = (list) => Array.from(list.children, (one) => [Number(one.dataset.topic),
    ...Array.from(one.querySelectorAll(":scope > .topic-inside"), told)]);
  return told(document.querySelector(".topic-tree"));
}"""
CUTS = """async (numbers) => {
  const { Tree } = await import("/pages/core/tree.js");
  const tree = new Tree(await (await fetch("/api/tree")).json());
  return numbers.map((n) => [...tree.cut(n)].sort((one, other) => one - other));
}"""


def number(page: Page, n: int) -> None:
    box = page.get_by_label("How many topics, exactly")
    box.fill(str(n))
    box.press("Enter")


def cards(page: Page) -> set[int]:
    return set(
        page.locator(".topic-card").evaluate_all(
            "all => all.map((one) => Number(one.dataset.topic))"
        )
    )


def test_pages_cut_the_tree_as_the_model_does(
    visit: Visiting, small_model: TopicModel, most: int
) -> None:
    page, numbers = visit().page, list(range(2, most + 1))
    assert page.evaluate(CUTS, numbers) == [small_model.atlas_.tree.cut(n) for n in numbers]


def random_tree(generator: np.random.Generator) -> TopicTree:
    """Nodes with one to five parts, as edits may leave them: some split for good, dropped, or of
    equal height.
    """
    parents, leaves, heights = [-1], [], [np.inf]
    waiting = [0]
    while waiting:
        node = waiting.pop(0)
        if node and (len(parents) > 30 or generator.random() < 0.3):
            leaves.append(node)
            continue
        for _ in range(int(generator.choice([1, 2, 2, 3, 5]))):
            waiting.append(len(parents))
            parents.append(node)
            heights.append(
                float(
                    generator.choice(
                        [0.0, 1.0, 2.0, heights[node] / 2, np.inf], p=[0.1, 0.1, 0.1, 0.6, 0.1]
                    )
                )
            )
    dropped = generator.random(len(parents)) < 0.15
    dropped[0] = False
    return TopicTree(
        np.array(parents, np.int32), np.array(heights), np.array(leaves, np.int32), dropped, 0
    )


def test_pages_cut_any_tree_as_the_model_does(visit: Visiting) -> None:
    generator = np.random.default_rng(0)
    trees = [random_tree(generator) for _ in range(200)]
    given = [
        {
            **{
                "root": tree.root,
                "parents": tree.parents.tolist(),
                "ranks": _ranks(tree),
                "renamed": [],
                "names": [],
            },
            **{
                "leaves": tree.leaves.tolist(),
                "sizes": [1 + row for row in range(len(tree.leaves))],
            },
            **{
                "dropped": np.flatnonzero(tree.dropped).tolist(),
                "chosen": 5,
                "least": 2,
                "most": len(tree.leaves),
            },
        }
        for tree in trees
    ]
    found = visit().page.evaluate(
        """async (given) => {
          const { Tree } = await import("/pages/core/tree.js");
          return given.map((one) => {
            const tree = new Tree(one);
            return Array.from({ length: 20 }, (_, n) => {
              const nodes = [...tree.cut(n + 1)].sort((one, other) => one - other);
              return [nodes, Array.from(tree.placesOf(nodes)), nodes.map((node) => tree.size(node)),
                nodes.map((node) => tree.rowsOf(node).sort((one, other) => one - other))];
            });
          });
        }""",
        given,
    )
    for tree, cuts in zip(trees, found, strict=True):
        for n, (nodes, places, sizes, rows) in enumerate(cuts, 1):
            assert nodes == tree.cut(n)
            assert places == tree.positions(nodes).tolist()
            assert rows == [tree.leaf_rows(node).tolist() for node in nodes]
            assert sizes == [sum(row + 1 for row in inside) for inside in rows]


def test_the_slider_changes_the_cut_at_once(
    visit: Visiting, small_model: TopicModel, chosen: int, most: int
) -> None:
    page = visit().page
    slider = page.get_by_label("How many topics", exact=True)
    expect(page.locator(".topic-card")).to_have_count(chosen)
    expect(page.locator(".lede")).to_have_text(f"301 documents · {chosen} topics")
    expect(page.get_by_role("button", name=f"model’s own: {chosen}")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.route("**/api/topics?*", lambda route: None)  # no answer: cards do not wait for one
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".topic-card")).to_have_count(chosen + 1)
    assert cards(page) == set(small_model.atlas_.cut(chosen + 1))
    expect(page).to_have_url(re.compile(rf"#/topics\?n={chosen + 1}$"))
    page.keyboard.press("Home")
    expect(page.locator(".topic-card")).to_have_count(2)
    page.keyboard.press("End")
    expect(page.locator(".topic-card")).to_have_count(most)
    expect(slider).to_have_attribute("aria-valuetext", f"{most} topics")
    expect(page.get_by_role("button", name=f"model’s own: {chosen}")).to_have_attribute(
        "aria-pressed", "false"
    )
    page.get_by_role("button", name=f"model’s own: {chosen}").click()
    expect(page.locator(".topic-card")).to_have_count(chosen)
    expect(page).to_have_url(re.compile("#/topics$"))


def test_the_address_remembers_the_number(visit: Visiting, most: int) -> None:
    page = visit("/topics?n=12").page
    expect(page.locator(".topic-card")).to_have_count(12)
    page.reload()
    settled(page)
    expect(page.locator(".topic-card")).to_have_count(12)
    page.get_by_role("navigation").get_by_role(
        "link", name="Over time"
    ).click()  # and other pages go on with it
    expect(page.locator(".strips > li")).to_have_count(12)
    expect(page).to_have_url(re.compile(r"#/time\?n=12$"))
    settled(page)
    page.go_back()
    expect(page.locator(".topic-card")).to_have_count(12)
    for wrong, shown in (
        ("1", 2),
        ("999999", most),
        ("-3", most),
        ("x", most),
    ):  # what is no number changes nothing
        go(page, f"/topics?n={wrong}")
        expect(page.locator(".topic-card")).to_have_count(shown)


def test_cards_are_nested_as_the_model_nests_them(visit: Visiting, small_model: TopicModel) -> None:
    page = visit("/topics?n=16").page

    def nested(branches: Any) -> list[Any]:
        return [
            [one.topic.id, *([nested(one.branches)] if one.branches else [])] for one in branches
        ]

    assert page.evaluate(NESTED) == nested(small_model.topic_tree(16))
    expect(page.locator(".topic-group").first.locator(".topic-card").first).to_be_visible()
    expect(page.locator(".topic-group-head .topic-words").first).to_be_visible()
    inside = page.evaluate("""() => [...document.querySelectorAll(".topic-group > .topic-inside > li")].every((one) => {
      const [card, group] = [one, one.parentElement.parentElement].map((each) => each.getBoundingClientRect());
      return card.left >= group.left && card.right <= group.right && card.bottom <= group.bottom + 1;
    })""")
    assert inside


def test_a_card_tells_what_a_topic_is(visit: Visiting, small_model: TopicModel) -> None:
    page = visit().page
    topic = small_model.topics()[0]
    card = page.locator(".topic-card").first
    expect(card.locator(".topic-card-name")).to_have_text(topic.name)
    expect(card.locator(".activity")).to_contain_text(f"{topic.documents} documents")
    expect(card.locator(".topic-words li")).to_have_text([one.word for one in topic.words[:8]])
    expect(card.locator("blockquote")).to_have_text(topic.typical[0].sentence)
    card.locator("figcaption a").click()
    expect(page.locator("main h1")).to_have_text(topic.typical[0].title)
    expect(page).to_have_url(re.compile(rf"topic={topic.id}\b"))
    expect(page.locator("a.share-row[aria-current]")).to_contain_text(topic.name)


def test_topics_are_filtered(visit: Visiting, chosen: int) -> None:
    page = visit().page
    expect(page.locator(".topic-words").first).to_be_visible()
    page.get_by_label("Filter topics").fill("rocket")
    expect(page.locator(".hit").first).to_have_text("rocket")
    expect(page.locator(".topic-card", has_not_text="rocket")).to_have_count(0)
    assert 0 < page.locator(".topic-card").count() < chosen  # the others have gone
    page.get_by_label("Filter topics").fill("no such word")
    expect(page.get_by_text("No topic has such a word")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Filter topics")).to_have_value("no such word")


def test_a_topic_opens_and_back_returns_to_the_same_place(visit: Visiting) -> None:
    page = visit("/topics?n=20", size=(1280, 500)).page
    expect(page.locator(".topic-words").first).to_be_visible()
    settled(page)  # the page is as high as it will be
    page.evaluate("scrollTo(0, 300)")
    link = page.locator(".topic-card-name").nth(8)
    name = link.inner_text()
    link.hover()  # which scrolls, where the card is still out of sight
    left = page.evaluate("scrollY")
    link.click()
    expect(page.locator("main h1")).to_have_text(name)
    expect(page.locator(".topic-bars > li").nth(5)).to_be_attached()
    expect(page.locator(".typical .document-quote").first).not_to_be_empty()
    expect(page.locator(".crumbs a").first).to_have_text("Topics")
    expect(page.locator(".stream")).to_have_count(1)
    expect(page.locator("main h1")).to_be_focused()
    settled(page)
    page.go_back()
    expect(page.locator("main h1")).to_have_text("Topics")
    page.wait_for_function(
        "left => Math.abs(scrollY - left) < 120", arg=left
    )  # where the card is seen again
    expect(page.get_by_label("How many topics, exactly")).to_have_value("20")


def test_two_topics_are_compared(visit: Visiting, small_model: TopicModel) -> None:
    first, second, third = list(small_model.topic_names())[:3]
    page = visit(f"/topics/{first}").page
    page.get_by_label("Compare with").select_option(str(second))
    expect(page.locator("main h1")).to_have_text("Two topics side by side")
    expect(page).to_have_url(re.compile(rf"#/compare/{first}/{second}$"))
    expect(page.locator(".compare-head")).to_have_count(2)
    expect(page.locator(".compare-only .topic-bars")).to_have_count(2)
    page.locator(".compare-head").nth(1).get_by_role("combobox").select_option(str(third))
    page.wait_for_url(f"**#/compare/{first}/{third}")


def test_siblings_have_related_hues(visit: Visiting) -> None:
    page = visit().page
    hues = page.evaluate("""async () => {
      const { Tree } = await import("/pages/core/tree.js");
      const { topicColours } = await import("/pages/core/palette.js");
      const tree = new Tree(await (await fetch("/api/tree")).json());
      const nodes = tree.cut(16);
      const colours = [...topicColours(tree, nodes).values()];
      const apart = (one, other) => Math.abs(tree.hue(one) - tree.hue(other));
      const pairs = nodes.flatMap((one) => nodes.filter((other) => other > one).map((other) => [one, other]));
      const mean = (list) => list.reduce((sum, [one, other]) => sum + apart(one, other), 0) / list.length;
      const sisters = ([one, other]) => tree.parents[one] === tree.parents[other];
      return { colours, near: mean(pairs.filter(sisters)), far: mean(pairs.filter((pair) => !sisters(pair))) };
    }""")
    assert len(set(hues["colours"])) == 16
    assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in hues["colours"])
    assert hues["near"] < hues["far"] / 2


def test_streams_fill_the_whole_with_the_topics_of_the_cut(visit: Visiting, chosen: int) -> None:
    page = visit("/time").page
    expect(page.get_by_role("img", name="Share of documents over time")).to_be_visible()
    expect(page.locator(".stream")).to_have_count(chosen)
    dates = page.locator(".stream-date text").all_text_contents()
    assert dates[0] == "Jan 2024"
    assert len(dates) >= 4
    tops = page.locator(".stream").evaluate_all(
        "all => all.map((one) => Math.min(...Array.from(one.points, (p) => p.y)))"
    )
    assert min(tops) == pytest.approx(
        6, abs=0.6
    )  # all documents with a time have a known word, so all is filled
    number(page, 14)
    expect(page.locator(".stream")).to_have_count(14)
    expect(page.locator(".strips > li")).to_have_count(14)
    page.get_by_text("The same as a table").click()
    answer = page.evaluate("fetch('/api/time?n=14').then((answer) => answer.json())")
    expect(page.locator("table.figures tbody tr")).to_have_count(len(answer["documents"]))
    first = page.locator("table.figures tbody tr").first.locator("td").all_text_contents()
    assert int(first[0]) == answer["documents"][0]
    shares = sorted(round(100 * one[0], 1) for one in answer["shares"])
    assert sorted(float(text.split()[0]) for text in first[1:]) == pytest.approx(shares, abs=0.11)


def test_a_stream_tells_under_the_pointer_and_opens_its_topic(visit: Visiting) -> None:
    page = visit("/time").page
    expect(page.locator(".stream").first).to_be_visible()
    settled(page)
    box = page.locator(".streams").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    expect(page.locator(".streams-frame .map-tip")).to_contain_text("%")
    name = page.locator(".streams-frame .map-tip strong").inner_text()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    expect(page.locator("main h1")).to_have_text(name)


def test_names_of_streams_lie_within_them(visit: Visiting) -> None:
    page = visit("/time?n=12").page
    expect(page.locator(".stream-name").first).to_be_visible()
    wrong = page.evaluate("""() => Array.from(document.querySelectorAll(".stream-name")).filter((text) => {
      const { x, y, width, height } = text.getBBox();
      const inside = (stream, px, py) => {
        const point = text.ownerSVGElement.createSVGPoint();
        Object.assign(point, { x: px, y: py });
        return stream.isPointInFill(point);
      };
      const corners = [x, x + width].flatMap((px) => [y + 0.2 * height, y + 0.8 * height].map((py) => [px, py]));
      return !Array.from(document.querySelectorAll(".stream")).some((one) => corners.every((at) => inside(one, ...at)));
    }).map((text) => text.textContent)""")
    assert wrong == []


@pytest.mark.parametrize("route", ["/topics?n=16", "/map", "/time"])
def test_on_a_phone_the_slider_is_reachable(visit: Visiting, route: str) -> None:
    page = visit(route, size=PHONE, has_touch=True).page
    slider = page.get_by_label("How many topics", exact=True)
    expect(slider).to_be_in_viewport()
    box = slider.bounding_box()
    assert box is not None
    assert box["width"] > 150
    assert box["height"] >= 32  # a finger's width
    page.touchscreen.tap(box["x"] + box["width"] - 10, box["y"] + box["height"] / 2)
    page.wait_for_function("() => Number(document.querySelector('.slider-box').value) > 18")
    page.wait_for_function(
        "() => document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth"
    )
