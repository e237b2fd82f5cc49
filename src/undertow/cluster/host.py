"""What runs on a worker: an object of the caller's, and its methods by their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

Call = tuple[str, tuple[Any, ...]]  # the name of a method, and what it is given


class Host:
    """Holds the object that a worker works with, in the folder that the one who leads is in, so
    that paths mean the same.

    A worker that takes the place of a lost one repeats what brought that one to where it was. If
    that fails, whatever is asked of it next says so.
    """

    def __init__(self, folder: str, make: Callable[..., Any], *given: Any) -> None:
        with suppress(OSError):  # where there is none of that name, relative paths mean nothing
            os.chdir(folder)
        self._resident = make(*given)
        self._failed: BaseException | None = None

    def call(self, name: str, *given: Any) -> Any:
        """What a method of the object gives."""
        if self._failed is not None:
            raise self._failed
        return getattr(self._resident, name)(*given)

    def several(self, name: str, *given: Any) -> Any:
        """What a method gives that gives several things, which travel one by one."""
        return tuple(self.call(name, *given))

    def repeat(self, calls: Sequence[Call]) -> None:
        """Calls methods one after the other, and keeps nothing of what they give."""
        try:
            for name, given in calls:
                self.call(name, *(_fetched(one) for one in given))
        except BaseException as error:
            self._failed = error

    def machine(self) -> str:
        """The address of the machine."""
        import ray

        return str(ray.util.get_node_ip_address())

    def close(self) -> None:
        """Lets go of what the object has on disk, if it has something."""
        getattr(self._resident, "close", lambda: None)()


def _fetched(value: Any) -> Any:
    """What a reference stands for: those inside of lists are not fetched by Ray itself."""
    import ray

    return ray.get(value) if isinstance(value, ray.ObjectRef) else value
