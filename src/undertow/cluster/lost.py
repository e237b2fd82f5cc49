"""What a worker gives, or that it was lost: Ray has many errors for that, and here is one."""

from __future__ import annotations

from typing import Any


class Lost(Exception):
    """A worker was lost, or what it gave: some work has to be done again."""


def fetched(reference: Any) -> Any:
    """What a reference stands for, or a list of them; what a worker raised is raised here, and
    `Lost` where it is lost with a worker or a machine.
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


def _reason(error: BaseException) -> str:
    """In a few words, from the many that Ray has."""
    kind, text = type(error).__name__, str(error)
    if "node has died" in text or "NodeDied" in kind or "ObjectLost" in kind:
        return "its machine is gone"
    if "OutOfMemory" in kind:
        return "its machine had no memory left"
    return "its process ended"
