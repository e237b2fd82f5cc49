"""A model folder: what goes in and what comes out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.storage.helpers import small_parameters
from undertow import storage
from undertow._errors import ModelFileError
from undertow.model.parameters import Parameters
from undertow.storage import StoredModel, load_model, save_model, write_folder
from undertow.storage._json import JSON

WORDS = ["sea", "tide", "wave", "surf", "undertow"]


def test_public_names() -> None:
    names = [
        "StoredModel",
        "load_model",
        "read_folder",
        "resume_run",
        "save_model",
        "save_run",
        "write_folder",
        "write_text",
    ]
    assert sorted(storage.__all__) == names
    assert all(hasattr(storage, name) for name in storage.__all__)


def test_everything_comes_back(tmp_path: Path) -> None:
    training: dict[str, JSON] = {
        "learner": "alpha-nce",
        "noise": {"k": 25, "alpha": 0.5},
        "history": [1.5, 1.25],
        "seed": 2**63,
    }
    noise = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    path = save_model(
        tmp_path / "m",
        small_parameters(),
        noise_distribution=noise,
        training=training,
        vocabulary=WORDS,
    )
    model = load_model(path)
    assert model.training == training
    assert model.vocabulary == tuple(WORDS)
    assert model.noise_distribution is not None
    assert model.noise_distribution.tolist() == noise.tolist()


def test_what_was_not_given_is_absent(tmp_path: Path) -> None:
    model = load_model(save_model(tmp_path / "m", small_parameters()))
    assert (model.noise_distribution, model.training, model.vocabulary) == (None, {}, None)


def test_a_stored_model_cannot_be_reassigned(tmp_path: Path) -> None:
    model = load_model(save_model(tmp_path / "m", small_parameters()))
    assert isinstance(model, StoredModel)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.vocabulary = ()  # type: ignore[misc]


def test_overwrite_is_handed_on(tmp_path: Path) -> None:
    save_model(tmp_path / "m", small_parameters())
    with pytest.raises(ModelFileError, match="must not exist yet unless overwrite=True"):
        save_model(tmp_path / "m", small_parameters(2, 2))
    save_model(tmp_path / "m", small_parameters(2, 2), overwrite=True)
    assert load_model(tmp_path / "m").parameters.words == 2


def test_a_run_is_not_a_model(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", kind="run", manifest={}, arrays={})
    with pytest.raises(
        ModelFileError, match=r"model\.json must be of kind 'replicated-softmax', got 'run'$"
    ):
        load_model(tmp_path / "m")


def test_parameters_of_another_memory_order(tmp_path: Path) -> None:
    weights = np.arange(15, dtype=np.float32).reshape(3, 5).T
    small = small_parameters()
    parameters = Parameters(weights, small.hidden_bias, small.visible_bias, small.word_weights)
    loaded = load_model(save_model(tmp_path / "m", parameters)).parameters
    assert loaded.weights.tolist() == weights.tolist()
    assert loaded.weights.flags.c_contiguous
