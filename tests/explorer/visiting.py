"""Opening pages of an explorer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest

from tests.browser import Open, Visit, settled
from tests.explorer.serving import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visiting = Callable[..., Visit]


@pytest.fixture(scope="module")
def explorer(small_index: Path) -> Iterator[Served]:
    """An explorer of the small index."""
    with served(small_index) as running:
        yield running


@pytest.fixture
def visit(open_browser: Open, explorer: Served) -> Visiting:
    """Opens a page of it, such as "/topics/3", and waits until it is drawn and nothing more
    comes.
    """
    return visitor(open_browser, explorer)


def visitor(open_browser: Open, explorer: Served) -> Visiting:
    """The same for any explorer."""

    def see(route: str = "/topics", **options: Any) -> Visit:
        visit = open_browser(**options)
        if explorer.token is not None:
            visit.page.goto(f"{explorer.address}#token={explorer.token}")
            settled(visit.page)
        visit.page.goto(explorer.at(route))
        settled(visit.page)
        return visit

    return see


def go(page: Page, route: str) -> None:
    """Follows a link to a page of the same explorer, and waits until nothing more comes."""
    page.evaluate(
        """(hash) => new Promise((done) => {
          if (location.hash === hash) return done();
          addEventListener("hashchange", () => done(), { once: true }); // the page hears it first
          location.hash = hash;
        })""",
        f"#{route}",
    )
    settled(page)


def answered(page: Page, question: str) -> None:
    """Waits for the answer to what was typed last, as it stands in the address."""
    from playwright.sync_api import expect

    expect(page).to_have_url(re.compile(rf"[?&]q={re.escape(quote_plus(question))}(&|$)"))
    settled(page)
