"""Arrays, words and manifests that do not make a model: refused on the way in and on the way
out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.storage.helpers import Array, Header, edit_header, small_parameters
from undertow._errors import InvalidInput, ModelFileError
from undertow.storage import load_model, save_model, write_folder

WORDS = ["sea", "tide", "wave", "surf", "undertow"]
Arrays = dict[str, Array]


def good_arrays() -> Arrays:
    parameters = small_parameters()
    return {field.name: getattr(parameters, field.name) for field in dataclasses.fields(parameters)}


def load_failure(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path} must hold a sound model: ")
    return message.removeprefix(f"{path} must hold a sound model: ")


def write_raw(path: Path, arrays: Arrays, **manifest: Any) -> Path:
    """A folder of the right kind with any contents, past the checks of `save_model`."""
    content = {"training": {}, "vocabulary": None, **manifest}
    return write_folder(path, kind="replicated-softmax", manifest=content, arrays=arrays)


BAD_ARRAYS: list[tuple[str, Array, str]] = [
    (
        "weights",
        np.zeros(5, np.float32),
        "weights must be a matrix of words x units, got shape (5,)",
    ),
    (
        "hidden_bias",
        np.zeros(4, np.float32),
        "hidden_bias must have shape (3,) to fit weights 5 x 3, got (4,)",
    ),
    (
        "visible_bias",
        np.zeros((5, 1), np.float32),
        "visible_bias must have shape (5,) to fit weights 5 x 3, got (5, 1)",
    ),
    (
        "word_weights",
        np.zeros(3, np.float32),
        "word_weights must have shape (5,) to fit weights 5 x 3, got (3,)",
    ),
    ("weights", np.zeros((5, 3)), "weights must be float32, got float64"),
    (
        "weights",
        np.full((5, 3), np.nan, np.float32),
        "weights must be finite, got nan among its values",
    ),
    (
        "hidden_bias",
        np.array([0, np.inf, 0], np.float32),
        "hidden_bias must be finite, got inf among its values",
    ),
    (
        "visible_bias",
        np.full(5, -np.inf, np.float32),
        "visible_bias must be finite, got -inf among its values",
    ),
    (
        "word_weights",
        np.array([1, 2, -0.5, 1, 1], np.float32),
        "word_weights must not be negative, got -0.5 among its values",
    ),
    (
        "noise_distribution",
        np.full(4, 0.25),
        "noise_distribution must hold 5 numbers, got an array of shape (4,)",
    ),
    (
        "noise_distribution",
        np.array([0.5, 0.5, 0, 0, 0]),
        "noise_distribution must be positive, got 0.0 among its values",
    ),
    ("noise_distribution", np.full(5, 0.25), "noise_distribution must sum to one, got 1.25"),
    (
        "noise_distribution",
        np.array([0.2, np.nan, 0.2, 0.2, 0.2]),
        "noise_distribution must be finite, got nan among its values",
    ),
]


@pytest.mark.parametrize(("name", "array", "message"), BAD_ARRAYS)
def test_arrays_that_do_not_make_a_model_are_not_loaded(
    tmp_path: Path, name: str, array: Array, message: str
) -> None:
    assert load_failure(write_raw(tmp_path / "m", {**good_arrays(), name: array})) == message


@pytest.mark.parametrize(("name", "array", "message"), BAD_ARRAYS)
def test_nor_are_they_saved(tmp_path: Path, name: str, array: Array, message: str) -> None:
    parameters, noise = small_parameters(), None
    if name == "noise_distribution":
        noise = array
    else:
        setattr(parameters, name, array)
    with pytest.raises(InvalidInput) as caught:
        save_model(tmp_path / "m", parameters, noise_distribution=noise)
    assert str(caught.value) == message
    assert not (tmp_path / "m").exists()


def test_noise_in_float32_is_not_loaded(tmp_path: Path) -> None:
    path = write_raw(
        tmp_path / "m", {**good_arrays(), "noise_distribution": np.full(5, 0.2, np.float32)}
    )
    assert load_failure(path) == "noise_distribution must be float64, got float32"


def test_noise_may_miss_one_by_rounding(tmp_path: Path) -> None:
    noise = np.full(5, 0.2 + 1e-7)
    model = load_model(save_model(tmp_path / "m", small_parameters(), noise_distribution=noise))
    assert model.noise_distribution is not None
    assert model.noise_distribution.tolist() == noise.tolist()


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (WORDS[:4], "vocabulary must hold 5 words, got 4"),
        (
            ["sea", "tide", "sea", "surf", "wave"],
            "vocabulary must hold each word once, got 'sea' 2 times",
        ),
        (["sea", "tide", 3, "surf", "wave"], "vocabulary must hold strings, got 3"),
        (["sea", "tide", ["x"], "surf", "wave"], "vocabulary must hold strings, got ['x']"),
    ],
)
def test_a_vocabulary_that_does_not_fit(tmp_path: Path, vocabulary: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        save_model(tmp_path / "m", small_parameters(), vocabulary=vocabulary)
    assert str(caught.value) == message
    assert load_failure(write_raw(tmp_path / "m", good_arrays(), vocabulary=vocabulary)) == message


def test_a_vocabulary_that_is_one_string(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        save_model(tmp_path / "m", small_parameters(), vocabulary="ocean")
    assert str(caught.value) == "vocabulary must be a list of words, got 'ocean'"
    message = load_failure(write_raw(tmp_path / "m", good_arrays(), vocabulary="ocean"))
    assert message == "vocabulary must be a list of words, got 'ocean'"


def test_training_that_is_not_json(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"^manifest\.training\.rate must be plain JSON .*, got nan$"
    ):
        save_model(tmp_path / "m", small_parameters(), training={"rate": float("nan")})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda header: header["manifest"].update(training=[1]),
            "training must be an object, got [1]",
        ),
        (
            lambda header: header["manifest"].pop("training"),
            "manifest must hold training and vocabulary, got ['vocabulary']",
        ),
        (
            lambda header: header["manifest"].update(more=1),
            "manifest must hold training and vocabulary, got ['training', 'vocabulary', 'more']",
        ),
    ],
)
def test_a_manifest_of_another_make(
    tmp_path: Path, change: Callable[[Header], object], message: str
) -> None:
    save_model(tmp_path / "m", small_parameters())
    edit_header(tmp_path / "m", change)
    assert load_failure(tmp_path / "m") == message


def test_arrays_missing_or_unknown(tmp_path: Path) -> None:
    wanted = "arrays must be weights, hidden_bias, visible_bias, word_weights, got "
    assert load_failure(write_raw(tmp_path / "none", {})) == wanted + "[]"
    more = {**good_arrays(), "more": np.zeros(1)}
    names = "['hidden_bias', 'more', 'visible_bias', 'weights', 'word_weights']"
    assert load_failure(write_raw(tmp_path / "more", more)) == wanted + names
