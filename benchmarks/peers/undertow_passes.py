"""undertow without a plan: epoch after epoch, as long as one likes, nothing annealed."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.peers.system import READY, Checkpoint, System, Task
from benchmarks.peers.undertow_fits import checkpoint, model_of


def train(task: Task) -> Iterator[Checkpoint]:
    """One epoch at a time."""
    model_of(task, max_epochs=1).fit(task.counts[:256]).transform(task.counts[:256])  # compiles
    yield READY
    model = model_of(task)
    while True:
        yield checkpoint(model.partial_fit(task.counts))


SYSTEM = System(
    "undertow", {"defaults": True, "points": "after each partial_fit, which is an epoch"}, train
)
