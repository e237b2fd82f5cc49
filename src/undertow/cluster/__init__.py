"""Work divided among machines by Ray: connecting to a cluster, and workers that are replaced where
they are lost.

What workers do is given to them as a class and the names of its methods: nothing here knows of
texts or models.

Examples
--------
>>> from undertow.cluster import Cluster
>>> Cluster(workers=4).address  # a cluster that runs already, or else the cores of this machine
'auto'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.cluster.connecting import Connection, connected
    from undertow.cluster.crew import Crew
    from undertow.cluster.settings import Cluster

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.cluster.connecting": ("Connection", "connected"),
        "undertow.cluster.crew": ("Crew",),
        "undertow.cluster.settings": ("Cluster",),
    },
)

__all__ = ["Cluster", "Connection", "Crew", "connected"]
