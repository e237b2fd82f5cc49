"""The browser fixture sees what it is there to see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Open, until


def test_errors_and_requests_are_collected(open_browser: Open, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>here</p><img src='https://example.org/a.png'><script>nonsense()</script>")
    visit = open_browser()
    visit.page.goto(file.as_uri())
    assert visit.page.inner_text("p") == "here"
    until(visit.page, lambda: any("nonsense is not defined" in error for error in visit.errors))
    until(visit.page, lambda: bool(visit.outward))
    assert visit.outward == ["https://example.org/a.png"]
    visit.meant += ["ERR_NAME_NOT_RESOLVED", "nonsense is not defined"]
    visit.outward.clear()


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark(open_browser: Open, tmp_path: Path, dark: bool) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>here</p>")
    page = open_browser(dark=dark, size=(400, 300)).page
    page.goto(file.as_uri())
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is dark
    assert page.evaluate("innerWidth") == 400
