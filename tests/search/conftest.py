"""A small model of two themes, and an index of its documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from undertow import TopicModel
from undertow.search import Index

THEMES = (
    "apple pear plum cherry grape melon orchard juice ripe fruit",
    "engine wheel brake clutch gear diesel garage tyre road driver",
)


def make_table(documents: int = 120, seed: int = 0) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    texts = [
        " ".join(generator.choice(THEMES[number % 2].split(), size=generator.integers(6, 15)))
        for number in range(documents)
    ]
    labels = [("fruit", "cars", None)[number % 3] for number in range(documents)]
    ids = [f"d{number}" for number in range(documents)]
    return pl.DataFrame({"id": ids, "text": texts, "label": labels, "split": ["train"] * documents})


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    return make_table()


@pytest.fixture(scope="session")
def model(table: pl.DataFrame) -> TopicModel:
    return TopicModel(12, max_epochs=40, batch_size=32, random_state=0).fit(table)


@pytest.fixture
def index(tmp_path: Path, model: TopicModel, table: pl.DataFrame) -> Index:
    return Index.create(tmp_path / "index", model, table)
