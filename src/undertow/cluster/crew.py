"""Workers that do the same kind of work, each with its own part, and are replaced where they are
lost.

Whoever leads a crew tells all workers one thing, waits for all, and tells them the next. A worker
that is lost with its process or its machine has its place taken by a new one, which repeats what
was `kept` of earlier calls, and then does what the lost one was about to do. Work is a function of
what it is given, so the answer is the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from undertow._errors import ClusterError
from undertow.cluster.actors import Actors, Given
from undertow.cluster.connecting import Connection
from undertow.cluster.lost import Lost

logger = logging.getLogger("undertow")

AHEAD = 4  # answers for each worker, that may be there before one that is still awaited

Watch = Callable[[int, Any], None]


class Crew(Actors):
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
        self._kept: list[tuple[str, Given]] = []
        self.events: list[str] = []
        super().__init__(connection, make, given)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

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

    def _hire_instead(self, worker: int, doing: str, losses: dict[int, int], lost: Lost) -> None:
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
        self._hire_another(worker)
        if self._kept:
            self._repeat(worker, [(name, given(worker)) for name, given in self._kept])
