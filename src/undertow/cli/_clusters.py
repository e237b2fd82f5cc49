"""Options of commands that can work on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from undertow.cluster import Cluster
    from undertow.estimators import TopicModel

PANEL = "On a cluster"

Address = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="auto|local|ADDRESS",
        rich_help_panel=PANEL,
        help=(
            "Work on a cluster of Ray: 'auto' for one that runs already or else the cores of this "
            "machine, 'local' for these in any case, or its address. All machines have to see the "
            "corpus under the same path. Needs the extra: pip install 'undertow\\[cluster]'."
        ),
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        rich_help_panel=PANEL,
        help="Workers of the cluster.  \\[default: one on each machine]",
    ),
]
Interval = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="STEPS",
        rich_help_panel=PANEL,
        help="Steps of each worker between two averagings.  \\[default: 16]",
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="A folder to save training on a cluster to, for --resume.",
    ),
]
Every = Annotated[
    float | None,
    typer.Option(
        "--checkpoint-every",
        metavar="SECONDS",
        min=0.0,
        rich_help_panel=PANEL,
        help="How often.  \\[default: 300]",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", rich_help_panel=PANEL, help="Go on from the checkpoint, if there is one."
    ),
]


def chosen(
    address: str | None,
    workers: int | None,
    checkpoint: Path | None = None,
    resume: bool = False,
    every: float | None = None,
    interval: int | None = None,
) -> Cluster | None:
    """The cluster that is meant, checked before any work is done; None for this machine alone."""
    from undertow._errors import InvalidInput

    options: dict[str, object] = {"--workers": workers, "--interval": interval}
    options.update({"--checkpoint": checkpoint, "--checkpoint-every": every})
    if address is None:
        for option, given in options.items():
            if given is not None:
                raise InvalidInput(f"{option} must be used with --cluster, got {given} without")
        if resume:
            raise InvalidInput("--resume must be used with --cluster, got it without")
        return None
    from undertow.cluster import Cluster

    if every is not None and checkpoint is None:
        raise InvalidInput(f"--checkpoint-every must be used with --checkpoint, got {every:g}")
    settings: dict[str, Any] = {"workers": workers, "interval": interval}
    settings.update(checkpoint=checkpoint, resume=resume)
    if every is not None:
        settings["every"] = every
    return Cluster.of(Cluster(address, **settings))


def told(model: TopicModel) -> str:
    """What happened to workers, for the end of a command."""
    return notes(model.cluster_.events if hasattr(model, "cluster_") else ())


def notes(events: Iterable[str]) -> str:
    """A line for each of what happened."""
    return "".join(f"\nNote: {event}." for event in events)
