"""A small model of two themes, documents with labels and times, and a map that takes no time."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest

from tests.search.conftest import index, make_table, model
from undertow.insight import layout

__all__ = ["index", "model"]


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    plain = make_table()
    days = [date(2024, 1, 1) + timedelta(days=3 * number) for number in range(plain.height)]
    return plain.with_columns(pl.Series("time", [None, *days[1:]]))


@pytest.fixture(autouse=True)
def quick_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested holds after any number of iterations."""
    monkeypatch.setattr(layout, "EARLY", 10)
    monkeypatch.setattr(layout, "LATE", 15)
    monkeypatch.setattr(layout, "EVERY", 5)
