"""What tests of reports share: a hostile model and its documents, a report of them, and a
browser.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.browser import browser, open_browser
from tests.plot.conftest import model, overview, table
from undertow import TopicModel, insight
from undertow.report import write_report

__all__ = ["browser", "model", "open_browser", "overview", "table"]


@pytest.fixture
def map_is_known(overview: insight.Overview, monkeypatch: pytest.MonkeyPatch) -> None:
    """The overview of the table is not computed again: laying out a map takes longest."""
    monkeypatch.setattr(insight, "overview_of_texts", lambda model, corpus, progress=None: overview)


@pytest.fixture(scope="session")
def report(
    model: TopicModel, table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A report with everything in it."""
    title = "Fruit & <script>window.hacked=8</script>"
    return write_report(
        model, tmp_path_factory.mktemp("report") / "report.html", table, title=title
    )
