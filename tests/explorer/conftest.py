"""Small models and indices for the explorer: six themes over two years, hostile texts, and a model
without an index.
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.browser import browser, open_browser
from tests.explorer.visiting import explorer, visit
from undertow import TopicModel
from undertow.search import Index

__all__ = ["browser", "explorer", "open_browser", "visit"]

THEMES = {
    "fruit": "apple pear plum cherry grape melon orchard juice ripe harvest",
    "cars": "engine wheel brake clutch gear diesel garage tyre road driver",
    "space": "rocket orbit moon planet launch satellite shuttle astronaut comet crew",
    "music": "violin guitar melody chord concert rhythm singer piano album tune",
    "sea": "harbour sailor anchor wave tide island boat storm whale lighthouse",
    "chess": "bishop pawn knight castle queen opening endgame gambit board rook",
}
COMMON = ["day", "people", "time", "year", "way", "thing", "good", "new", "long", "small"]

ATTACKS = (
    "<script>window.attacked = 'script'</script>",
    "<img src=x onerror=\"window.attacked = 'image'\">",
    '"><svg onload="window.attacked = \'svg\'">',
    "<a href=\"javascript:window.attacked = 'link'\">apple</a>",
    "</title></textarea><b>bold</b> &amp; &lt;i&gt;",
)
"""Texts that would set a flag of the window where they were taken for HTML."""


def make_table(documents: int = 300, seed: int = 0) -> pl.DataFrame:
    """Documents of one theme or two, each theme more or less frequent in its season; some with
    letters that take two units in JavaScript, some long, one without a word that a model knows.
    """
    generator = np.random.default_rng(seed)
    names = list(THEMES)
    rows: list[tuple[str, str, str | None, datetime | None]] = []
    for number in range(documents):
        season = 2 * np.pi * number / documents
        weights = np.exp(np.cos(season - 2 * np.pi * np.arange(len(names)) / len(names)))
        first, second = generator.choice(len(names), 2, replace=False, p=weights / weights.sum())
        words = list(generator.choice(THEMES[names[first]].split(), 12 if number % 40 else 200))
        words += list(generator.choice(COMMON, 6))
        if number % 4 == 0:
            words += list(generator.choice(THEMES[names[second]].split(), 8))
        text = " ".join(generator.permutation(words))
        when = datetime(2024, 1, 1) + timedelta(hours=int(number * 2 * 365 * 24 / documents))
        decorated = f"🚀 {text} 👩‍🚀" if number % 7 == 0 else text.capitalize() + "."
        rows.append((f"d{number}", decorated, names[first] if number % 5 else None, when))
    rows.append(("unknown", "zzz qqq xyzzy", None, None))
    columns = {"id": pl.String, "text": pl.String, "label": pl.String, "time": pl.Datetime}
    return pl.DataFrame(rows, schema=columns, orient="row")


def hostile_table() -> pl.DataFrame:
    """Texts, labels and ids that hold markup, among harmless ones."""
    table = make_table(120)
    attacks = pl.DataFrame(
        {
            "id": [f"{attack}/?#%2F&{number}" for number, attack in enumerate(ATTACKS)],
            "text": [f"{attack} apple pear plum orchard juice ripe {attack}" for attack in ATTACKS],
            "label": list(ATTACKS),
            "time": [table["time"][7 * number] for number in range(len(ATTACKS))],
        }
    )
    return pl.concat([table, attacks])


def hostile_names() -> list[str]:
    """Names of topics as a user might give them."""
    return [f"{attack} {number}" for number, attack in enumerate(ATTACKS)]


def fitted(table: pl.DataFrame, topics: int = 12) -> TopicModel:
    """A model that was judged while it learned, so that its history has every curve."""
    options = {"max_epochs": 30, "batch_size": 32, "early_stopping": True}
    return TopicModel(topics, min_df=2, random_state=0, **options).fit(table)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def small_table() -> pl.DataFrame:
    return make_table()


@pytest.fixture(scope="session")
def small_model(small_table: pl.DataFrame) -> TopicModel:
    return fitted(small_table)


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, small_model: TopicModel) -> Path:
    """A model without an index."""
    return small_model.save(tmp_path_factory.mktemp("models") / "model")


@pytest.fixture(scope="session")
def small_index(
    tmp_path_factory: pytest.TempPathFactory, small_model: TopicModel, small_table: pl.DataFrame
) -> Path:
    """An index with labels and times; tests that change an index copy it first."""
    folder = tmp_path_factory.mktemp("indices") / "small"
    Index.create(folder, small_model, small_table)
    return folder


@pytest.fixture(scope="session")
def chosen(small_model: TopicModel) -> int:
    """The model's own number of topics."""
    return len(small_model.topics())


@pytest.fixture(scope="session")
def most(small_model: TopicModel) -> int:
    """The number of the smallest topics."""
    return len(small_model.atlas_.tree.leaves)


@pytest.fixture
def own_index(tmp_path: Path, small_index: Path) -> Path:
    """A copy of the small index that a test may change."""
    return Path(shutil.copytree(small_index, tmp_path / "own"))


@pytest.fixture
def own_model(tmp_path: Path, model_folder: Path) -> Path:
    """A copy of the model that a test may change."""
    return Path(shutil.copytree(model_folder, tmp_path / "own_model"))


@pytest.fixture(scope="session")
def script_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose texts, labels, ids, and names of topics and units hold markup."""
    table = hostile_table()
    model = fitted(table)
    model.name_units({number: f"{attack} {number}" for number, attack in enumerate(ATTACKS)})
    model.name_topics(dict(zip(list(model.topic_names()), hostile_names(), strict=False)))
    folder = tmp_path_factory.mktemp("indices") / "scripts"
    Index.create(folder, model, table)
    return folder
