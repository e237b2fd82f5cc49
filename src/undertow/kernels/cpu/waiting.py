"""Waiting for another thread without going to sleep: a thread that the system has to wake comes 50
microseconds late.

Between looks the core is offered to whoever else wants it, so that waiting costs others little
where threads outnumber cores.
"""

from __future__ import annotations

import os
from typing import Any

from numba import types
from numba.extending import intrinsic

from undertow.kernels.cpu.compile import kernel, piece

LOOKS_PER_YIELD = (
    2000  # some microseconds; a busy neighbour that is offered the core keeps it for milliseconds
)

_sched_yield = types.ExternalFunction("sched_yield", types.int32())


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def load(_context: Any, array: Any, _index: Any) -> Any:
    """Reads an int64 that another thread may write at any time."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(builder.gep(view.data, [arguments[1]]), "acquire", 8)

    return types.int64(array, types.intp), generate


if os.name == "posix":

    @piece
    def yield_core() -> None:
        """Lets another thread of this core run, if there is one."""
        _sched_yield()

else:

    @piece
    def yield_core() -> None:
        """Nothing here: the system shares cores out by itself."""


@kernel
def wait(array: Any, index: int, value: int, until_equal: bool, yields: int) -> bool:
    """Waits until array[index] equals `value` (or differs from it); False if the core was offered
    `yields` times first.
    """
    for _ in range(yields):
        for _ in range(LOOKS_PER_YIELD):
            if (load(array, index) == value) == until_equal:
                return True
        yield_core()
    return False
