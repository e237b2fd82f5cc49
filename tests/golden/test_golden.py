"""Models and indices of every released version open, and answer as they did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import undertow
from tests.golden.make import HERE, MODES, QUESTION, count_answers, index_answers, topic_answers

VERSIONS = sorted(path.name for path in HERE.iterdir() if (path / "answers.json").is_file())
CLOSE = 1e-4
"""Of numbers below 10 or so in float32: another processor adds them up in another order."""


def answers(version: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / version / "answers.json").read_text("utf-8"))
    return found


def assert_close(ours: Mapping[str, Any], theirs: Mapping[str, Any], *names: str) -> None:
    for name in names:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=CLOSE, atol=CLOSE, err_msg=name)


def test_there_is_one() -> None:
    assert VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_models_answer_as_they_did(version: str) -> None:
    stored = answers(version)
    topics = undertow.load(HERE / version / "topics")
    assert isinstance(topics, undertow.TopicModel)
    ours = topic_answers(topics)
    assert_close(ours, stored["topics"], "vectors", "topics")
    assert (ours["names"], ours["words"]) == (stored["topics"]["names"], stored["topics"]["words"])
    counts = undertow.load(HERE / version / "counts")
    assert isinstance(counts, undertow.ReplicatedSoftmax)
    assert_close(count_answers(counts), stored["counts"], *stored["counts"])


@pytest.mark.parametrize("version", VERSIONS)
def test_indices_find_what_they_found(version: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(HERE / version / "index", tmp_path / "index"))
    index = undertow.Index.open(copy)
    assert_close(index_answers(index), answers(version)["index"], *MODES)
    assert all(hit.id.startswith("space") for hit in index.search(QUESTION, 5))


@pytest.mark.parametrize("version", VERSIONS)
def test_indices_can_be_added_to(version: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(HERE / version / "index", tmp_path / "index"))
    index = undertow.Index.open(copy)
    before = len(index)
    index.add(["A penalty for the home team. The striker scored."])
    assert len(undertow.Index.open(copy)) == before + 1
