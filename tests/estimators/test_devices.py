"""Where a model computes is of the machine at hand: what it says is the same, up to rounding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import undertow
from undertow import InvalidInput, ReplicatedSoftmax, TopicModel
from undertow.engines import devices, find_engine
from undertow.vectors import VECTOR_KINDS

WITHIN = 2e-5  # as the documentation of `device` says
TEXTS = [
    "the rocket flew to the moon and its orbit",
    "a probe left the orbit of the moon",
    "ripe apples and sweet pears in a cake",
    "a cake of honey and apples",
] * 15
QUICK: dict[str, Any] = {"max_epochs": 8, "random_state": 0, "batch_size": 16}


def counts() -> Any:
    return np.random.default_rng(0).poisson(0.4, (150, 40))


@pytest.mark.usefixtures("torch_alone")
@pytest.mark.parametrize("own", ["cpu", "torch"])
@pytest.mark.parametrize("learner", ["alpha-nce", "pcd"])
def test_a_model_loads_elsewhere_and_gives_the_same_vectors(
    tmp_path: Path, own: str, learner: str
) -> None:
    """Trained by one engine, loaded and used by the other."""
    other = "cpu" if own == "torch" else "torch"
    model = ReplicatedSoftmax(8, engine=own, learner=learner, **QUICK).fit(counts())
    loaded = undertow.load(model.save(tmp_path / "model"))
    assert isinstance(loaded, ReplicatedSoftmax)
    loaded.set_params(engine=other)
    np.testing.assert_array_equal(loaded.components_, model.components_)
    for kind in VECTOR_KINDS:
        ours, theirs = model.encode(counts(), kind), loaded.encode(counts(), kind)
        if kind == "code":
            ours, theirs = np.unpackbits(ours), np.unpackbits(theirs)
            assert (ours != theirs).mean() < 1e-3  # units on the very edge
        else:
            np.testing.assert_allclose(ours, theirs, atol=WITHIN)
    np.testing.assert_allclose(
        model.free_energy(counts()), loaded.free_energy(counts()), rtol=WITHIN, atol=1e-3
    )


@pytest.mark.usefixtures("torch_alone")
def test_a_model_of_texts_on_torch() -> None:
    model = TopicModel(8, engine="torch", stop_words="english", **QUICK).fit(TEXTS)
    assert [topic.documents for topic in model.topics(2)] == [30, 30]
    vectors = model.transform(TEXTS)
    model.set_params(engine="cpu")
    np.testing.assert_allclose(model.transform(TEXTS), vectors, atol=WITHIN)


@pytest.mark.usefixtures("torch_alone")
def test_training_on_torch_goes_on_and_repeats() -> None:
    one, two = (ReplicatedSoftmax(6, engine="torch", **QUICK).fit(counts()) for _ in range(2))
    assert one.components_.tobytes() == two.components_.tobytes()
    one.partial_fit(counts())
    assert one.n_iter_ == 9
    assert one.components_.tobytes() != two.components_.tobytes()


def test_the_device_is_of_the_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "has_card", lambda: False)
    model = TopicModel(4, device="auto", **QUICK)
    assert clone(model).get_params()["device"] == "auto"
    model.fit(TEXTS)
    assert model.softmax_.device == "auto"
    model.set_params(device="cpu")
    assert model.softmax_.device == "cpu"
    saved = json.loads((model.save(tmp_path / "model") / "model.json").read_text("utf-8"))
    assert "device" not in json.dumps(saved)
    loaded = undertow.load(tmp_path / "model", device="auto")
    assert isinstance(loaded, TopicModel)
    assert loaded.device == loaded.softmax_.device == "auto"
    np.testing.assert_array_equal(loaded.transform(TEXTS), model.transform(TEXTS))


def test_without_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before texts are read; "auto" is the CPU, to the bit."""
    monkeypatch.setattr(devices, "has_card", lambda: False)
    plain, auto = (
        ReplicatedSoftmax(4, device=device, **QUICK).fit(counts()) for device in ("cpu", "auto")
    )
    assert plain.components_.tobytes() == auto.components_.tobytes()
    read = []

    def texts() -> Iterator[str]:
        for text in TEXTS:
            read.append(text)
            yield text

    def none(device: str) -> None:
        raise InvalidInput(f"device={device!r} is not there")

    monkeypatch.setattr(devices, "engine_on", none)
    with pytest.raises(InvalidInput, match="device='cuda:3' is not there"):
        TopicModel(4, device="cuda:3", **QUICK).fit(texts())
    assert not read
    plain.save(tmp_path / "model")
    with pytest.raises(InvalidInput, match="device='cuda' is not there"):
        undertow.load(tmp_path / "model", device="cuda")
    with pytest.raises(InvalidInput, match="device must be 'cpu', 'cuda', 'cuda:N' or 'auto', got"):
        undertow.load(tmp_path / "model", device="gpu")


def test_an_engine_that_was_made_is_taken_as_it_is() -> None:
    model = ReplicatedSoftmax(4, engine=find_engine("cpu", threads=1), device="cuda", **QUICK)
    assert model.fit(counts()).n_iter_ == 8
