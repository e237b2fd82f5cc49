"""What tests of figures share: a hostile model, an overview of its documents, and a browser."""

from __future__ import annotations

import polars as pl
import pytest

from tests.browser import browser, open_browser
from tests.plot.hostile import make_model, make_table
from undertow import TopicModel
from undertow.insight import Overview, overview_of_texts

__all__ = ["browser", "open_browser"]


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    return make_table()


@pytest.fixture(scope="session")
def model(table: pl.DataFrame) -> TopicModel:
    return make_model(table)


@pytest.fixture(scope="session")
def overview(model: TopicModel, table: pl.DataFrame) -> Overview:
    return overview_of_texts(model, table)
