"""The map in a real browser: colours, names, lasso, box, hovering, zooming, and the arithmetic
behind them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
)

from playwright.sync_api import FloatRect, Page, expect

from tests.browser import settled, until
from tests.explorer.visiting import Visiting

PLACED = 300  # documents with a known word

PLACES = """async ([width, height]) => {
  const { readPoints } = await import("/pages/map/points.js");
  const { Camera } = await import("/pages/map/camera.js");
  const points = readPoints(await (await fetch("/api/map")).arrayBuffer());
  const camera = new Camera();
  camera.resize(width, height);
  const place = (row) => camera.toPixel(points.positions[2 * row], points.positions[2 * row + 1]);
  return Array.from(points.placed, (row) => [row, ...place(row)]);
}"""
"""Row and pixel of every point when all are seen."""

INSIDE = """async () => {
  const { contains, readPoints } = await import("/pages/map/points.js");
  const points = readPoints(await (await fetch("/api/map")).arrayBuffer());
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const wrong = [];
  for (let turn = 0; turn < 200; turn++) {
    const corner = () => [1.4 * random() - 0.2, 1.4 * random() - 0.2];
    const polygon = Array.from({ length: 3 + Math.floor(9 * random()) }, corner);
    const within = (row) => contains(polygon.flat(), points.positions[2 * row], points.positions[2 * row + 1]);
    const all = Array.from(points.placed).filter(within);
    if (points.inside(polygon).sort((a, b) => a - b).join() !== all.join()) wrong.push(polygon);
    const [x, y, reach] = [random(), random(), 0.3 * random()];
    const near = (row) => Math.hypot(points.positions[2 * row] - x, points.positions[2 * row + 1] - y);
    const best = Math.min(...Array.from(points.placed, near));
    const found = points.nearest(x, y, reach, reach);
    if (found < 0 ? best < reach : near(found) > best) wrong.push([x, y, reach]);
  }
  const square = [0, 0, 1, 0, 1, 1, 0, 1];
  return { wrong, square: [contains(square, 0.5, 0.5), contains(square, 1.5, 0.5), contains(square, 0.5, -0.1)] };
}"""


def stage(page: Page) -> FloatRect:
    found = page.locator(".stage").bounding_box()
    assert found is not None
    return found


def places(page: Page) -> list[tuple[int, float, float]]:
    box = stage(page)
    found = page.evaluate(PLACES, [box["width"], box["height"]])
    return [(int(row), box["x"] + px, box["y"] + py) for row, px, py in found]


def draw(page: Page, corners: list[tuple[float, float]]) -> None:
    """Drags the mouse along."""
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()


def around(page: Page, left: float = 0.0, right: float = 1.0) -> list[tuple[float, float]]:
    """The corners of a part of the stage."""
    box = stage(page)
    xs = [box["x"] + 2 + share * (box["width"] - 4) for share in (left, right)]
    top, bottom = box["y"] + 2, box["y"] + box["height"] - 2
    return [(xs[0], top), (xs[1], top), (xs[1], bottom), (xs[0], bottom), (xs[0], top + 5)]


@pytest.fixture
def page(visit: Visiting) -> Page:
    shown = visit("/map")
    drawn(shown.page)
    return shown.page


def drawn(page: Page) -> None:
    """Waits for the first frame of the map, and for what is still to come."""
    page.locator(".legend").wait_for()
    page.wait_for_function("() => document.querySelector('.stage-names span')?.style.visibility")
    settled(page)


def painted(page: Page) -> int:
    """How many pixels of the canvas are not empty."""
    return int(
        page.evaluate("""() => new Promise((done) => requestAnimationFrame(() => {
          const canvas = document.querySelector(".stage-canvas");
          const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
          window.dispatchEvent(new Event("resize"));
          const context = copy.getContext("2d");
          context.drawImage(canvas, 0, 0);
          const data = context.getImageData(0, 0, copy.width, copy.height).data;
          let count = 0;
          for (let at = 3; at < data.length; at += 4) if (data[at]) count++;
          done(count);
        }))""")
    )


def test_points_are_drawn_in_many_colours(page: Page) -> None:
    page.evaluate("document.querySelector('.stage-names').hidden = true")  # they have colours too
    until(page, lambda: hues(page) >= 8)


def hues(page: Page) -> int:
    """How many colours a picture of the map has."""
    picture = page.locator(".map-frame").screenshot()
    found = page.evaluate(
        """async (bytes) => {
          const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
          const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const { data } = context.getImageData(0, 0, image.width, image.height);
          const hues = new Set();
          for (let at = 0; at < data.length; at += 4) {
            const [r, g, b] = [data[at] >> 5, data[at + 1] >> 5, data[at + 2] >> 5];
            if (Math.max(r, g, b) - Math.min(r, g, b) >= 2) hues.add(`${r},${g},${b}`);
          }
          return hues.size;
        }""",
        list(picture),
    )
    return int(found)


def test_the_arithmetic_of_lasso_and_hover(page: Page) -> None:
    found = page.evaluate(INSIDE)
    assert found == {"wrong": [], "square": [True, False, False]}


def test_a_lasso_lists_what_it_holds(page: Page) -> None:
    page.get_by_label("Lasso").check()
    draw(page, around(page))
    expect(page.locator(".selection h2")).to_have_text(f"{PLACED} documents")
    expect(page.locator(".selection .document")).to_have_count(50)
    page.get_by_role("button", name="Show 50 more").click()
    expect(page.locator(".selection .document")).to_have_count(100)
    page.locator(".selection .document-id").first.click()
    expect(page.locator(".marked")).to_be_visible()
    settled(page)
    page.go_back()
    expect(page.locator(".stage")).to_be_visible()
    settled(page)


def test_a_box_lists_what_it_holds(page: Page) -> None:
    page.get_by_label("Box").check()
    left, top = around(page)[0]
    middle = (around(page)[0][0] + around(page)[1][0]) / 2
    draw(page, [(left, top), (middle, around(page)[2][1])])
    held = sum(left <= px <= middle for _, px, _ in places(page))  # the map has not moved
    assert 0 < held < PLACED
    expect(page.locator(".selection h2")).to_have_text(f"{held} documents")
    page.keyboard.press("Escape")
    expect(page.locator(".selection h2")).to_have_text("Selection")
    page.keyboard.press("Escape")
    expect(page.get_by_role("radio", name="Move")).to_be_checked()


def alone(page: Page) -> tuple[int, float, float]:
    """A point that has no other near it."""
    found = places(page)
    box = stage(page)

    def room(one: tuple[int, float, float]) -> float:
        return min(abs(one[1] - px) + abs(one[2] - py) for row, px, py in found if row != one[0])

    middle = [one for one in found if one[1] < box["x"] + 0.8 * box["width"]]
    return max(middle, key=room)


def test_hovering_and_clicking_a_point(page: Page) -> None:
    row, px, py = alone(page)
    page.mouse.move(px + 1, py + 1)
    expect(page.locator(".map-tip")).to_be_visible()
    expect(page.locator(".map-tip strong")).to_have_text(f"d{row}")
    page.mouse.click(px, py)
    expect(page.locator(".selection .document-id")).to_have_text([f"d{row}"])
    box = stage(page)
    page.mouse.move(box["x"] - 20, box["y"] - 20)
    expect(page.locator(".map-tip")).to_be_hidden()


def test_zooming_and_moving(page: Page) -> None:
    row, px, py = alone(page)
    page.mouse.move(px, py)
    page.evaluate("""() => {
      window.turned = 0;
      document.querySelector(".stage").addEventListener("wheel", () => window.turned++);
    }""")
    for turn in range(5):
        page.mouse.wheel(0, -300)  # the place under the mouse stays where it is
        page.wait_for_function("turn => window.turned > turn", arg=turn)
    page.mouse.move(px + 40, py)
    page.mouse.move(px, py)
    expect(page.locator(".map-tip strong")).to_have_text(f"d{row}")
    page.mouse.down()
    page.mouse.move(px + 60, py + 30, steps=3)
    page.mouse.up()
    page.mouse.click(px + 60, py + 30)
    expect(page.locator(".selection .document-id")).to_have_text([f"d{row}"])
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Show all").click()
    page.mouse.click(px, py)
    expect(page.locator(".selection .document-id")).to_have_text([f"d{row}"])


def test_keys_move_the_map(page: Page) -> None:
    names = (
        "Array.from(document.querySelectorAll('.stage-names span'), one => "
        "one.style.transform).join()"
    )
    page.locator(".stage").focus()
    for key in ("ArrowLeft", "ArrowUp", "+", "-", "0"):  # each draws one frame
        before = page.evaluate(names)
        page.keyboard.press(key)
        page.wait_for_function(f"before => {names} !== before", arg=before)


def test_the_legend_shows_one_group_alone(page: Page) -> None:
    page.get_by_label("Label", exact=True).check()
    expect(page).to_have_url(re.compile("colour=label"))
    entry = page.locator("button.legend-entry").first
    count = int(entry.locator(".figure").inner_text())
    entry.click()
    expect(page.locator("button.legend-entry").first).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Lasso").check()
    draw(page, around(page))
    expect(page.locator(".selection h2")).to_have_text(f"{count} documents")
    page.get_by_label("Time", exact=True).check()
    expect(page.locator(".legend-scale")).to_contain_text("2024")


def test_a_topic_is_shown_on_the_map(visit: Visiting) -> None:
    page = visit("/topics").page
    name = page.locator(".topic-card-name").nth(2).inner_text()  # all are drawn
    page.locator(".topic-card-name").nth(2).click()
    page.get_by_role("link", name="On the map").click()
    expect(page.locator(".legend-entry[aria-pressed=true]")).to_have_count(1)
    expect(page.locator(".legend-entry[aria-pressed=true]")).to_contain_text(name)
    expect(page).to_have_url(re.compile(r"#/map\?.*topic=\d+$"))
    drawn(page)
    count = int(page.locator(".legend-entry[aria-pressed=true] .figure").inner_text())
    page.get_by_label("Lasso").check()
    draw(page, around(page))
    expect(page.locator(".selection h2")).to_have_text(f"{count} documents")


def shown_names(page: Page) -> list[str]:
    return [
        str(one)
        for one in page.locator(".stage-names span").evaluate_all(
            "all => all.filter((one) => one.style.visibility === 'visible').map((one) => "
            "one.textContent)"
        )
    ]


BOXES = """() => Array.from(document.querySelectorAll(".stage-names span"))
  .filter((one) => one.style.visibility === "visible")
  .map((one) => { const box = one.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })"""


def test_every_point_has_a_topic_and_a_colour(page: Page, chosen: int) -> None:
    counts = [int(text) for text in page.locator("button.legend-entry .figure").all_inner_texts()]
    assert sum(counts) == PLACED
    expect(page.locator(".legend-entry:not(button)")).to_have_count(0)
    colours = page.locator(".legend .swatch").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).background)"
    )
    assert len(set(colours)) == len(counts) == chosen


def test_more_topics_are_named_when_near(page: Page) -> None:
    page.wait_for_function(f"() => ({BOXES})().length > 3")
    names = "document.querySelectorAll('.stage-names span').length"
    far = page.evaluate(names)
    known = set(page.locator(".legend-name").all_text_contents())
    assert set(shown_names(page)) <= known
    assert far == len(known)
    page.locator(".stage").focus()
    for _ in range(2):
        page.keyboard.press("+")
    page.wait_for_function(f"far => {names} > far", arg=far)
    page.keyboard.press("0")
    page.wait_for_function(f"far => {names} === far", arg=far)


def test_names_never_cover_each_other(page: Page) -> None:
    box = stage(page)
    page.get_by_label("How many topics, exactly").fill("20")
    page.get_by_label("How many topics, exactly").press("Enter")
    expect(page.locator("button.legend-entry")).to_have_count(20)
    page.locator(".stage").focus()
    for key in ("0", "+", "ArrowLeft", "+", "ArrowUp", "+"):
        page.keyboard.press(key)
        settled(page)  # some frames later
        boxes = page.evaluate(BOXES)
        for place, (left, top, right, bottom) in enumerate(boxes):
            assert left >= box["x"] - 1
            assert right <= box["x"] + box["width"] + 1
            for other in boxes[:place]:
                assert (
                    left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
                )


def test_names_stand_among_their_points(page: Page, chosen: int) -> None:
    found = page.evaluate("""async () => {
      const { readPoints } = await import("/pages/map/points.js");
      const { Tree } = await import("/pages/core/tree.js");
      const { TopicPlaces } = await import("/pages/map/names.js");
      const points = readPoints(await (await fetch("/api/map")).arrayBuffer());
      const tree = new Tree(await (await fetch("/api/tree")).json());
      const places = new TopicPlaces(points, tree);
      return places.of(null).map(({ node, x, y }) => {
        const leaves = new Set(tree.rowsOf(node));
        const near = Array.from(points.placed)
          .map((row) => [Math.hypot(points.positions[2 * row] - x, points.positions[2 * row + 1] - y), row])
          .sort((one, other) => one[0] - other[0]).slice(0, 5);
        return near.filter(([, row]) => leaves.has(points.leaves[row])).length;
      });
    }""")
    assert len(found) == chosen
    assert min(found) >= 2
    assert sum(found) >= 3 * chosen


def test_another_number_of_topics_colours_the_map_anew(page: Page, chosen: int, most: int) -> None:
    expect(page.locator("button.legend-entry")).to_have_count(chosen)
    page.get_by_label("How many topics", exact=True).focus()
    page.keyboard.press("End")
    expect(page.locator("button.legend-entry")).to_have_count(most)
    expect(page).to_have_url(re.compile(rf"#/map\?n={most}$"))
    page.get_by_role("button", name="model’s own").click()
    expect(page.locator("button.legend-entry")).to_have_count(chosen)
    expect(page).to_have_url(re.compile("#/map$"))


def test_fingers_pinch_and_draw(visit: Visiting) -> None:
    """Pointers of fingers, as a phone sends them."""
    page = visit("/map", size=(360, 740), has_touch=True).page
    drawn(page)
    page.locator(".stage").scroll_into_view_if_needed()
    names = (
        "Array.from(document.querySelectorAll('.stage-names span'), one => "
        "one.style.transform).join()"
    )
    before = page.evaluate(names)
    box = stage(page)
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def finger(kind: str, number: int, dx: float) -> None:
        event: dict[str, Any] = {
            "pointerId": number,
            "pointerType": "touch",
            "isPrimary": number == 1,
            "bubbles": True,
        }
        event |= {"clientX": middle[0] + dx, "clientY": middle[1], "button": 0}
        page.evaluate(
            """([kind, event]) => {
              const stage = document.querySelector(".stage");
              stage.setPointerCapture = () => {};
              stage.dispatchEvent(new PointerEvent(kind, event));
            }""",
            [kind, event],
        )

    finger("pointerdown", 1, -20)
    finger("pointerdown", 2, 20)
    finger("pointermove", 2, 90)
    finger("pointerup", 1, -20)
    finger("pointerup", 2, 90)
    page.wait_for_function(f"before => {names} !== before", arg=before)
    expect(page.locator(".selection h2")).to_have_text("Selection")


def test_without_webgl_the_map_is_drawn_plainly(visit: Visiting) -> None:
    shown = visit()
    shown.page.evaluate("""() => {
      const real = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return kind === "webgl2" ? null : real.call(this, kind, ...more);
      };
      location.hash = "/map";
    }""")
    drawn(shown.page)
    until(shown.page, lambda: painted(shown.page) > 1000)
