"""`--device`: where commands compute."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.search.conftest import make_table
from tests.shell import Run
from undertow.engines import Engine, devices, find_engine

COMMANDS = {
    "fit": ("fit", "corpus.parquet", "--out", "again", "--max-epochs", 2, "--n-components", 4),
    "transform": ("transform", "model", "corpus.parquet", "--out", "vectors.npy"),
    "index": ("index", "model", "corpus.parquet", "--out", "index"),
}


@pytest.fixture
def made(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus and a model, in the folder at hand."""
    monkeypatch.chdir(tmp_path)
    make_table().write_parquet("corpus.parquet")
    asked = ("--out", "model", "--max-epochs", 5, "--n-components", 8, "--quiet")
    assert run("fit", "corpus.parquet", *asked) == (0, "", "")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_device_that_is_not_there(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Said in the words of the command line, before anything is made."""
    monkeypatch.setattr("undertow._extras.find_spec", lambda name: None)
    code, _, err = run(*COMMANDS[command], "--device", "cuda")
    assert code == 2
    wanted = "--device cuda needs torch, which is not installed: pip install 'undertow[gpu]'"
    assert re.sub(r"\s+", " ", err).endswith(f"undertow: {wanted} ")
    assert not Path(str(COMMANDS[command][COMMANDS[command].index("--out") + 1])).exists()


@pytest.mark.usefixtures("made", "torch_alone")
def test_what_is_computed_elsewhere_is_the_same(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a card, but by torch on the CPU."""
    used: list[str] = []

    def on_card(device: str) -> Engine:
        used.append(device)
        return find_engine("torch", device="cpu") if device != "cpu" else made_by_torch(device)

    made_by_torch = devices.engine_on
    monkeypatch.setattr(devices, "engine_on", on_card)
    assert run(*COMMANDS["transform"], "--quiet")[0] == 0
    here = np.load("vectors.npy")
    assert not used
    for command in COMMANDS.values():
        force = ("--force", "--quiet", "--device", "cuda:1")
        assert run(*command, *force) == (0, "", "")
        assert "cuda:1" in used
        used.clear()
    np.testing.assert_allclose(np.load("vectors.npy"), here, atol=2e-5)
    code, out, _ = run("search", "index", "apple", "--json")
    assert (code, '"id"' in out) == (0, True)
