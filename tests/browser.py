"""A browser for tests of pages: Playwright with the Chromium of the system.

A folder that wants it says so in its conftest.py:
`from tests.browser import browser, open_browser`. What a page writes to the console as an error,
what it fails with, and every request that leaves the machine is collected, and fails the test at
its end unless the test took it out of the list.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
)
ARTEFACTS = Path(__file__).parent / "artefacts"
WIDE, PHONE = (1280, 900), (390, 844)
HERE = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass
class Visit:
    """A page, and what went wrong on it."""

    page: Page
    errors: list[str] = field(default_factory=list)  # of the console, and of scripts
    outward: list[str] = field(
        default_factory=list
    )  # addresses elsewhere that were asked for, and not answered

    def screenshot(self, name: str, *, full: bool = True) -> Path:
        """A picture in tests/artefacts, or in the folder that UNDERTOW_ARTEFACTS names."""
        folder = Path(os.environ.get("UNDERTOW_ARTEFACTS") or ARTEFACTS)
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png", full_page=full)
        return folder / f"{name}.png"


Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file. Playwright's loop runs meanwhile, so not for the whole
    session.
    """
    api = pytest.importorskip(
        "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
    )
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"tests of pages need a browser on the PATH: one of {', '.join(NAMES)}")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture
def open_browser(browser: Browser) -> Iterator[Open]:
    """Opens pages: `open_browser(dark=False, size=WIDE)` gives a `Visit` with an empty page."""
    visits: list[Visit] = []
    contexts: list[Any] = []

    def open_page(*, dark: bool = False, size: tuple[int, int] = WIDE, **more: Any) -> Visit:
        viewport: Any = {"width": size[0], "height": size[1]}
        context = browser.new_context(
            color_scheme="dark" if dark else "light", viewport=viewport, **more
        )
        contexts.append(context)
        visit = Visit(context.new_page())
        context.route("**/*", lambda route: _answer(route, visit))
        visit.page.on(
            "console", lambda said: visit.errors.append(said.text) if said.type == "error" else None
        )
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visits.append(visit)
        return visit

    yield open_page
    for context in contexts:
        context.close()
    assert [error for visit in visits for error in visit.errors] == []
    assert [address for visit in visits for address in visit.outward] == []


def _answer(route: Route, visit: Visit) -> None:
    """Lets files and this machine answer, and nobody else."""
    address = urlsplit(route.request.url)
    if address.scheme in ("file", "data", "blob", "about") or address.hostname in HERE:
        route.continue_()
    else:
        visit.outward.append(route.request.url)
        route.abort()
