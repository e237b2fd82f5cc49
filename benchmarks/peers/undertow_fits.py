"""undertow as users have it: a fit is planned for so many epochs and anneals towards its end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.peers.system import READY, Checkpoint, System, Task
from undertow.estimators import ReplicatedSoftmax

KINDS = ("posterior", "strength")


def model_of(task: Task, **options: object) -> ReplicatedSoftmax:
    """The estimator with its defaults; the counts are damped already."""
    sizes = {"n_components": task.topics, "n_jobs": task.workers, "random_state": task.seed}
    return ReplicatedSoftmax(count_transform=None, **sizes, **options)  # type: ignore[arg-type]


def checkpoint(model: ReplicatedSoftmax) -> Checkpoint:
    """Posteriors, and strengths for search."""
    encoders = {kind: partial(model.encode, kind=kind) for kind in KINDS}
    return Checkpoint(model.n_iter_, encoders)


def train(task: Task) -> Iterator[Checkpoint]:
    """A fit for each length."""
    model_of(task, max_epochs=1).fit(task.counts[:256]).transform(task.counts[:256])  # compiles
    yield READY
    for epochs in task.fits:
        yield checkpoint(model_of(task, max_epochs=epochs).fit(task.counts))


SYSTEM = System(
    "undertow",
    {"defaults": True, "points": "separate fits, max_epochs planned ahead"},
    train,
    restarts=True,
)
