"""A small model of two themes, documents with labels and times, and a map that takes no time."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

from tests.search.conftest import make_table
from undertow import ReplicatedSoftmax, TopicModel, Vectorizer
from undertow.insight import layout
from undertow.search import Index


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    plain = make_table()
    days = [date(2024, 1, 1) + timedelta(days=3 * number) for number in range(plain.height)]
    return plain.with_columns(pl.Series("time", [None, *days[1:]]))


@pytest.fixture(scope="session")
def model(table: pl.DataFrame) -> TopicModel:
    softmax = ReplicatedSoftmax(12, max_epochs=40, batch_size=32)
    return TopicModel(12, vectorizer=Vectorizer(min_df=1), softmax=softmax, random_state=0).fit(table)


@pytest.fixture
def index(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> Index:
    return Index.create(tmp_path / "index", model, table)


@pytest.fixture(autouse=True)
def quick_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested holds after any number of iterations."""
    monkeypatch.setattr(layout, "EARLY", 10)
    monkeypatch.setattr(layout, "LATE", 15)
    monkeypatch.setattr(layout, "EVERY", 5)
