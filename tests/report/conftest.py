"""What tests of reports share: a browser."""

from __future__ import annotations

from tests.browser import browser, open_browser

__all__ = ["browser", "open_browser"]
