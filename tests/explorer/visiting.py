"""Opening pages of an explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Open, Visit
from tests.explorer.serving import Served, served

Visiting = Callable[..., Visit]
SLOWEST = 10_000  # milliseconds for what a test waits for


@pytest.fixture(scope="module")
def explorer(small_index: Path) -> Iterator[Served]:
    """An explorer of the small index."""
    with served(small_index) as running:
        yield running


@pytest.fixture
def visit(open_browser: Open, explorer: Served) -> Visiting:
    """Opens a page of it, such as "/topics/3", and waits until it is drawn."""
    return visitor(open_browser, explorer)


def visitor(open_browser: Open, explorer: Served) -> Visiting:
    """The same for any explorer."""

    def go(route: str = "/topics", **options: Any) -> Visit:
        visit = open_browser(**options)
        visit.page.set_default_timeout(SLOWEST)
        if explorer.token is not None:
            visit.page.goto(f"{explorer.address}#token={explorer.token}")
            visit.page.locator("main h1").wait_for(state="attached")
        visit.page.goto(explorer.at(route))
        visit.page.locator("main h1").wait_for(state="attached")
        return visit

    return go
