"""Options of commands that can work on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
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


def chosen(address: str | None, workers: int | None, interval: int | None = None) -> Cluster | None:
    """The cluster that is meant, checked before any work is done; None for this machine alone."""
    from undertow._errors import InvalidInput

    if address is None:
        for option, given in {"--workers": workers, "--interval": interval}.items():
            if given is not None:
                raise InvalidInput(f"{option} must be used with --cluster, got {given} without")
        return None
    from undertow.cluster import Cluster

    return Cluster.of(Cluster(address, workers=workers, interval=interval))


def told(model: TopicModel) -> str:
    """What happened to workers, for the end of a command."""
    return notes(model.cluster_.events if hasattr(model, "cluster_") else ())


def notes(events: Iterable[str]) -> str:
    """A line for each of what happened."""
    return "".join(f"\nNote: {event}." for event in events)
