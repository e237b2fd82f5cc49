"""A crew whose workers live in this process: what travels is pickled, as it would be, and a plan
says which worker is lost at which call.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from undertow.cluster import Cluster, Connection, Crew
from undertow.cluster.host import Call, Host
from undertow.cluster.lost import Lost


@dataclass
class Losses:
    """Which calls workers do not survive: (name of the method, worker) -> how often, and whether
    they are lost before they did what they were asked, or after.
    """

    planned: dict[tuple[str, int], int] = field(default_factory=dict)
    after: bool = False
    calls: list[tuple[str, int]] = field(default_factory=list)

    def falls(self, name: str, worker: int) -> bool:
        """Whether this worker is lost now."""
        self.calls.append((name, worker))
        left = self.planned.get((name, worker), 0)
        if left > 0:
            self.planned[name, worker] = left - 1
        return left > 0


@dataclass(eq=False)
class Reference:
    """Of an answer: what was given, pickled, or the error."""

    content: bytes | None
    error: BaseException | None = None

    def value(self) -> Any:
        if self.error is not None:
            raise self.error
        assert self.content is not None
        return pickle.loads(self.content)


class Worker:
    """A host, until it is lost."""

    def __init__(self, make: Callable[..., Any], *given: Any) -> None:
        self.host = Host(".", make, *pickle.loads(pickle.dumps(given)))
        self.lost = False

    def ask(
        self, name: str, given: tuple[Any, ...], several: int, falls: bool, after: bool
    ) -> list[Any]:
        """References of what a method gives."""
        number = max(several, 1)
        if falls and not after:
            self.lost = True
        if self.lost:
            return [Reference(None, Lost("its process ended"))] * number
        try:
            values = [one.value() if isinstance(one, Reference) else one for one in given]
            answer = self.host.call(name, *pickle.loads(pickle.dumps(values)))
            found = answer if several else (answer,)
            references = [Reference(pickle.dumps(one)) for one in found]
        except BaseException as error:
            return [Reference(None, error)] * number
        if falls:
            self.lost = True
            return [Reference(None, Lost("its machine is gone"))] * number
        return references


class NearCrew(Crew):
    """A `Crew` without Ray."""

    losses = Losses()

    def __init__(self, connection: Connection, make: Any, given: Any) -> None:
        self._connection, self._make, self._given = connection, make, given
        self._kept, self.events, self._machines = [], [], {}
        self._homes = {}
        self._actors: list[Any] = [
            Worker(make, *given(worker)) for worker in range(connection.workers)
        ]

    def submit(self, worker: int, name: str, *given: Any) -> Any:
        return self._ask(worker, name, given, 0)[0]

    def submit_several(self, worker: int, name: str, number: int, *given: Any) -> list[Any]:
        return self._ask(worker, name, given, number)

    def _ask(self, worker: int, name: str, given: Any, several: int) -> list[Any]:
        falls = self.losses.falls(name, worker)
        asked: Worker = self._actors[worker]
        return asked.ask(name, given, several, falls, self.losses.after)

    def fetch(self, reference: Any) -> Any:
        return reference.value()

    def put(self, value: Any) -> Any:
        return Reference(pickle.dumps(value))

    def alive(self) -> list[bool]:
        return [not actor.lost for actor in self._actors]

    def _one_of(self, references: list[Any], doing: str) -> Any:
        return references[0]

    def _hire_another(self, worker: int) -> None:
        self._actors[worker] = Worker(self._make, *self._given(worker))

    def _repeat(self, worker: int, calls: list[Call]) -> None:
        for name, given in calls:
            self._actors[worker].ask(name, given, 0, falls=False, after=False)

    def close(self) -> None:
        for actor in self._actors:
            actor.host.close()


@contextmanager
def in_one_process(losses: Losses | None = None) -> Iterator[Losses]:
    """Workers of all that works on a cluster live in this process meanwhile."""
    from undertow.estimators import _cluster_fit, cluster_tables
    from undertow.search.filling import shared_rows

    planned = Losses() if losses is None else losses
    with ExitStack() as patched:
        patched.enter_context(mock.patch.object(NearCrew, "losses", planned))
        for module in (_cluster_fit, cluster_tables, shared_rows):
            patched.enter_context(mock.patch.object(module, "Crew", NearCrew))
            patched.enter_context(mock.patch.object(module, "connected", connected_here))
        yield planned


@contextmanager
def connected_here(cluster: Cluster, device: str = "cpu") -> Iterator[Connection]:
    """Instead of `connected`."""
    yield Connection(cluster, cluster.workers or 1, 1.0)
