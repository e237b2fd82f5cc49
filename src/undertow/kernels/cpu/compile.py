"""How kernels are compiled: without the GIL, cached on disk, vectorised, and announced."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from numba.core import event
from numba.core.registry import CPUDispatcher

logger = logging.getLogger("undertow")

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered (that is what lets them vectorise; the order is fixed when the kernel is
# compiled) and multiplications fused into additions. NaN and infinity keep their meaning: training
# has to notice them.
FLOAT_RULES = {"reassoc", "contract", "nsz", "arcp"}


ADVICE = "set NUMBA_CACHE_DIR to one that can be written and outlives the process"


def kernel(function: Function) -> Function:
    """A function that the rest of the package calls: releases the GIL, and its machine code is kept
    on disk.
    """
    return _cached(function)


def shared(function: Function) -> Function:
    """A kernel that other kernels call as well, and that is inlined into them.

    Otherwise they would hold a copy of it, compiled once more and rounding differently, and which
    of the copies runs depends on what a process has loaded before: results would differ between a
    run that compiles and the next one.
    """
    return _cached(function, forceinline=True)


def piece(function: Function) -> Function:
    """A function that only kernels call, always inlined into them. What calls from Python would
    take is not compiled, so these are refused.
    """
    compiled: Function = numba.njit(
        function,
        fastmath=FLOAT_RULES,
        error_model="numpy",
        forceinline=True,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )
    compiled.__class__ = _Piece
    return compiled


class _Piece(CPUDispatcher):  # type: ignore[misc]  # numba has no stubs
    """What numba makes of a piece: without this, a call from Python would jump to nowhere."""

    def __call__(self, *_arguments: Any) -> None:
        raise TypeError(f"{self.__name__} can only be called by compiled functions")


def section(function: Function) -> Function:
    """A part of one kernel, written as a function of its own: it becomes part of that kernel before
    anything is compiled, so it costs no compilation of its own (nor does a kernel that calls it
    optimize it a second time).
    """
    compiled: Function = numba.njit(
        function, fastmath=FLOAT_RULES, error_model="numpy", inline="always"
    )
    return compiled


def _cached(function: Function, **more: bool) -> Function:
    """Compiled, with a cache on disk where there is a place for one."""
    options = {"nogil": True, "fastmath": FLOAT_RULES, "error_model": "numpy"}
    # Nobody calls kernels from C, so what that would take is not compiled.
    options.update(boundscheck=False, no_cfunc_wrapper=True, **more)
    try:
        compiled: Function = numba.njit(function, cache=True, **options)
    except RuntimeError as error:  # of a service user, or in a container that is read-only
        if "no locator available" not in str(error):
            raise
        _announcer.cached = False
        compiled = numba.njit(function, **options)
    return _forgiving(compiled)


def _forgiving(compiled: Function) -> Function:
    """A cache that cannot be read is emptied, and the kernel compiled anew; one that cannot be
    written is done without.

    It may be damaged, or of an earlier version of undertow: then it names what is no more. Or its
    disk is full.
    """
    cache: Any = getattr(compiled, "_cache", None)
    load, save = getattr(cache, "load_overload", None), getattr(cache, "save_overload", None)
    if load is not None and save is not None:

        def load_or_forget(*arguments: Any) -> Any:
            try:
                return load(*arguments)
            except Exception:
                with suppress(OSError):
                    cache.flush()
                return None

        def save_or_warn(*arguments: Any) -> None:
            try:
                save(*arguments)
            except OSError as error:
                _announcer.warn_of_cache(error)

        cache.load_overload, cache.save_overload = load_or_forget, save_or_warn
    return compiled


def _is_ours(event: Any) -> bool:
    """Whether it is a kernel of undertow that is compiled."""
    dispatcher = event.data["dispatcher"]
    ours: bool = dispatcher.py_func.__module__.startswith("undertow.")
    return ours and bool(dispatcher.targetoptions.get("nogil"))


class _Announcer(event.Listener):  # type: ignore[misc]  # numba has no stubs
    """Says once that kernels are being compiled, since the first call then takes seconds."""

    def __init__(self) -> None:
        self.said = self.warned = False
        self.cached = True  # whether there is a place for compiled code

    def on_start(self, event: Any) -> None:
        if not self.said and _is_ours(event):
            self.said = True
            if self.cached:
                logger.warning(
                    "compiling undertow's kernels for this machine (once; they are cached, later "
                    "runs start at once)"
                )
            else:
                logger.warning(
                    "compiling undertow's kernels, which every start has to do again: there is no "
                    "folder that they can be kept in; %s",
                    ADVICE,
                )

    def on_end(self, event: Any) -> None:
        pass

    def warn_of_cache(self, error: OSError) -> None:
        """Once, that compiled code could not be written."""
        if not self.warned:
            self.warned = True
            logger.warning(
                "undertow's compiled kernels could not be kept, the next start compiles again: "
                "%s; %s",
                error.strerror or error,
                ADVICE,
            )


class _NoCollecting(event.Listener):  # type: ignore[misc]  # numba has no stubs
    """Python looks for no garbage while kernels are compiled: a compiler makes millions of objects,
    nearly all of which stay until it is done, and to look through them takes a tenth of its time.
    """

    def __init__(self) -> None:
        self._depth = 0  # a kernel is compiled within another; numba compiles one at a time
        self._collects = False  # whether it did before

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        if self._depth == 0:
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0 and self._collects:
            gc.enable()


_announcer = _Announcer()
event.register("numba:compile", _announcer)
event.register("numba:compile", _NoCollecting())
