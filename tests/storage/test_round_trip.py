"""What is written comes back bit for bit."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.storage.helpers import Array, assert_same_array, read_run, small_parameters, write_run
from undertow.storage import load_model, read_folder, save_model, write_folder
from undertow.storage._arrays import DTYPES

arrays = hnp.arrays(
    dtype=st.sampled_from(sorted(DTYPES)),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0),
)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,9}", fullmatch=True)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


@settings(max_examples=60, deadline=None)
@given(
    manifest=st.dictionaries(st.text(), values, max_size=4),
    stored=st.dictionaries(names, arrays, max_size=4),
)
def test_any_manifest_and_arrays_come_back(
    manifest: dict[str, Any], stored: dict[str, Array]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = write_folder(Path(place) / "run", kind="run", manifest=manifest, arrays=stored)
        got_manifest, got = read_folder(folder, kind="run")
    assert got_manifest == manifest
    assert set(got) == set(stored)
    for name, array in stored.items():
        assert_same_array(got[name], array)


@settings(max_examples=30, deadline=None)
@given(
    words=st.integers(1, 7), units=st.integers(1, 5), seed=st.integers(0, 2**32 - 1), data=st.data()
)
def test_a_model_of_any_size_comes_back(
    words: int, units: int, seed: int, data: st.DataObject
) -> None:
    parameters = small_parameters(words, units, seed)
    noise = np.random.default_rng(seed).dirichlet(np.ones(words) * 5)
    vocabulary = data.draw(st.lists(st.text(), min_size=words, max_size=words, unique=True))
    with tempfile.TemporaryDirectory() as place:
        path = save_model(
            Path(place) / "m", parameters, noise_distribution=noise, vocabulary=vocabulary
        )
        loaded = load_model(path)
    for name in ("weights", "hidden_bias", "visible_bias", "word_weights"):
        assert_same_array(getattr(loaded.parameters, name), getattr(parameters, name))
    assert loaded.noise_distribution is not None
    assert_same_array(loaded.noise_distribution, noise)
    assert loaded.vocabulary == tuple(vocabulary)


def test_a_model_of_one_word_and_one_unit_comes_back(tmp_path: Path) -> None:
    parameters = small_parameters(1, 1)
    loaded = load_model(
        save_model(tmp_path / "m", parameters, noise_distribution=np.ones(1), vocabulary=["only"])
    )
    assert loaded.parameters.weights.tobytes() == parameters.weights.tobytes()
    assert loaded.vocabulary == ("only",)


def test_memory_order_does_not_matter(tmp_path: Path) -> None:
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    views: dict[str, Array] = {
        "transposed": whole.T,
        "strided": whole[::2, ::3],
        "fortran": np.asfortranarray(whole),
    }
    _, got = read_folder(
        write_folder(tmp_path / "run", kind="run", manifest={}, arrays=views), kind="run"
    )
    for name, view in views.items():
        np.testing.assert_array_equal(got[name], view)


def test_loaded_arrays_are_ready_to_be_trained_on(tmp_path: Path) -> None:
    loaded = load_model(save_model(tmp_path / "m", small_parameters())).parameters
    for array in (loaded.weights, loaded.hidden_bias, loaded.visible_bias, loaded.word_weights):
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned


def test_a_sequence_that_is_not_a_list_comes_back_as_one(tmp_path: Path) -> None:
    write_folder(tmp_path / "run", kind="run", manifest={"sizes": (1, 2)}, arrays={})
    assert read_folder(tmp_path / "run", kind="run") == ({"sizes": [1, 2]}, {})


def test_missing_parents_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "run"
    assert write_run(path, 3) == path
    assert read_run(path) == 3


def test_a_relative_path_and_a_string_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_model("m", small_parameters())
    assert load_model("m").parameters.words == 5
    monkeypatch.chdir(tmp_path / "m")
    assert load_model(".").parameters.words == 5


def test_a_linked_folder_can_be_read(tmp_path: Path) -> None:
    write_run(tmp_path / "run", 3)
    (tmp_path / "latest").symlink_to(tmp_path / "run", target_is_directory=True)
    assert read_run(tmp_path / "latest") == 3


def test_the_folder_holds_two_files_that_others_may_read(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        folder = write_run(tmp_path / "run", 1)
    finally:
        os.umask(before)
    assert sorted(os.listdir(folder)) == ["model.json", "weights.safetensors"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o644}
