"""Connecting to a cluster that runs, or starting one on this machine."""

from __future__ import annotations

import logging
import math
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from undertow._errors import ClusterError, InvalidInput
from undertow.cluster.settings import Cluster

logger = logging.getLogger("undertow")

ANSWER = 10.0  # seconds that a machine may take to answer

# What Ray writes to standard output of workers and machines that are lost, in the midst of what a
# command writes there as JSON. A crew says it in words, and where messages go.
OF_LOSSES = "A worker died or was killed while executing|has been marked dead because"


@dataclass(frozen=True)
class Connection:
    """A cluster that answers: how many workers it is to have, and how many cores each of them.

    Parameters
    ----------
    settings : Cluster
        What was asked for.
    workers : int
        How many workers there are to be.
    cores : float
        Cores that each reserves; less than one where there are more workers than cores.
    gpus : float
        Cards that each reserves; less than one where several share a card.
    address : str
        Where the cluster is.
    machines : int
        How many it had when this was made.

    Examples
    --------
    >>> from undertow.cluster import Connection
    >>> Connection(Cluster(), workers=2, cores=0.5).threads
    1
    """

    settings: Cluster
    workers: int
    cores: float
    gpus: float = 0.0
    address: str = ""
    machines: int = 0

    @property
    def taken(self) -> str:
        """What each worker takes of the cluster, in words."""
        cores = f"{self.cores:g} cores" if self.cores != 1 else "1 core"
        return f"{cores} and {self.gpus:g} of a card" if self.gpus else cores

    @property
    def threads(self) -> int:
        """Threads that a worker computes with."""
        return max(int(self.cores), 1)


@contextmanager
def connected(cluster: Cluster, device: str = "cpu") -> Iterator[Connection]:
    """Ray for the time of a `with`; what was started for it is stopped at its end.

    A connection that the process has already is used, and left as it is.

    Parameters
    ----------
    cluster : Cluster
        Where to, and how many workers.
    device : str
        What the workers compute on: "cpu", "cuda" or "auto", a card where the cluster has some.

    Returns
    -------
    context manager
        It gives a `Connection`.

    Raises
    ------
    ClusterError
        Where no cluster answers at the address, or it has no cards and was to have some.

    Examples
    --------
    >>> from undertow.cluster import connected
    >>> with connected(Cluster(workers=2)) as there:  # doctest: +SKIP
    ...     there.workers
    2
    """
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", OF_LOSSES)  # read when Ray is imported
    import ray

    ours = not ray.is_initialized()
    if ours:
        with _own_sigterm():
            _start(cluster.address)
    try:
        workers = len(working(machines_alive())) if cluster.workers is None else cluster.workers
        gpus = cluster.gpus
        if gpus is None:
            gpus = cards_for_each(device, _on_machines("GPU"), workers)
        there = _sized(cluster, _on_machines("CPU", with_cards=gpus > 0), workers)
        address = str(ray.get_runtime_context().gcs_address)
        yield replace(there, gpus=gpus, address=address, machines=len(machines_alive()))
    finally:
        if ours:
            ray.shutdown()


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Ray ends the process at SIGTERM. Who has a handler for it, such as one that keeps what was
    learned, has it afterwards, too.
    """
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _start(address: str) -> None:
    import ray

    # a library tells nobody that it is used; for clusters that were started before it is too late
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # each is handled where it is fetched
    check_answers(address)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address != "local":
            ray.init(address=address, **quiet)
            return
    except (ConnectionError, ValueError, RuntimeError) as error:
        if address != "auto" or not isinstance(error, ConnectionError):
            raise ClusterError(
                f"cluster must be the address of a cluster of Ray that runs, got {address!r}: "
                f"{str(error).strip().partition(chr(10))[0]}"
            ) from None
    from undertow.kernels.cores import cores

    ray.init(address="local", num_cpus=cores(), include_dashboard=False, **quiet)


def check_answers(address: str) -> None:
    """Refuses an address at which nobody listens; Ray would go on asking for a minute or more."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"cluster must be the address of a cluster of Ray that runs, got {address!r}, where "
            f"nothing answers: {error}"
        ) from None


def _on_machines(what: str, *, with_cards: bool = False) -> list[float]:
    """How many "CPU" or "GPU" each machine has, or each that has a card; the most first."""
    found = (node["Resources"] for node in machines_alive())
    return sorted(
        (float(has.get(what, 0.0)) for has in found if not with_cards or has.get("GPU", 0.0)),
        reverse=True,
    )


def working(machines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that have a core to work with: the head of a cluster may have none."""
    return [node for node in machines if node["Resources"].get("CPU", 0.0) >= 1] or machines[:1]


def machines_alive() -> list[dict[str, Any]]:
    """The machines of the cluster that are there now, as Ray describes them."""
    import ray

    return [node for node in ray.nodes() if node["Alive"]]


def _sized(cluster: Cluster, machines: list[float], workers: int) -> Connection:
    able = [cores for cores in machines if cores >= 1] or [1.0]
    if cluster.cores is None:
        return Connection(cluster, workers, share(able, workers))
    if cluster.cores > able[0]:
        raise InvalidInput(
            f"cores must be at most {able[0]:g}, which the largest machine of the cluster has, "
            f"got {cluster.cores}"
        )
    if sum(int(one // cluster.cores) for one in able) < workers:
        logger.info("the cluster has no room yet for %d workers; waiting for machines", workers)
    return Connection(cluster, workers, float(cluster.cores))


def cards_for_each(device: str, machines: list[float], workers: int) -> float:
    """What each worker reserves of the cards that machines have."""
    cards = int(sum(machines))
    if device == "cpu" or (device == "auto" and not cards):
        return 0.0
    if not cards:
        raise ClusterError(
            f"device must be 'cpu' or 'auto' on this cluster, got {device!r}: Ray knows of no card "
            f"on any of its {len(machines)} machines"
        )
    return 1.0 / math.ceil(workers / cards)


def share(machines: list[float], workers: int) -> float:
    """The most cores that each worker can have, where none is spread over machines."""
    for cores in range(int(max(machines)), 0, -1):
        if sum(int(machine // cores) for machine in machines) >= workers:
            return float(cores)
    parts = 1
    while sum(int(machine) * parts for machine in machines) < workers:
        parts += 1
    return 1.0 / parts
