"""Options of commands that can work on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from undertow.cluster import Cluster
    from undertow.estimators import TopicModel

PANEL = "On a cluster"

Address = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="auto|ADDRESS",
        rich_help_panel=PANEL,
        help=(
            "Work on a cluster of Ray: 'auto' for one that runs already or else the cores of this "
            "machine, or its address. All machines have to see the corpus under the same path. "
            "Needs the extra: pip install 'undertow\\[cluster]'."
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
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="A folder to save training on a cluster to, every five minutes.",
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
) -> Cluster | None:
    """The cluster that is meant, checked before any work is done; None for this machine alone."""
    from undertow._errors import InvalidInput

    if address is None:
        for option, given in (("--workers", workers), ("--checkpoint", checkpoint)):
            if given is not None:
                raise InvalidInput(f"{option} must be used with --cluster, got {given} without")
        if resume:
            raise InvalidInput("--resume must be used with --cluster, got it without")
        return None
    from undertow.cluster import Cluster

    return Cluster.of(Cluster(address, workers=workers, checkpoint=checkpoint, resume=resume))


def told(model: TopicModel) -> str:
    """What happened to workers, for the end of a command."""
    events = model.cluster_.events if hasattr(model, "cluster_") else ()
    return "".join(f"\nNote: {event}." for event in events)
