"""How kernels are compiled: without the GIL, cached on disk, vectorised, and announced."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event

logger = logging.getLogger("undertow")

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered (that is what lets them vectorise; the order is fixed when the kernel is
# compiled) and multiplications fused into additions. NaN and infinity keep their meaning: training
# has to notice them.
FLOAT_RULES = {"reassoc", "contract", "nsz", "arcp"}


def kernel(function: Function) -> Function:
    """A function that the rest of the package calls: releases the GIL, and its machine code is kept
    on disk.
    """
    compiled: Function = numba.njit(
        function,
        nogil=True,
        cache=True,
        fastmath=FLOAT_RULES,
        error_model="numpy",
        boundscheck=False,
    )
    return _forgiving(compiled)


def shared(function: Function) -> Function:
    """A kernel that other kernels call as well, and that is inlined into them.

    Otherwise they would hold a copy of it, compiled once more and rounding differently, and which
    of the copies runs depends on what a process has loaded before: results would differ between a
    run that compiles and the next one.
    """
    compiled: Function = numba.njit(
        function,
        nogil=True,
        cache=True,
        fastmath=FLOAT_RULES,
        error_model="numpy",
        boundscheck=False,
        forceinline=True,
    )
    return _forgiving(compiled)


def piece(function: Function) -> Function:
    """A function that only kernels call, always inlined into them."""
    compiled: Function = numba.njit(
        function, fastmath=FLOAT_RULES, error_model="numpy", forceinline=True
    )
    return compiled


def section(function: Function) -> Function:
    """A part of one kernel, written as a function of its own: it becomes part of that kernel before
    anything is compiled, so it costs no compilation of its own (nor does a kernel that calls it
    optimize it a second time).
    """
    compiled: Function = numba.njit(
        function, fastmath=FLOAT_RULES, error_model="numpy", inline="always"
    )
    return compiled


def _forgiving(compiled: Function) -> Function:
    """A cache that cannot be read is emptied, and the kernel compiled anew.

    It may be damaged, or of an earlier version of undertow: then it names what is no more.
    """
    cache: Any = getattr(compiled, "_cache", None)
    load = getattr(cache, "load_overload", None)
    if load is not None:

        def load_or_forget(*arguments: Any) -> Any:
            try:
                return load(*arguments)
            except Exception:
                cache.flush()
                return None

        cache.load_overload = load_or_forget
    return compiled


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no stubs
    """Says once that kernels are being compiled, since the first call then takes seconds."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if (
            not self.said
            and dispatcher.py_func.__module__.startswith("undertow.")
            and dispatcher.targetoptions.get("nogil")
        ):
            self.said = True
            logger.warning(
                "compiling undertow's kernels for this machine (once; they are cached, later runs "
                "start at once)"
            )

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())
