"""An index keeps a model whose topics were edited, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from undertow import InvalidInput, TopicModel
from undertow.files.atomic import FolderKind
from undertow.search import Index
from undertow.search.folder import layout

TEXTS = [
    "apple pear plum orchard juice",
    "rocket orbit moon planet launch",
    "violin guitar melody chord tune",
] * 30


@pytest.fixture
def index(tmp_path: Path) -> Index:
    model = TopicModel(6, random_state=0).fit(TEXTS)
    return Index.create(tmp_path / "index", model, TEXTS)


def test_what_was_edited_is_found_again(index: Index) -> None:
    node = next(iter(index.model.topic_names()))
    index.model.rename_topic(node, "renamed")
    index.save_model()
    again = Index.open(index.path)
    assert again.model.topic(node).name == "renamed"
    assert again.state == index.state
    assert json.loads((index.path / "index.json").read_text())["model"] == layout.model_digest(
        index.path
    )
    assert {name for name in os.listdir(index.path) if name.startswith(".")} == set()


@pytest.mark.parametrize("step", ["facts before", "aside", "in place", "facts after"])
def test_cut_off_anywhere_the_index_opens(
    index: Index, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """As a power cut would leave it: nothing is tidied up."""
    node = next(iter(index.model.topic_names()))
    before = index.model.topic(node).name
    index.model.rename_topic(node, "renamed")
    calls = []

    class Cut(BaseException):
        pass

    def dying(real: Any, when: int) -> Any:
        def run(*given: Any) -> None:
            calls.append(given)
            if len(calls) == when:
                raise Cut
            real(*given)

        return run

    if step.startswith("facts"):
        monkeypatch.setattr(
            layout, "write_facts", dying(layout.write_facts, 1 if step == "facts before" else 2)
        )
    else:
        real = FolderKind.put_in_place

        def halfway(kind: FolderKind, new: Path, target: Path, **named: Any) -> None:
            if target.parent != index.path:
                real(kind, new, target, **named)  # what is written beside it first
                return
            os.rename(target, target.parent / f".{target.name}.undertow-old")
            if step == "in place":
                os.rename(new, target)
            raise Cut

        monkeypatch.setattr(FolderKind, "put_in_place", halfway)
    with pytest.raises(Cut):
        index.save_model()
    monkeypatch.undo()
    found = Index.open(index.path)
    assert found.model.topic(node).name == (
        "renamed" if step in ("in place", "facts after") else before
    )
    found.model.rename_topic(node, "later")
    found.save_model()
    assert Index.open(index.path).model.topic(node).name == "later"


def test_a_model_that_was_trained_is_refused(index: Index) -> None:
    index.model.softmax_.parameters_.weights[0, 0] += np.float32(1)
    with pytest.raises(InvalidInput, match="must give the vectors that the index holds"):
        index.save_model()
    Index.open(index.path)


def test_a_model_that_gives_other_codes_is_refused(index: Index) -> None:
    assert index.model.softmax_.codes_ is not None
    for codes in (None, replace(index.model.softmax_.codes_, centre=np.zeros(6, np.float32))):
        index.model.softmax_.codes_ = codes
        with pytest.raises(InvalidInput, match="must give the vectors that the index holds"):
            index.save_model()


def test_an_index_of_an_earlier_version_goes_on_with_thresholds(tmp_path: Path) -> None:
    model = TopicModel(6, random_state=0).fit(TEXTS)
    model.softmax_.codes_ = None  # as such a model loads
    index = Index.create(tmp_path / "index", model, TEXTS)
    index.add(["apple rocket guitar"])
    again = Index.open(index.path)
    assert again.model.softmax_.codes_ is None
    (part,) = again.scan(["code", "text"])
    on = again.model.encode(part["text"].to_list(), "posterior") > 0.5
    np.testing.assert_array_equal(np.unpackbits(part["code"], axis=1, count=6), on)
    assert again.search("apple pear", n=1, mode="code")[0].score == 1.0
    again.save_model()
