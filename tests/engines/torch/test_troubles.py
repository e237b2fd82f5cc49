"""What a card cannot do is said in words, with what to do about it."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

import undertow
from tests.oracles.engine import PLACE, make_case
from undertow.counts import CsrSource, checked_counts
from undertow.engines import find_engine
from undertow.learn import Run, Settings, train

torch = pytest.importorskip("torch", reason="torch is not installed")

from undertow.engines.torch import encoding, noise_contrast  # noqa: E402 - needs torch

pytestmark = pytest.mark.usefixtures("torch_alone")
FULL = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nAnd so on.")
NO_COMPILER = RuntimeError("Failed to find C compiler. Please specify via CC environment variable.")
NO_HEADERS = subprocess.CalledProcessError(1, ["gcc", "main.c"])


def failing(error: Exception) -> Any:
    def fail(*given: Any, **named: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "advice"),
    [(FULL, r"smaller batch_size .*2\.00 GiB\.\)$"), (NO_COMPILER, "gcc"), (NO_HEADERS, "gcc")],
    ids=["memory", "compiler", "headers"],
)
def test_what_to_do(error: Exception, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In training and in encoding."""
    case = make_case()
    monkeypatch.setattr(noise_contrast, "contrast", failing(error))
    sizes = {"documents": case.corpus.documents, "longest": case.corpus.longest}
    run = Run(case.parameters.copy(), case.p, Settings(), **sizes, engine="torch")
    with pytest.raises(undertow.DeviceError, match=advice):
        train(run, CsrSource(checked_counts(case.counts)), epochs=1)
    monkeypatch.setattr(encoding, "posteriors", failing(error))
    with pytest.raises(undertow.DeviceError, match=advice):
        find_engine("torch").posteriors(case.parameters, case.batch())


def test_other_errors_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case()
    monkeypatch.setattr(encoding, "posteriors", failing(RuntimeError("another")))
    session = find_engine("torch").begin(case.parameters, case.start)
    with pytest.raises(RuntimeError, match=r"^another$"):
        session.gibbs(session.see(case.batch()), PLACE, steps=1, weighted=True)
