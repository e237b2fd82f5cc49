"""How an overview is kept with its index, and what is not taken from strangers."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.insight.test_overview import assert_same
from undertow import InvalidInput, TopicModel
from undertow.insight import layout, overview_of_index, overview_of_texts, stored_overview
from undertow.search import Index
from undertow.storage import read_folder, write_folder


def test_it_is_stored_and_read(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored_overview(index) is None
    found = overview_of_index(index)
    again = Index.open(index.path)  # the folder is still an index
    assert_same(stored_overview(again) or replace(found, ids=[]), found)
    monkeypatch.setattr(layout, "positions", None)  # not computed again
    assert_same(overview_of_index(again), found)
    assert sorted(os.listdir(index.path / "overview")) == ["model.json", "weights.safetensors"]
    assert index.info()["bytes"] > sum(
        file.stat().st_size for file in (index.path / "overview").iterdir()
    )


def test_a_change_of_the_index_asks_for_a_new_one(
    index: Index, caplog: pytest.LogCaptureFixture
) -> None:
    overview_of_index(index)
    index.delete("d0")
    assert stored_overview(index) is None
    assert not caplog.records
    found = overview_of_index(index)
    assert (len(found), "d0" in found.ids) == (119, False)
    assert_same(stored_overview(Index.open(index.path)) or replace(found, ids=[]), found)


def test_it_is_of_the_routes_to_the_leaves(index: Index) -> None:
    """Curation leaves them as they are; `partial_fit` may change them, or add leaves."""
    found = overview_of_index(index)
    model = index.model
    first, second = model.atlas_.cut(3)[:2]
    model.merge_topics([first, second])
    assert_same(stored_overview(index) or replace(found, ids=[]), found)
    model.partial_fit(["wheel road diesel plum garage"] * 5)
    assert stored_overview(index) is None
    again = overview_of_index(index)
    assert again.routes != found.routes
    assert len(again.typical) == len(model.atlas_.tree.leaves)
    assert_same(stored_overview(index) or found, again)


def test_a_model_without_topics_is_told_so(index: Index) -> None:
    overview_of_index(index)
    del index.model.atlas_
    assert stored_overview(index) is None
    with pytest.raises(InvalidInput, match="tree of topics"):
        overview_of_index(index)
    with pytest.raises(InvalidInput, match="tree of topics"):
        overview_of_texts(index.model, ["plum"])


def test_an_index_with_an_overview_can_be_replaced(
    index: Index, model: TopicModel, table: pl.DataFrame
) -> None:
    overview_of_index(index)
    again = Index.create(index.path, model, table[:50], overwrite=True)
    assert stored_overview(again) is None
    assert len(overview_of_index(again)) == 50


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for this user"
)
def test_a_folder_that_cannot_be_written(index: Index, caplog: pytest.LogCaptureFixture) -> None:
    os.chmod(index.path, 0o555)
    try:
        assert len(overview_of_index(index)) == 120
    finally:
        os.chmod(index.path, 0o755)
    assert "is not stored" in caplog.text


def test_what_cannot_be_stored_is_still_given(
    index: Index, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*args: Any, **more: Any) -> None:
        raise PermissionError(13, "read-only")

    monkeypatch.setattr(os, "mkdir", refuse)
    with caplog.at_level(logging.WARNING):
        assert len(overview_of_index(index)) == 120
    assert "is not stored" in caplog.text
    assert not (index.path / "overview").exists()


# Strangers


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, model: TopicModel, table: pl.DataFrame
) -> Index:
    """One index for all who leave a sound overview behind."""
    return Index.create(tmp_path_factory.mktemp("shared") / "index", model, table)


def rewritten(index: Index, **changes: Any) -> None:
    """The stored overview with other arrays (None: without) or manifest entries, and checksums that
    fit.
    """
    folder = index.path / "overview"
    manifest, arrays = read_folder(folder, kind="overview")
    for name, value in changes.items():
        name = name.replace("__", ".")
        target: dict[str, Any] = manifest if name in manifest else arrays
        if value is None:
            del target[name]
        else:
            target[name] = value(target[name]) if callable(value) else value
    write_folder(folder, kind="overview", manifest=manifest, arrays=arrays, overwrite=True)


def with_value(value: Any, place: Any = 0) -> Any:
    def change(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        array = array.copy()
        array[place] = value
        return array

    return change


WRONG: dict[str, Any] = {
    "too few positions": {"positions": lambda array: array[1:]},
    "positions beyond the map": {"positions": with_value(1.5)},
    "half a position": {"positions": with_value(np.nan, (0, 0))},
    "an endless position": {"positions": with_value(np.inf)},
    "positions of another type": {"positions": lambda array: array.astype(np.float64)},
    "flat positions": {"positions": lambda array: array.ravel()},
    "a leaf too many": {"leaves": with_value(10)},
    "a leaf below none": {"leaves": with_value(-2)},
    "nearer than can be": {"nearness": with_value(1.5)},
    "nearness that is none": {"nearness": with_value(np.nan)},
    "nearness of more documents": {"nearness": lambda array: np.append(array, array[:1])},
    "a label that is none": {"label_of": with_value(2)},
    "a typical row that is none": {"typical": with_value(120, (0, 0))},
    "other typical rows": {"typical": lambda array: array[:, :5].copy()},
    "ids that end beyond the end": {"ids__ends": with_value(10**9, -1)},
    "ids that go back": {"ids__ends": with_value(10**6, 3)},
    "ids below the beginning": {"ids__ends": with_value(-1, 0)},
    "ids that are no text": {"ids__bytes": with_value(255, 5)},
    "too few ids": {"ids__ends": lambda array: array[1:]},
    "no ids": {"ids__ends": None},
    "no positions": {"positions": None},
    "endless times": {"times": with_value(np.inf)},
    "too few times": {"times": lambda array: array[1:]},
    "times of no kind": {"time_kind": "soon"},
    "a kind without times": {"times": None},
    "edges that go back": {"edges": with_value(1e15)},
    "no edge": {"edges": lambda array: array[:1]},
    "documents below none": {"documents": with_value(-1)},
    "more documents than there are": {"documents": with_value(121)},
    "documents of other bins": {"documents": lambda array: array[1:]},
    "counts below none": {"counts": with_value(-1)},
    "counts above the documents": {"counts": with_value(40, (0, 0))},
    "counts of other leaves": {"counts": lambda array: array[:, 1:].copy()},
    "no counts": {"counts": None},
    "of another number": {"sampled_from": 121},
    "seconds that are none": {"map_seconds": "long"},
    "no seconds": {"map_seconds": None},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG.keys())
def test_an_overview_that_is_not_sound_is_not_used(
    shared: Index, caplog: pytest.LogCaptureFixture, changes: dict[str, Any]
) -> None:
    found = overview_of_index(shared)
    rewritten(shared, **changes)
    with caplog.at_level(logging.WARNING):
        assert stored_overview(shared) is None
    assert "is not used" in caplog.text
    assert_same(overview_of_index(shared), found, but=("map_seconds",))
    caplog.clear()
    assert stored_overview(shared) is not None  # what was wrong has been replaced
    assert not caplog.records


def test_of_another_format_or_state_it_is_just_not_used(
    index: Index, caplog: pytest.LogCaptureFixture
) -> None:
    overview_of_index(index)
    for changes in ({"format": 1}, {"state": "another-1"}, {"state": None}, {"routes": "other"}):
        rewritten(index, **changes)
        assert stored_overview(index) is None
    assert not caplog.records


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
@pytest.mark.parametrize("way", ["cut", "gone", "other"])
def test_damaged_files_are_replaced(
    shared: Index, caplog: pytest.LogCaptureFixture, name: str, way: str
) -> None:
    overview_of_index(shared)
    file = shared.path / "overview" / name
    content = file.read_bytes()
    file.unlink()
    if way != "gone":
        file.write_bytes(content[:-9] if way == "cut" else b"{}")
    with caplog.at_level(logging.WARNING):
        assert stored_overview(shared) is None
    assert "is not used" in caplog.text
    assert len(overview_of_index(shared)) == 120
    assert stored_overview(shared) is not None


def test_files_that_are_too_large_are_not_read(
    index: Index, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from undertow.insight import _overview_on_disk

    overview_of_index(index)
    monkeypatch.setattr(_overview_on_disk, "LARGEST", 1000)
    monkeypatch.setattr(_overview_on_disk, "read_folder", None)
    with caplog.at_level(logging.WARNING):
        assert stored_overview(index) is None
    assert "at most 1,000 bytes" in caplog.text


def test_links_are_not_followed(
    index: Index, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    overview_of_index(index)
    os.rename(index.path / "overview", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", index.path / "overview")
    with caplog.at_level(logging.WARNING):
        assert stored_overview(index) is None
        assert len(overview_of_index(index)) == 120
    assert sorted(os.listdir(tmp_path / "elsewhere")) == ["model.json", "weights.safetensors"]
    assert "is not used" in caplog.text


def test_what_somebody_else_put_there_stays(index: Index, caplog: pytest.LogCaptureFixture) -> None:
    (index.path / "overview").mkdir()
    (index.path / "overview" / "diary.txt").write_text("dear diary")
    with caplog.at_level(logging.WARNING):
        assert len(overview_of_index(index)) == 120
    assert (index.path / "overview" / "diary.txt").read_text() == "dear diary"
    assert "is not stored" in caplog.text
