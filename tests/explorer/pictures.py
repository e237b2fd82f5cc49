"""Pictures of the explorer for the manual, and how quickly its pages are there.

    python -m tests.explorer.pictures INDEX FOLDER [--topics 20] [--document ID] [--question WORDS]
    python -m tests.explorer.pictures INDEX --times

The pictures of docs/images are of 20 Newsgroups. Colours are reduced to 256, which keeps a picture
below 200 kB.
"""

from __future__ import annotations

import argparse
import io
import shutil
import statistics
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.browser import ARGUMENTS, NAMES
from tests.explorer.serving import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZE, TALL, PHONE = (1280, 900), (1280, 1130), (390, 844)
TOKEN = "only-for-pictures"
RUNS = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
DRAWN = (
    "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
)


def opened(browser: Browser, size: tuple[int, int] = SIZE, *, dark: bool = False) -> Page:
    """An empty page without a memory of earlier ones."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    return context.new_page()


def take(page: Page, address: str, ready: str, file: Path, *, edit: bool = False) -> None:
    """One picture, once what it is about is drawn."""
    from PIL import Image

    page.goto(address)
    page.locator(ready).first.wait_for()
    if edit:
        page.get_by_role("button", name="Edit").click()
        page.locator(".topic-tick").nth(0).check()
        page.locator(".topic-tick").nth(3).check()
        page.get_by_role("button", name="Rename").nth(2).click()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    page.context.close()


def pictures(browser: Browser, explorer: Served, folder: Path, given: argparse.Namespace) -> None:
    """All pictures of the manual. Nothing is edited: what is to be pressed for that is only
    shown.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = f"/documents/{quote(given.document, safe='')}"
    for name, route, ready, dark, size in (
        ("topics", f"/topics?n={given.topics}", ".quotation", False, TALL),
        ("map", "/map", ".legend", True, SIZE),
        ("search", f"/search?q={quote(given.question)}", ".document", False, SIZE),
        ("document", text, ".section .document", False, SIZE),
        ("edit", "/topics", ".quotation", False, SIZE),
        ("phone", f"/topics?n={given.topics}", ".quotation", True, PHONE),
    ):
        page = opened(browser, size, dark=dark)
        if name == "edit":
            page.goto(f"{explorer.address}#token={TOKEN}")
            page.locator(".topic-card").first.wait_for()
        take(page, explorer.at(route), ready, folder / f"explorer-{name}.png", edit=name == "edit")


def times(browser: Browser, explorer: Served) -> dict[str, float]:
    """Medians in milliseconds, each time with an empty cache."""
    paints, topics, maps = [], [], []
    for _ in range(RUNS):
        page = opened(browser)
        page.goto(explorer.at("/topics"))
        page.locator(".topic-card").first.wait_for()
        topics.append(float(page.evaluate(DRAWN)))
        paints.append(float(page.evaluate(PAINT)))
        page.context.close()
        page = opened(browser)
        page.goto(explorer.at("/map"))
        page.locator(".legend").wait_for()
        maps.append(float(page.evaluate(DRAWN)))
        page.context.close()
    found = {"first contentful paint": paints, "topics drawn": topics, "map drawn": maps}
    return {name: round(statistics.median(values)) for name, values in found.items()}


def main() -> None:
    """The command."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("index", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--document", default="train/sci.space/60774")
    parser.add_argument("--question", default="a rocket to the moon")
    given = parser.parse_args()
    program = next(filter(None, map(shutil.which, NAMES)), None)
    with served(given.index, TOKEN) as explorer, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        if given.folder is not None:
            pictures(browser, explorer, given.folder, given)
        if given.times:
            print(times(browser, explorer))  # noqa: T201


if __name__ == "__main__":
    main()
