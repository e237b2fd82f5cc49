"""Small folders to write, to compare and to spoil."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from undertow._errors import ModelFileError
from undertow.model.parameters import Parameters
from undertow.storage import read_folder, write_folder
from undertow.storage._json import checksum

Array = NDArray[Any]
Header = dict[str, Any]


def small_parameters(words: int = 5, units: int = 3, seed: int = 0) -> Parameters:
    random = np.random.default_rng(seed)
    return Parameters(
        weights=random.normal(size=(words, units)).astype(np.float32),
        hidden_bias=random.normal(size=units).astype(np.float32),
        visible_bias=random.normal(size=words).astype(np.float32),
        word_weights=random.uniform(0, 3, size=words).astype(np.float32),
    )


def write_run(path: Path, step: int, *, overwrite: bool = False) -> Path:
    """A folder whose contents all follow from `step`, so that a mixture of two steps cannot pass
    for either.
    """
    arrays: dict[str, Array] = {
        "weights": np.full((4, 2), step, dtype=np.float32),
        "position": np.array(step),
    }
    return write_folder(
        path, kind="run", manifest={"step": step}, arrays=arrays, overwrite=overwrite
    )


def read_run(path: Path) -> int:
    """The step of a folder of `write_run`, every part of which must be of that step."""
    manifest, arrays = read_folder(path, kind="run")
    step = manifest["step"]
    assert isinstance(step, int)
    np.testing.assert_array_equal(arrays["weights"], np.full((4, 2), step, dtype=np.float32))
    np.testing.assert_array_equal(arrays["position"], np.array(step))
    return step


def edit_header(folder: Path, change: Callable[[Header], object]) -> None:
    """Change model.json and make its checksum fit again, as somebody who knows the format could."""
    file = folder / "model.json"
    header = json.loads(file.read_text())
    change(header)
    if "checksum" in header:
        header["checksum"] = checksum(
            {name: value for name, value in header.items() if name != "checksum"}
        )
    file.write_text(json.dumps(header))


def exchange_weights(folder: Path, arrays: dict[str, Array]) -> None:
    """Other arrays with fitting size and SHA-256, but under the old table."""
    content = safetensors.numpy.save(arrays)
    (folder / "weights.safetensors").write_bytes(content)
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    edit_header(folder, lambda header: header.update(weights=described))


def assert_same_array(got: Array, wanted: Array) -> None:
    """The same bits, dtype and shape (NaN and -0.0 included)."""
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    assert got.tobytes() == wanted.tobytes()


def read_failure(folder: Path, kind: str = "run") -> str:
    """The message, without the path of the folder that it must name."""
    with pytest.raises(ModelFileError) as caught:
        read_folder(folder, kind=kind)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder))
    return message.removeprefix(str(folder))


def others(place: Path) -> set[str]:
    """Everything in a place but the folder `run`."""
    return set(os.listdir(place)) - {"run"}
