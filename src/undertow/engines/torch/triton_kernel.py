"""How kernels are compiled: once for each vocabulary, number of units and size of minibatches.

Triton compiles a kernel anew where a number among its arguments is 1, or is or is not divisible by
16, and where an array begins at another kind of address. Epochs, numbers of documents and the like
change all the time, and each new kind would keep a run waiting for the compiler, so it is told not
to look at them.
"""

from __future__ import annotations

from typing import Any

import triton


def kernel(*varying: str) -> Any:
    """As `triton.jit`; the arguments of these names may have any value, or begin anywhere."""
    return triton.jit(do_not_specialize=list(varying))
