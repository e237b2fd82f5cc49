"""Workers that do the same kind of work, each with its own part, and are replaced where they are
lost.

Whoever leads a crew tells all workers one thing, waits for all, and tells them the next. A worker
that is lost with its process or its machine has its place taken by a new one, which repeats what
was `kept` of earlier calls, and then does what the lost one was about to do. Work is a function of
what it is given, so the answer is the same.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from undertow._errors import ClusterError
from undertow.cluster.connecting import Connection
from undertow.cluster.host import Call, Host
from undertow.cluster.settings import Cluster

logger = logging.getLogger("undertow")

PATIENCE = 30.0  # seconds without an answer after which it is said what is waited for
CLOSING = 5.0  # seconds that workers have for tidying up
AHEAD = 4  # answers for each worker, that may be there before one that is still awaited

Given = Callable[[int], tuple[Any, ...]]
Watch = Callable[[int, Any], None]


class Lost(Exception):
    """Workers were lost, or what they gave: some work has to be done again by more than one."""


class Crew:
    """Workers, numbered from 0, each with an object of a class of the caller's.

    Parameters
    ----------
    connection : Connection
        The cluster, and how many workers.
    make : callable
        Makes the object of a worker; it has to be importable on all machines.
    given : callable
        Of the number of a worker; what `make` is given.

    Attributes
    ----------
    events : list of str
        What happened to workers, in words.

    Examples
    --------
    >>> from undertow.cluster import Crew
    >>> with connected(Cluster(workers=2)) as there:  # doctest: +SKIP
    ...     with Crew(there, list, lambda worker: ()) as crew:
    ...         crew.everyone("counting", "__len__")
    [0, 0]
    """

    def __init__(self, connection: Connection, make: Callable[..., Any], given: Given) -> None:
        self._connection, self._make, self._given = connection, make, given
        self._kept: list[tuple[str, Given]] = []
        self.events: list[str] = []
        self._machines: dict[int, str] = {}
        self._actors = [self._hire(worker, first=True) for worker in range(connection.workers)]
        self._homes: dict[Any, int] = {
            actor.machine.remote(): worker for worker, actor in enumerate(self._actors)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._actors)

    @property
    def settings(self) -> Cluster:
        """What was asked for."""
        return self._connection.settings

    def everyone(
        self,
        doing: str,
        name: str,
        given: Given = lambda worker: (),
        *,
        keep: bool = False,
        watch: Watch | None = None,
    ) -> list[Any]:
        """What a method gives of each worker, in their order.

        Parameters
        ----------
        doing : str
            What this is, for messages: "counting words".
        name : str
            The method.
        given : callable
            Of the number of a worker; what the method is given.
        keep : bool
            Whether a worker that takes the place of a lost one has to repeat it.
        watch : callable or None
            Told of each worker and its answer when it comes.

        Returns
        -------
        list
            An answer of each.

        Raises
        ------
        ClusterError
            Where a worker is lost again and again.

        Examples
        --------
        >>> crew.everyone("counting", "__len__")  # doctest: +SKIP
        [0, 0]
        """
        answers: list[Any] = [None] * self.size
        for worker, answer in self._answers(doing, name, [*range(self.size)], given):
            answers[worker] = answer
            if watch is not None:
                watch(worker, answer)
        if keep:
            self._kept.append((name, given))
        return answers

    def one_by_one(self, doing: str, name: str, given: Given = lambda worker: ()) -> Iterator[Any]:
        """What a method gives of each worker, in their order: the next is asked when the last
        answer was taken.

        Parameters
        ----------
        doing, name, given
            As in `everyone`.

        Yields
        ------
        object
            An answer of each.

        Raises
        ------
        ClusterError
            Where a worker is lost again and again.

        Examples
        --------
        >>> list(crew.one_by_one("counting", "__len__"))  # doctest: +SKIP
        [0, 0]
        """
        for worker in range(self.size):
            for _, answer in self._answers(doing, name, [worker], given):
                yield answer

    def forget(self) -> None:
        """What was kept so far need not be repeated any more.

        Examples
        --------
        >>> crew.forget()  # doctest: +SKIP
        """
        self._kept = []

    def hand_out(
        self,
        doing: str,
        name: str,
        items: Sequence[Any],
        given: Callable[[Any], tuple[Any, ...]] = lambda item: (item,),
    ) -> Iterator[Any]:
        """The answers to many pieces of work in their order; whoever is free takes the next.

        Parameters
        ----------
        doing : str
            What this is, for messages.
        name : str
            The method that does a piece.
        items : sequence
            The pieces.
        given : callable
            Of a piece, when it is its turn; what the method is given.

        Yields
        ------
        object
            The answer of each piece.

        Raises
        ------
        ClusterError
            Where workers are lost again and again.

        Examples
        --------
        >>> list(crew.hand_out("adding", "__add__", [[1], [2]]))  # doctest: +SKIP
        [[1], [2]]
        """
        done: dict[int, Any] = {}
        at_work: dict[Any, tuple[int, int]] = {}
        idle, losses = [*range(self.size)], dict.fromkeys(range(self.size), 0)
        coming = following = 0
        while following < len(items):
            # answers wait in memory for those before them: so no further ahead than that
            while idle and coming < min(len(items), following + AHEAD * self.size):
                worker = idle.pop(0)
                at_work[self.submit(worker, name, *given(items[coming]))] = (worker, coming)
                coming += 1
            reference = self._one_of(list(at_work), doing)
            worker, item = at_work.pop(reference)
            try:
                done[item] = self.fetch(reference)
            except Lost as lost:
                self._hire_instead(worker, doing, losses, lost)
                at_work[self.submit(worker, name, *given(items[item]))] = (worker, item)
                continue
            losses[worker] = 0
            idle.append(worker)
            while following in done:
                yield done.pop(following)
                following += 1

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
        import ray
        from ray import exceptions

        faults = (
            *(exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError),
            *(exceptions.ObjectLostError, exceptions.OutOfMemoryError),
        )
        try:
            return ray.get(reference)
        except exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, exceptions.RayTaskError):  # of what it was given
                cause = cause.cause
            if isinstance(cause, faults):
                raise Lost(_reason(cause)) from None
            if isinstance(cause, Exception):
                raise cause from None
            raise
        except faults as error:
            raise Lost(_reason(error)) from None

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

    def replace(self, worker: int, doing: str, losses: dict[int, int], why: str = "") -> None:
        """A new worker in the place of one that is lost: it repeats what was kept.

        Parameters
        ----------
        worker : int
            Its number.
        doing : str
            What was done when it was lost.
        losses : dict of int to int
            How often each worker was replaced in this piece of work; counted on.
        why : str
            What is known of the reason.

        Raises
        ------
        ClusterError
            Where it was replaced too often.

        Examples
        --------
        >>> crew.replace(0, "counting", {0: 0})  # doctest: +SKIP
        """
        self._hire_instead(worker, doing, losses, Lost(why))

    def remark(self, event: str) -> None:
        """Notes what happened, and says it.

        Parameters
        ----------
        event : str
            In words.

        Examples
        --------
        >>> crew.remark("a machine is slow")  # doctest: +SKIP
        """
        self.events.append(event)
        logger.warning("%s", event)

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
        if self._connection.settings.gpus:
            options["num_gpus"] = self._connection.settings.gpus
        actor = ray.remote(Host).options(max_restarts=0, max_task_retries=0, **options)
        return actor.remote(os.getcwd(), self._make, *self._given(worker))

    def _answers(
        self, doing: str, name: str, workers: list[int], given: Given
    ) -> Iterator[tuple[int, Any]]:
        losses = dict.fromkeys(workers, 0)
        asked = {self.submit(worker, name, *given(worker)): worker for worker in workers}
        while asked:
            reference = self._one_of(list(asked), doing)
            worker = asked.pop(reference)
            try:
                answer = self.fetch(reference)
            except Lost as lost:
                self._hire_instead(worker, doing, losses, lost)
                asked[self.submit(worker, name, *given(worker))] = worker
                continue
            yield worker, answer

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
            if missing:
                logger.warning(
                    "%s: waiting for room in the cluster for %d of %d workers (%g cores each)",
                    *(doing, len(missing), self.size, self._connection.cores),
                )

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

    def _hire_instead(self, worker: int, doing: str, losses: dict[int, int], lost: Lost) -> None:
        import ray

        losses[worker] = losses.get(worker, 0) + 1
        retries = self._connection.settings.retries
        where = f"worker {worker + 1} of {self.size}"
        if worker in self._machines:
            where += f" on {self._machines.pop(worker)}"
        why = f" ({lost})" if str(lost) else ""
        if losses[worker] > retries:
            raise ClusterError(
                f"{where} was lost while {doing}{why}, {losses[worker]} times in all, which is "
                f"more often than retries={retries} allow"
            )
        self.remark(f"{where} was lost while {doing}{why}; another has taken its place")
        ray.kill(self._actors[worker])  # one that cannot be reached may live
        actor = self._actors[worker] = self._hire(worker, first=False)
        self._homes = {ref: home for ref, home in self._homes.items() if home != worker}
        self._homes[actor.machine.remote()] = worker
        if self._kept:
            calls: list[Call] = [(name, given(worker)) for name, given in self._kept]
            actor.repeat.remote(calls)


def _reason(error: BaseException) -> str:
    """In a few words, from the many that Ray has."""
    kind, text = type(error).__name__, str(error)
    if "node has died" in text or "NodeDied" in kind or "ObjectLost" in kind:
        return "its machine is gone"
    if "OutOfMemory" in kind:
        return "its machine had no memory left"
    return "its process ended"
