"""Engines are found by name, and made known by name."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.oracles.engine import make_case
from undertow import _extras
from undertow._errors import InvalidInput
from undertow.counts import CsrSource, checked_counts
from undertow.engines import engine_names, find_engine, register_engine
from undertow.engines.cpu import CpuEngine
from undertow.learn import Run, Settings, train
from undertow.vectors import posteriors


def test_an_engine_is_found_by_its_name() -> None:
    for name in engine_names():
        if name != "torch" or not _extras.missing("torch"):
            assert find_engine(name).name == name
    assert {"cpu", "reference"} <= set(engine_names())


def test_the_cpu_has_the_threads_asked_for() -> None:
    engine = find_engine("cpu", threads=3)
    assert isinstance(engine, CpuEngine)
    assert engine.threads == 3


def test_an_engine_that_was_made_is_taken_as_it_is() -> None:
    engine = CpuEngine(2)
    assert find_engine(engine, threads=5) is engine


@pytest.mark.parametrize(
    ("name", "threads", "message"),
    [
        (
            "abacus",
            None,
            r"engine must be one of 'cpu', 'reference', 'torch', or an engine, got 'abacus'",
        ),
        ("cpu", 0, "threads must be a whole number of at least 1, got 0"),
    ],
)
def test_refusals(name: str, threads: int | None, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        find_engine(name, threads=threads)


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "mps", 0, ""])
def test_a_device_that_is_none_is_refused(device: Any) -> None:
    message = f"device must be 'cpu', 'cuda', 'cuda:N' or 'auto', got {device!r}"
    for engine in ("cpu", "torch", CpuEngine(1)):
        with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
            find_engine(engine, device=device)


def test_what_a_device_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_extras, "find_spec", lambda name: None)
    for engine, device, what in (
        ("torch", None, "engine='torch'"),
        ("cpu", "cuda", "device='cuda'"),
    ):
        message = f"{what} needs torch, which is not installed: pip install 'undertow[gpu]'"
        with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
            find_engine(engine, device=device)
    assert find_engine("cpu", threads=1, device="auto").name == "cpu"


def test_a_card_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    def kind(name: str, device: str) -> str:
        engine: Any = find_engine(name, device=device)
        return str(engine.device.type)

    message = "device='cuda' needs a card of NVIDIA and a torch that was built for it, found none"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}"):
        find_engine("cpu", device="cuda")
    assert find_engine("cpu", threads=1, device="auto").name == "cpu"
    assert kind("torch", "auto") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(InvalidInput, match=r"^device must be one of 2 cards, .* got 'cuda:2'$"):
        find_engine("torch", device="cuda:2")
    for name, device in (("cpu", "auto"), ("torch", "auto"), ("cpu", "cuda:1")):
        assert kind(name, device) == "cuda"
    assert find_engine("reference", device="auto").name == "reference"


def test_an_engine_without_cards_is_refused_on_one() -> None:
    message = "engine must be 'torch' or left as it is where device is 'cuda', got 'reference'"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        find_engine("reference", device="cuda")


class _Counting(CpuEngine):
    """An engine of one's own."""

    name = "counting"
    begun = 0

    def begin(self, *arguments: Any) -> Any:
        self.begun += 1
        return super().begin(*arguments)


@pytest.mark.usefixtures("own_tables")
def test_runs_and_vectors_take_an_engine_of_ones_own() -> None:
    register_engine("counting", _Counting)
    assert "counting" in engine_names()
    case = make_case()
    source = CsrSource(checked_counts(case.counts))
    made = []
    asked: dict[str, Any] = {"documents": 6, "longest": case.corpus.longest, "threads": 2}
    for name in ("counting", "cpu"):
        run = Run(case.parameters.copy(), case.p, Settings(), engine=name, **asked)
        made.append(train(run, source, epochs=1))
    own, usual = made
    assert isinstance(own.engine, _Counting)
    assert (own.engine.begun, own.engine.threads) == (1, 2)
    assert own.parameters.weights.tobytes() == usual.parameters.weights.tobytes()
    ours, theirs = (
        posteriors(run.parameters, case.batch(), engine=run.engine) for run in (own, usual)
    )
    assert ours.tobytes() == theirs.tobytes()
