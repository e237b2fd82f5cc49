"""`undertow export`, as from a shell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.shell import Run
from undertow import ReplicatedSoftmax, TopicModel
from undertow.portable import Encoder

TEXTS = ["a rocket flew to the moon", "ripe apples and pears"] * 20


def test_a_model_of_texts_and_one_of_counts(run: Run, tmp_path: Path) -> None:
    model = TopicModel(4, max_epochs=2, random_state=0).fit(TEXTS)
    model.save(tmp_path / "model")
    file = tmp_path / "encoder.pyz"
    code, out, _ = run("export", tmp_path / "model", "--out", file, "--half", "-n", "2")
    assert (code, out.startswith(f"Wrote {file}: 0.0 MB. Try: python")) == (0, True)
    found = Encoder.load(file)
    assert len(found.topic_names) == 2
    np.testing.assert_allclose(found.encode(TEXTS), model.transform(TEXTS), atol=1e-2)
    model.softmax_.save(tmp_path / "counts")
    assert isinstance(model.softmax_, ReplicatedSoftmax)
    code, out, _ = run("export", tmp_path / "counts", "--out", file, "--force", "--json")
    assert (code, json.loads(out)) == (0, {"out": str(file), "bytes": file.stat().st_size})


def test_wrong_use_is_said_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    model, taken = tmp_path / "model", tmp_path / "a.pyz"
    taken.touch()
    ReplicatedSoftmax(2, max_epochs=1, random_state=0).fit([[1, 0], [0, 1]]).save(model)
    (model / "weights.safetensors").write_bytes(b"damaged")
    cases = (("a.npz", "--out must end in .pyz or .zip"), ("a.pyz", "--out must not exist"))
    for name, message in cases:
        code, _, err = run("export", model, "--out", tmp_path / name)
        assert (code, message in err) == (2, True), err
