"""`undertow fit` is killed, interrupted, and started twice; nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.cli.killed import run_killed
from tests.estimators.test_topic_model import make_texts
from tests.shell import Run, shell
from undertow import load

FIT = ("fit", "corpus.parquet", "--n-components", "6", "--batch-size", "4", "--max-epochs", "3")
SAVING = ("--checkpoint", "saved", "--checkpoint-every", "3steps", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    table = pl.DataFrame({"id": [f"d{i}" for i in range(150)], "text": make_texts(150)})
    table.write_parquet(folder / "corpus.parquet")
    return folder


@pytest.fixture
def place(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "corpus.parquet").write_bytes((folder / "corpus.parquet").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return shell(monkeypatch, capsys)


@pytest.fixture(autouse=True)
def usual_signals() -> Iterator[None]:
    """As a process has them that was just started, whatever other tests did."""
    usual: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def bits(model: str) -> dict[str, Any]:
    loaded = load(model)
    softmax: Any = loaded.softmax_
    found = {name: array.tobytes() for name, array in softmax.parameters_.arrays().items()}
    return found | {"topics": loaded.topic_names()}


def killed_and_resumed(moments: list[tuple[str, int]], place: Path, run: Run, *more: str) -> int:
    """Kills a fit at these moments, each time going on, and then lets it end; says how many of
    the kills came before the end.
    """
    assert run(*FIT, "--quiet", *more, "--out", "whole", "--force")[0] == 0
    resume = (*FIT, *SAVING, *more, "--resume", "--out", "model", "--force")
    kills = sum(run_killed(*moment, *resume, cwd=place) != 0 for moment in moments)
    code, _, err = run(*resume)
    assert code == 0, err
    assert bits("model") == bits("whole")
    assert not Path("saved").exists()
    return kills


@pytest.mark.torture
def test_killed_at_several_moments(place: Path, run: Run) -> None:
    moments = [("mkdir", 4), ("steps", 20), ("fsync", 33), ("rename", 9), ("clock", 60)]
    assert killed_and_resumed(moments, place, run) >= 4
    assert sorted(name for name in os.listdir() if not name.startswith(".")) == [
        "corpus.parquet",
        "model",
        "whole",
    ]


@pytest.mark.torture
@pytest.mark.parametrize("more", [(), ("--replicas", "2"), ("--memory-limit", "0")])
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_random_moments(seed: int, more: tuple[str, ...], place: Path, run: Run) -> None:
    """Writes, steps, and by the clock: ten for each, 150 in all."""
    draw = random.Random(seed)
    moments = []
    for _ in range(10):
        when = draw.choice(["mkdir", "fsync", "rename", "replace", "unlink", "steps", "clock"])
        most = {"clock": 400, "steps": 60, "fsync": 60}.get(when, 20)
        moments.append((when, draw.randrange(1, most)))
    assert killed_and_resumed(moments, place, run, *more) > 2


def interrupting(number: int, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sends a signal to this process before a certain step."""
    from undertow.learn import Run as Training

    advance, left = Training.advance, [at]

    def interrupted(self: Training, batches: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), number)
        advance(self, batches)

    monkeypatch.setattr(Training, "advance", interrupted)


@pytest.mark.parametrize(("number", "exits"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_an_interrupted_fit_keeps_its_model_and_goes_on(
    number: signal.Signals, exits: int, place: Path, run: Run
) -> None:
    command = (*FIT, "--out", "model", "--checkpoint", "saved", "--json")
    assert run(*FIT, "--quiet", "--out", "whole")[0] == 0
    before = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch:
        interrupting(number, 50, patch)
        code, out, err = run(*command)
    assert code == exits, err
    assert json.loads(out)["interrupted"] is True
    assert signal.getsignal(signal.SIGTERM) is before
    assert load("model").softmax_.n_iter_ == 1
    code, _, err = run(*command)
    assert code == 2
    assert "--out must not exist yet" in err
    code, _, err = run(*command, "--force")
    assert code == 2
    assert "--checkpoint must be a folder without one" in err
    assert "go on from it (--resume)" in err
    code, out, err = run(*command, "--resume")  # which replaces what it wrote itself
    assert code == 0, err
    assert bits("model") == bits("whole")
    assert not Path("saved").exists()


def test_another_model_is_not_replaced_by_resuming(place: Path, run: Run) -> None:
    command = (*FIT, "--out", "model", "--checkpoint", "saved", "--quiet")
    with pytest.MonkeyPatch.context() as patch:
        interrupting(signal.SIGINT, 50, patch)
        assert run(*command)[0] == 0
    other = np.array(load("model").softmax_.components_)
    load("model").save("model", overwrite=True)
    assert run(*FIT, "--quiet", "--seed", "1", "--out", "model", "--force")[0] == 0
    code, _, err = run(*command, "--resume")
    assert code == 2
    assert "--out must not exist yet" in err
    assert not np.array_equal(load("model").softmax_.components_, other)


def test_what_does_not_go_together_is_said(place: Path, run: Run) -> None:
    for options, said in {
        ("--resume",): "--resume must be used with --checkpoint, got none",
        ("--checkpoint-every", "1min"): "--checkpoint-every must be used with --checkpoint",
        ("--checkpoint", "x", "--checkpoint-every", "x"): "--checkpoint-every must be a time such",
    }.items():
        code, _, err = run(*FIT, "--out", "model", *options)
        assert code == 2
        assert said in err
    with pytest.MonkeyPatch.context() as patch:
        interrupting(signal.SIGINT, 50, patch)
        assert run(*FIT, "--out", "model", *SAVING)[0] == 0
    for options, said in {
        ("--n-components", "7"): "--n-components must be 6 as in the checkpoint",
        ("--seed", "7"): "--seed must be 0 as in the checkpoint",
        ("--n-noise", "3"): "--n-noise must be",
    }.items():
        code, _, err = run(*FIT, "--out", "model", *SAVING, "--resume", *options)
        assert code == 2
        assert said in err
