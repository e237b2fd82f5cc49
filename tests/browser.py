"""A browser for tests of pages: Playwright with the Chromium of the system.

A folder that wants it says so in its conftest.py:
`from tests.browser import browser, open_browser`. What a page writes to the console as an error,
what it fails with, and every request that leaves the machine is collected, and fails the test at
its end unless the test said that it is meant: `visit.meant.append("404")`. It may come late.

A page is drawn, and then drawn on: what comes later has to be waited for. `expect(...)` waits, and
`settled(page)` waits until nothing more is to come. Never read a page that is neither. Whether a
test does shows with `tests/slowness.py`.
"""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.slowness import slowdown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
"""Nothing outside this machine can be reached. That is left to the browser: a handler of Playwright
would be asked about every file of every page, and would switch its cache off.
"""
ARTEFACTS = Path(__file__).parent / "artefacts"
WIDE, PHONE = (1280, 900), (390, 844)
PATIENCE = 60_000  # milliseconds; only what hangs takes as long
TURNS = itertools.count()
HERE = ("127.0.0.1", "localhost", "[::1]", "::1")

WATCH = """(() => {
  const names = ["fetch", "setTimeout", "clearTimeout"];
  const real = Object.fromEntries(names.map((name) => [name, window[name].bind(window)]));
  const timers = new Set(); // those that are waited for
  let coming = 0; // answers and timers
  const over = () => real.setTimeout(() => coming--); // whoever waited for it goes on first
  const counted = (promise) => {
    coming++;
    promise.then(over, over);
    return promise;
  };
  window.fetch = (...given) => counted(real.fetch(...given));
  for (const name of ["json", "text", "arrayBuffer"]) {
    const read = Response.prototype[name];
    Response.prototype[name] = function () { return counted(read.call(this)); };
  }
  window.setTimeout = (act, pause = 0, ...more) => {
    if (pause > 5000) pause *= 100; // messages that go by themselves stay, however slow the test is
    if (pause > 500) return real.setTimeout(act, pause, ...more);
    coming++;
    const timer = real.setTimeout(() => {
      if (timers.delete(timer)) over();
      act(...more);
    }, pause);
    timers.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    if (timers.delete(timer)) coming--;
    real.clearTimeout(timer);
  };
  const busy = "main .state.loading, [aria-busy=true], .plot-notice [role=status]";
  let [turn, frames] = [null, 0];
  window.settled = (mine) => {
    if (mine !== turn) [turn, frames] = [mine, 0];
    const drawn = document.querySelector("main h1") && !document.querySelector(busy);
    frames = coming || !drawn ? 0 : frames + 1;
    return frames > 3;
  };
})();"""
"""Counts what a page of the explorer still waits for: answers, and timers of up to 0.5 seconds."""


@dataclass
class Visit:
    """A page, and what went wrong on it."""

    page: Page
    errors: list[str] = field(default_factory=list)  # of the console, and of scripts
    outward: list[str] = field(
        default_factory=list
    )  # addresses elsewhere that were asked for, and not answered
    meant: list[str] = field(default_factory=list)  # parts of errors that a test is about

    def unmeant(self) -> list[str]:
        """What went wrong and should not have."""
        return [error for error in self.errors if not any(part in error for part in self.meant)]

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
    api.expect.set_options(timeout=PATIENCE)
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
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WATCH)
        visit = Visit(context.new_page())
        if slowdown() > 1:
            session = context.new_cdp_session(visit.page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown()})
        for event in ("requestfinished", "requestfailed"):
            visit.page.on(event, lambda request: _hear(request, visit))
        visit.page.on(
            "console", lambda said: visit.errors.append(said.text) if said.type == "error" else None
        )
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visits.append(visit)
        return visit

    yield open_page
    for context in contexts:
        context.close()
    assert [error for visit in visits for error in visit.unmeant()] == []
    assert [address for visit in visits for address in visit.outward] == []


def _hear(request: Request, visit: Visit) -> None:
    """Keeps the addresses that are neither files nor of this machine, and that the page's own
    policy let through.
    """
    address = urlsplit(request.url)
    here = address.scheme in ("file", "data", "blob", "about") or address.hostname in HERE
    if not here and request.failure != "csp":
        visit.outward.append(request.url)


def settled(page: Page) -> None:
    """Waits until a page of the explorer has all that it asked for, and has drawn it."""
    page.wait_for_function("(turn) => window.settled(turn)", arg=next(TURNS))


def frames(page: Page) -> None:
    """Waits until what the mouse and the keys did is drawn."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Waits for what is not seen on the page itself, but by the test."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < PATIENCE / 1000, "what was waited for never came"
        page.wait_for_timeout(20)  # meanwhile events of the page are heard
