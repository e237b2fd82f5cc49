"""What the host does while a card takes a stretch: it waits for nothing, and replays a graph."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracles.engine import make_case

torch = pytest.importorskip("torch", reason="needs undertow[gpu]")
pytest.importorskip("triton", reason="needs Triton, which comes with torch for cards")

from torch.overrides import TorchFunctionMode  # noqa: E402

from tests.engines.torch.test_stretch import DEVICE, fused, steps_of  # noqa: E402
from undertow.engines.torch import stretch  # noqa: E402

OURS = str(Path("undertow", "engines", "torch"))
ASKS = {"item", "tolist", "cpu", "numpy", "nonzero", "unique", "unique_consecutive", "bincount"}
ASKS |= {"masked_select", "__bool__", "__float__", "__int__", "__index__"}


class _Waits(TorchFunctionMode):  # type: ignore[misc]
    """Notes what our code asks of torch that would wait for a card. A number that is put where a
    tensor says, or into a single place, goes there as a tensor of the host.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_function__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named, name = kwargs or {}, getattr(operation, "__name__", "")
        caller = sys._getframe(1).f_code  # an interpreted kernel may look at its numbers
        if OURS in caller.co_filename and self._waits(name, args, named):
            self.found.append(f"{caller.co_qualname}: {name}")
        return operation(*args, **named)

    def _waits(self, name: str, args: Any, named: Any) -> bool:
        if name == "__setitem__":
            return not isinstance(args[1], slice) and not isinstance(args[2], torch.Tensor)
        if name == "repeat_interleave" and isinstance(args[1], torch.Tensor):
            return "output_size" not in named
        return name in ASKS


@pytest.mark.parametrize("sizes", [[14, 14, 7], [14, 7, 14]], ids=str)
def test_a_stretch_waits_for_nothing(sizes: list[int]) -> None:
    case = make_case(words=20, units=4, documents=35, most_tokens=9, free_bias=False)
    ends = np.cumsum(sizes)
    batches = [case.batch().part(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    steps, _ = steps_of(3, (0.2, 0.9), 20, 0.9, True)
    waits = _Waits()
    with waits:
        fused(case, batches, steps)
    assert waits.found == []


class _Graph:
    """Of a card that is not there."""

    replays = 0

    def replay(self) -> None:
        self.replays += 1


@contextmanager
def _recording(graph: _Graph, **options: Any) -> Iterator[None]:
    assert stretch.RECORDING.locked()
    yield


def test_a_graph_is_recorded_once_and_then_takes_all_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a plan that has taken a stretch before, no step is asked for kernel by kernel."""
    monkeypatch.setattr(torch.cuda, "CUDAGraph", _Graph)
    monkeypatch.setattr(torch.cuda, "Stream", lambda device: None)
    monkeypatch.setattr(torch.cuda, "graph", _recording)
    plan: Any = object.__new__(stretch.Plan)
    taken: list[str] = []
    plan._on_card, plan._graph, plan._device = True, None, DEVICE
    plan._set, plan._step = lambda steps: None, lambda: taken.append("step")
    plan._seen_loss = plan._seen_activity = plan._wrong = torch.zeros(1)
    for count in (1, 3, 4):
        plan.run(count, None)
        taken.append("read")
    assert taken == ["step", "read", "step", "step", "read", "read"]  # one of them is recorded
    assert plan._graph.replays == 2 + 4
    assert not stretch.RECORDING.locked()
