"""Kernels in Triton run on a card; where there is none, Triton interprets them, slowly, on the CPU.

It has to be told so before it is loaded, and this file is read before the tests beside it.
"""

from __future__ import annotations

import os
from importlib.util import find_spec


def _sees_a_card() -> bool:
    if find_spec("torch") is None:
        return False
    from torch import cuda

    return bool(cuda.is_available())


if find_spec("triton") is not None and not _sees_a_card():
    os.environ.setdefault("TRITON_INTERPRET", "1")
