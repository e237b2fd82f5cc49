"""Bytes flipped, cut off, added or blanked anywhere in either file: always a worded error, never a
wrong model.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.storage.helpers import small_parameters
from undertow._errors import ModelFileError
from undertow.storage import load_model, save_model

FILES = ("model.json", "weights.safetensors")
PLACES = [step / 60 for step in range(61)]


def flip_all(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def flip_lowest(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def truncate(content: bytes, at: int) -> bytes:
    return content[:at]


def drop_one(content: bytes, at: int) -> bytes:
    return content[:at] + content[at + 1 :]


def blank_rest(content: bytes, at: int) -> bytes:
    return content[:at] + bytes(len(content) - at)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(
        tmp_path_factory.mktemp("storage") / "model",
        small_parameters(),
        noise_distribution=np.full(5, 0.2),
        training={"learner": "alpha-nce", "epochs": 12, "rate": 0.015625},
        vocabulary=["sea", "tide", "wave", "Übersee", "undertow"],
    )


@pytest.mark.parametrize("damage", [flip_all, flip_lowest, truncate, drop_one, blank_rest])
@pytest.mark.parametrize("name", FILES)
def test_damage_is_always_a_worded_error(
    saved: Path, tmp_path: Path, name: str, damage: Callable[[bytes, int], bytes]
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(saved, folder)
    content = (saved / name).read_bytes()
    tried = 0
    for place in PLACES:
        at = round(place * (len(content) - 1))
        if is_space(name, content, at):
            continue
        (folder / name).write_bytes(damage(content, at))
        with pytest.raises(ModelFileError) as caught:
            load_model(folder)
        assert str(caught.value).startswith(f"{folder}/{name} must ")
        assert "\n" not in str(caught.value)
        tried += 1
    assert tried > 30


def is_space(name: str, content: bytes, at: int) -> bool:
    """Space around JSON says nothing: it may go or change into other space without harm."""
    return name == "model.json" and content[at : at + 1].isspace()


@pytest.mark.parametrize("name", FILES)
def test_bytes_added_at_the_end(saved: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(saved, folder)
    with open(folder / name, "ab") as handle:
        handle.write(b"\0")
    with pytest.raises(ModelFileError, match=rf"/{name} must "):
        load_model(folder)


def test_weights_of_another_model(saved: Path, tmp_path: Path) -> None:
    other = save_model(
        tmp_path / "other", small_parameters(seed=1), noise_distribution=np.full(5, 0.2)
    )
    folder = tmp_path / "model"
    shutil.copytree(saved, folder)
    shutil.copy(other / "weights.safetensors", folder / "weights.safetensors")
    with pytest.raises(ModelFileError, match=r"/weights\.safetensors must have SHA-256 "):
        load_model(folder)
