"""Which cluster, and how it is used."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from undertow import _check, _extras
from undertow._errors import InvalidInput


@dataclass(frozen=True)
class Cluster:
    """A cluster of Ray, and how many workers of it take part.

    Of all this, only the number of workers and `interval` decide what is learned.

    Parameters
    ----------
    address : str
        "auto": a cluster that runs already on this machine or that RAY_ADDRESS names, or else one
        on the cores of this machine. "local": the cores of this machine, also where a cluster
        runs. Otherwise that of a cluster: "10.0.0.1:6379" on one of its machines, or
        "ray://10.0.0.1:10001" from outside.
    workers : int or None
        How many. None for one on each machine; say how many where results are to be had again.
    cores : int or None
        Threads of each worker; None for an equal share.
    gpus : float or None
        Cards that each worker reserves. None: one, where the model's `device` is a card, and an
        equal share of one where there are more workers than cards.
    interval : int or None
        Steps that each worker takes between two averagings; None for 16. More of them spare the
        network (docs/scaling.md).
    retries : int
        How often one worker is replaced in one piece of work before that is an error.
    checkpoint : path or None
        A folder of this machine that training is saved to, so that it can go on after the process
        that called it was killed.
    every : float or str
        Time between two checkpoints, at least: seconds, or a text such as "5min".
    resume : bool
        Whether to go on from the checkpoint, where there is one.

    Examples
    --------
    >>> from undertow.cluster import Cluster
    >>> Cluster("10.0.0.1:6379", workers=8).workers
    8
    """

    address: str = "auto"
    workers: int | None = None
    cores: int | None = None
    gpus: float | None = None
    interval: int | None = None
    retries: int = 3
    checkpoint: str | os.PathLike[str] | None = None
    every: float | str = 300.0
    resume: bool = False

    def __post_init__(self) -> None:
        address: object = self.address
        if not isinstance(address, str) or not address:
            raise InvalidInput(
                f"cluster must be 'auto' or the address of a cluster, got {self.address!r}"
            )
        for name in ("workers", "cores", "interval"):
            if getattr(self, name) is not None:
                _check.whole_number(name, getattr(self, name), at_least=1)
        if self.gpus is not None:
            _check.number("gpus", self.gpus, at_least=0.0)
        _check.whole_number("retries", self.retries, at_least=0)
        _seconds("every", self.every)
        if self.checkpoint is None:
            _check.only_with("checkpoint", {"resume": self.resume})

    @property
    def seconds(self) -> float:
        """Those of `every`."""
        return _seconds("every", self.every)

    def saving(
        self, checkpoint: str | os.PathLike[str] | None, every: object, resume: bool
    ) -> Cluster:
        """The same, saved as the arguments of `fit` say, where they say anything.

        Parameters
        ----------
        checkpoint, every, resume
            As `checkpoint`, `checkpoint_every` and `resume` of `TopicModel.fit`.

        Returns
        -------
        Cluster
            The settings.

        Examples
        --------
        >>> Cluster("auto").saving("saved", "2min", True).seconds
        120.0
        """
        if checkpoint is None:
            alone = resume and self.checkpoint is None
            _check.only_with("checkpoint", {"resume": alone, "checkpoint_every": every})
            return replace(self, resume=True) if resume else self
        often = self.every if every is None else _seconds("checkpoint_every", every)
        return replace(self, checkpoint=checkpoint, every=often, resume=resume)

    @classmethod
    def of(cls, cluster: Cluster | str | None, workers: int | None = None) -> Cluster:
        """What is meant by the arguments of a method, and a word where Ray is not installed.

        Parameters
        ----------
        cluster : Cluster, str or None
            One, or its address.
        workers : int or None
            How many; None for those of the cluster.

        Returns
        -------
        Cluster
            The settings.

        Raises
        ------
        InvalidInput
            Where there is no cluster, or no Ray.

        Examples
        --------
        >>> Cluster.of("auto", 2).workers
        2
        """
        if cluster is None:
            raise InvalidInput(f"workers must be used with cluster, got {workers!r} without")
        found = cluster if isinstance(cluster, Cluster) else cls(cluster)
        _extras.require("a cluster", "cluster", "ray")
        return found if workers is None else replace(found, workers=workers)


def _seconds(name: str, every: object) -> float:
    amount, unit = _check.how_often(name, every)
    if unit != "seconds":
        raise InvalidInput(f"{name} must be a time such as '5min' on a cluster, got {every!r}")
    return amount
