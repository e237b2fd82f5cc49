"""The tree of topics in a model folder: whatever is wrong with it is a worded error, and soon."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import undertow
from tests.oracles.subjects import changeable
from tests.storage.helpers import Header, edit_header, exchange_weights
from undertow import InvalidInput, ModelFileError, TopicModel
from undertow.topics.stored_atlas import PREFIX, Arrays, arrays_of, plain, restored

Change = Callable[[Arrays], object]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = changeable()
    first, second, third, *_ = model.topic_names(8)
    model.rename_topic(third, "mine")
    model.merge_topics([first, second], "both")
    return model.save(tmp_path_factory.mktemp("topics") / "model")


def arrays_in(folder: Path) -> Arrays:
    return dict(safetensors.numpy.load_file(folder / "weights.safetensors"))


def spoiled(saved: Path, tmp_path: Path, change: Change) -> Path:
    """A copy with other arrays, in a table that describes them, as somebody who knows the format
    could write it.
    """
    folder = tmp_path / "model"
    shutil.copytree(saved, folder, dirs_exist_ok=True)
    arrays = {name: array.copy() for name, array in arrays_in(saved).items()}
    change(arrays)
    exchange_weights(folder, arrays)
    table = {
        name: {"shape": list(array.shape), "dtype": array.dtype.name}
        for name, array in arrays.items()
    }
    edit_header(folder, lambda header: header.update(arrays=table))
    return folder


def failure(folder: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        undertow.load(folder)
    assert str(caught.value).startswith(f"{folder} must hold a sound ")
    assert len(str(caught.value)) < 600
    return str(caught.value)


def put(name: str, place: Any, value: Any) -> Change:
    def change(arrays: Arrays) -> None:
        arrays[PREFIX + name][place] = value

    return change


def replaced(name: str, make: Callable[[NDArray[Any]], NDArray[Any]]) -> Change:
    def change(arrays: Arrays) -> None:
        arrays[PREFIX + name] = np.ascontiguousarray(make(arrays[PREFIX + name]))

    return change


CHANGES: dict[str, Change] = {
    "a circle of one": put("parents", 30, 30),
    "a circle of two": lambda arrays: (
        put("parents", 30, 31)(arrays),
        put("parents", 31, 30)(arrays),
    ),
    "a parent out of range": put("parents", 3, 10_000),
    "a parent below nowhere": put("parents", 3, -2),
    "the root below a node": put("parents", -1, 3),
    "something below a leaf": put("parents", 40, 0),
    "a leaf twice": put("leaves", 0, 1),
    "a leaf out of range": put("leaves", 0, 10_000),
    "a negative leaf": put("leaves", 0, -1),
    "no leaves": replaced("leaves", lambda array: array[:0]),
    "fewer leaves": replaced("leaves", lambda array: array[:-1]),
    "no nodes": replaced("parents", lambda array: array[:0]),
    "more nodes": replaced("parents", lambda array: np.append(array, np.int32(-1))),
    "a height of nan": put("heights", 40, np.nan),
    "a negative height": put("heights", 40, -1.0),
    "a flag of 2": put("dropped", 0, 2),
    "a route of nan": put("routes", (0, 0), np.nan),
    "an infinite mean": put("means", (1, 2), np.inf),
    "routes of other units": replaced("routes", lambda array: array[:, :-1]),
    "means of other leaves": replaced("means", lambda array: array[:-1]),
    "a negative size": put("sizes", 0, -1),
    "a negative frequency": put("frequencies", 0, -1),
    "frequencies of other terms": replaced("frequencies", lambda array: array[:-1]),
    "a negative size of a sample": put("sample_sizes", 0, -5),
    "a count below 0": put("counts.values", 0, -1),
    "a column out of range": put("counts.columns", 0, 10**6),
    "a negative column": put("counts.columns", 0, -1),
    "starts that fall": put("counts.starts", 1, 10**9),
    "starts from 1": put("counts.starts", 0, 1),
    "starts that end early": put("counts.starts", -1, 0),
    "fewer columns": replaced("counts.columns", lambda array: array[:-1]),
    "npmi of nan": put("npmi.values", 0, np.nan),
    "npmi out of range": put("npmi.columns", 0, 2**31 - 1),
    "a kept leaf out of range": put("kept.leaves", 0, 1000),
    "a negative kept leaf": put("kept.leaves", 0, -1),
    "fewer kept documents": replaced("kept.leaves", lambda array: array[:-1]),
    "a kept vector of nan": put("kept.vectors", (0, 0), np.nan),
    "a seen leaf out of range": put("seen.leaves", 0, 1000),
    "a seen leaf below none": put("seen.leaves", 0, -2),
    "fewer seen leaves": replaced("seen.leaves", lambda array: array[:-1]),
    "pairs of three": replaced("pairs", lambda array: np.zeros((2, 3), dtype=np.int32)),
    "a pair out of range": replaced("pairs", lambda array: np.full((1, 2), 10**6, dtype=np.int32)),
    "parents of another type": replaced("parents", lambda array: array.astype(np.int64)),
    "heights of another type": replaced("heights", lambda array: array.astype(np.float32)),
    "a scalar": replaced("sizes", lambda array: np.array(3, dtype=np.int64)),
    "one missing": lambda arrays: arrays.pop(PREFIX + "sizes"),
}


def test_what_is_not_changed_is_read(saved: Path, tmp_path: Path) -> None:
    loaded = undertow.load(spoiled(saved, tmp_path, lambda arrays: None))
    assert isinstance(loaded, TopicModel)
    assert set(loaded.atlas_.names.values()) == {"mine", "both"}


@pytest.mark.parametrize("name", CHANGES)
def test_unsound_arrays_are_refused(saved: Path, tmp_path: Path, name: str) -> None:
    assert "topics" in failure(spoiled(saved, tmp_path, CHANGES[name]))


def of_topics(**facts: object) -> Callable[[Header], object]:
    return lambda header: header["manifest"]["training"]["topics"].update(facts)


FACTS: dict[str, Callable[[Header], object]] = {
    "no object": lambda header: header["manifest"]["training"].update(topics=[3]),
    "none": lambda header: header["manifest"]["training"].pop("topics"),
    "no root": lambda header: header["manifest"]["training"]["topics"].pop("root"),
    "a root out of range": of_topics(root=10**6),
    "a root that has a parent": of_topics(root=0),
    "a root of text": of_topics(root="48"),
    "a root of truth": of_topics(root=True),
    "limits": of_topics(limits=[0.5]),
    "limits of text": of_topics(limits=["a", "b"]),
    "limits that are none": of_topics(limits=None),
    "chosen": of_topics(chosen=0),
    "chosen as a float": of_topics(chosen=3.0),
    "stability": of_topics(stability=[[3]]),
    "stability of text": of_topics(stability=[["a", 0.5]]),
    "stability of figures": of_topics(stability=[[3, "high"]]),
    "documents": of_topics(documents=-1),
    "names as a list": of_topics(names=["a"]),
    "names of text": of_topics(names={"a": "b"}),
    "names that are empty": of_topics(names={"3": ""}),
    "names that are numbers": of_topics(made_names={"3": 5}),
    "kept": of_topics(kept=[["id", "title"]]),
    "kept numbers": of_topics(kept=[[1, 2, 3]]),
    "kept too few": of_topics(kept=[]),
    "written": of_topics(written=[1]),
    "written numbers": of_topics(written={"3": 4}),
    "curation": lambda header: header["manifest"]["training"].update(curation={"actions": 3}),
    "curation as a list": lambda header: header["manifest"]["training"].update(curation=[]),
    "an action": lambda header: header["manifest"]["training"].update(
        curation={"actions": [{"kind": "explode"}]}
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_unsound_facts_are_refused(saved: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(saved, tmp_path / "model")
    edit_header(tmp_path / "model", FACTS[name])
    failure(tmp_path / "model")


def read(arrays: Arrays, manifest: Any) -> None:
    """Reads what may be unsound, and uses it where it is not refused."""
    model = changeable()
    vocabulary = tuple(model.words())
    try:
        model.atlas_ = restored(manifest, arrays, vocabulary, model.softmax_.parameters_.units)
    except InvalidInput:
        return
    model.topics()
    model.topic_tree()
    model.transform_topics(["goal match"])


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_number_anywhere_is_refused_or_harmless(data: st.DataObject) -> None:
    atlas = changeable().atlas_
    arrays = {name: array.copy() for name, array in arrays_of(atlas).items()}
    name = data.draw(st.sampled_from([one for one in sorted(arrays) if arrays[one].size]))
    array = arrays[name].reshape(-1)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, array.size - 1))
        if array.dtype.kind == "f":
            array[place] = data.draw(
                st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, -1e30])
            )
        else:
            most = np.iinfo(array.dtype)
            array[place] = data.draw(
                st.sampled_from([most.min, most.max, 0, 1, 2, 30, 48]) | st.integers(0, 60)
            )
    with np.errstate(all="ignore"):
        read(arrays, plain(atlas, changeable().words()))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_fact_at_all_is_refused_or_harmless(data: st.DataObject) -> None:
    atlas = changeable().atlas_
    manifest = json.loads(json.dumps(plain(atlas, changeable().words())))
    manifest[data.draw(st.sampled_from(sorted(manifest)))] = data.draw(json_values)
    read(arrays_of(atlas), manifest)


def test_a_long_chain_is_not_climbed_for_ever() -> None:
    """A tree of 300,000 nodes in a line is 1 MB of numbers."""
    atlas = changeable().atlas_
    arrays, manifest = arrays_of(atlas), plain(atlas, changeable().words())
    nodes = len(atlas.tree.parents)
    long = np.arange(nodes, nodes + 300_000, dtype=np.int32)
    arrays["topics.parents"] = np.concatenate(
        [arrays["topics.parents"], np.append(long[1:], np.int32(0))]
    )
    arrays["topics.heights"] = np.append(arrays["topics.heights"], np.zeros(300_000))
    arrays["topics.dropped"] = np.append(
        arrays["topics.dropped"], np.zeros(300_000, dtype=np.uint8)
    )
    began = time.process_time()
    with pytest.raises(InvalidInput, match="must have leaves that nothing is below"):
        restored(manifest, arrays, tuple(changeable().words()), 32)
    arrays["topics.parents"][-1] = nodes  # a circle of 300,000
    with pytest.raises(InvalidInput, match="must have no circles"):
        restored(manifest, arrays, tuple(changeable().words()), 32)
    arrays["topics.parents"][-1] = -1  # a chain beside the tree: nothing is wrong with it
    restored(manifest, arrays, tuple(changeable().words()), 32)
    assert time.process_time() - began < 120  # steps for every pair of nodes would take hours
