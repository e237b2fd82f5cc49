"""Workers as Ray has them: each is an actor with a `Host`. They are hired, asked, and let go.

What is done about those that are lost is told in `crew`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

from undertow.cluster.connecting import Connection, machines_alive
from undertow.cluster.host import Call, Host
from undertow.cluster.lost import Lost, fetched
from undertow.cluster.settings import Cluster

logger = logging.getLogger("undertow")

PATIENCE = 30.0  # seconds without an answer after which it is said what is waited for
CLOSING = 5.0  # seconds that workers have for tidying up

Given = Callable[[int], tuple[Any, ...]]


class Actors:
    """Workers, numbered from 0, each with an object of a class of the caller's."""

    def __init__(self, connection: Connection, make: Callable[..., Any], given: Given) -> None:
        self._connection, self._make, self._given = connection, make, given
        self._machines: dict[int, str] = {}  # the address of each worker's, once it is known
        self._actors = [self._hire(worker, first=True) for worker in range(connection.workers)]
        self._with_room = set(range(connection.workers))  # those that reserve cores
        self._homes: dict[Any, int] = {
            actor.machine.remote(): worker for worker, actor in enumerate(self._actors)
        }

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._actors)

    @property
    def settings(self) -> Cluster:
        """What was asked for."""
        return self._connection.settings

    def submit(self, worker: int, name: str, *given: Any) -> Any:
        """Asks one worker, and does not wait.

        Parameters
        ----------
        worker : int
            Its number.
        name : str
            The method.
        *given
            What it is given; references stand for what is elsewhere.

        Returns
        -------
        reference
            Of the answer, for `fetch`.

        Examples
        --------
        >>> crew.fetch(crew.submit(0, "__len__"))  # doctest: +SKIP
        0
        """
        return self._actors[worker].call.remote(name, *given)

    def submit_several(self, worker: int, name: str, number: int, *given: Any) -> list[Any]:
        """As `submit`, for a method that gives so many things, each of which has a reference.

        Parameters
        ----------
        worker : int
            Its number.
        name : str
            The method.
        number : int
            How many things it gives.
        *given
            What it is given.

        Returns
        -------
        list
            References.

        Examples
        --------
        >>> crew.submit_several(0, "copy", 1)  # doctest: +SKIP
        [...]
        """
        method = self._actors[worker].several.options(num_returns=number)
        found = method.remote(name, *given)
        return [found] if number == 1 else list(found)

    def fetch(self, reference: Any) -> Any:
        """What a reference stands for.

        Parameters
        ----------
        reference
            Of `submit`, or a list of some.

        Returns
        -------
        object
            The answer; what a worker raised is raised here.

        Raises
        ------
        Lost
            Where it is lost, with a worker or a machine.

        Examples
        --------
        >>> crew.fetch(crew.submit(0, "__len__"))  # doctest: +SKIP
        0
        """
        return fetched(reference)

    def put(self, value: Any) -> Any:
        """A reference that stands for a value, which travels to each machine once.

        Parameters
        ----------
        value : object
            Anything that can be pickled.

        Returns
        -------
        reference
            To be given to methods.

        Examples
        --------
        >>> crew.put([1, 2])  # doctest: +SKIP
        ObjectRef(...)
        """
        import ray

        return ray.put(value)

    def alive(self) -> list[bool]:
        """Which workers answer.

        Returns
        -------
        list of bool
            Of each worker.

        Examples
        --------
        >>> crew.alive()  # doctest: +SKIP
        [True, True]
        """
        asked = [actor.machine.remote() for actor in self._actors]
        found = []
        for reference in asked:
            try:
                self.fetch(reference)
                found.append(True)
            except Lost:
                found.append(False)
        return found

    def close(self) -> None:
        """Ends all workers, which let go of what they have on disk.

        Examples
        --------
        >>> crew.close()  # doctest: +SKIP
        """
        import ray

        going = [actor.close.remote() for actor in self._actors]
        if going:
            ray.wait(going, num_returns=len(going), timeout=CLOSING)
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []

    def _hire(self, worker: int, *, first: bool) -> Any:
        """An actor. One that takes a lost one's place takes it anywhere, also beside another: it
        must not wait for a machine that may never come back.
        """
        import ray

        cores = self._connection.cores if first else 0
        options: dict[str, Any] = {"num_cpus": cores, "scheduling_strategy": "SPREAD"}
        if self._connection.gpus:
            options["num_gpus"] = self._connection.gpus
        actor = ray.remote(Host).options(max_restarts=0, max_task_retries=0, **options)
        return actor.remote(os.getcwd(), self._make, *self._given(worker))

    def _hire_another(self, worker: int) -> None:
        """In the place of one that is lost."""
        import ray

        ray.kill(self._actors[worker])  # one that cannot be reached may live
        self._with_room.discard(worker)
        actor = self._actors[worker] = self._hire(worker, first=False)
        self._homes = {ref: home for ref, home in self._homes.items() if home != worker}
        self._homes[actor.machine.remote()] = worker

    def _repeat(self, worker: int, calls: list[Call]) -> None:
        """Has a new worker do what the lost one had done, before all that it is asked later."""
        self._actors[worker].repeat.remote(calls)

    def _one_of(self, references: list[Any], doing: str) -> Any:
        """The first that is answered; what is waited for is said when it takes long to begin."""
        import ray

        self._note_machines()
        while True:
            ready, _ = ray.wait(references, num_returns=1, timeout=PATIENCE)
            self._note_machines()
            if ready:
                return ready[0]
            missing = [worker for worker in range(self.size) if worker not in self._machines]
            if missing and len(machines_alive()) < self._connection.machines:
                self._give_up_room(missing)
            elif missing:
                logger.warning(
                    "%s: waiting for %d of %d workers to begin, or for room for them in the "
                    "cluster at %s: each takes %s",
                    *(doing, len(missing), self.size, self._connection.address),
                    self._connection.taken,
                )

    def _give_up_room(self, missing: list[int]) -> None:
        """The room that workers wait for may have gone with a machine, for good. They are lost
        then, and replaced by others, who need no room of their own.
        """
        import ray

        for worker in self._with_room.intersection(missing):
            self._with_room.remove(worker)
            ray.kill(self._actors[worker])

    def _note_machines(self) -> None:
        """Where workers are, as far as it is known by now, for messages."""
        import ray

        if not self._homes:
            return
        ready, _ = ray.wait(list(self._homes), num_returns=len(self._homes), timeout=0)
        for reference in ready:
            worker = self._homes.pop(reference)
            try:
                self._machines[worker] = self.fetch(reference)
            except Lost:
                continue
