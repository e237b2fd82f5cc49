"""Sound folders and files, of which tests make unsound ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import undertow

SPACE = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
FOOD = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
TEXTS = (SPACE + FOOD) * 20


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of texts, one of counts, and a curation file."""
    place = tmp_path_factory.mktemp("sound")
    model = undertow.TopicModel(8, stop_words="english", max_epochs=5, random_state=0).fit(TEXTS)
    model.rename_topic(model.topics(2)[0].id, "Moon")
    model.seed_topic("Fruit", ["apples", "pears"])
    model.save(place / "texts")
    model.save_curation(place / "curation.json")
    counts = model.counts(TEXTS)
    undertow.ReplicatedSoftmax(4, max_epochs=3, random_state=0).fit(counts).save(place / "counts")
    return place
