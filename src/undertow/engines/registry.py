"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable

from undertow._errors import InvalidInput
from undertow.engines.protocol import Engine

Maker = Callable[[int | None], Engine]  # of the number of threads asked for


def _cpu(threads: int | None) -> Engine:
    from undertow.engines.cpu import CpuEngine  # compiled, so loaded where it is used

    return CpuEngine(threads)


def _reference(threads: int | None) -> Engine:
    from undertow.engines.reference import ReferenceEngine

    return ReferenceEngine()


_MAKERS: dict[str, Maker] = {"cpu": _cpu, "reference": _reference}


def engine_names() -> tuple[str, ...]:
    """The engines that are known.

    Returns
    -------
    tuple of str
        Their names.

    Examples
    --------
    >>> from undertow.engines import engine_names
    >>> {"cpu", "reference"} <= set(engine_names())
    True
    """
    return tuple(_MAKERS)


def register_engine(name: str, make: Maker) -> None:
    """Makes an engine of your own known under a name. docs/extending.md has a whole one.

    Parameters
    ----------
    name : str
        What `engine=` is given.
    make : function
        Of the number of threads that were asked for, or None; gives an `Engine`.

    Examples
    --------
    >>> from undertow.engines import find_engine, register_engine
    >>> register_engine("single", lambda threads: find_engine("cpu", threads=1))
    >>> find_engine("single").name
    'cpu'
    """
    _MAKERS[name] = make


def find_engine(engine: str | Engine, *, threads: int | None = None) -> Engine:
    """The engine of a name, or the one given.

    Parameters
    ----------
    engine : str or Engine
        A name that is registered, or an engine, which is taken as it is.
    threads : int or None
        On how many threads an engine that is named computes; None for one per core.

    Returns
    -------
    Engine
        It computes.

    Raises
    ------
    InvalidInput
        Where no engine has that name.

    Examples
    --------
    >>> from undertow.engines import find_engine
    >>> find_engine("reference").name
    'reference'
    """
    if not isinstance(engine, str):
        return engine
    if engine not in _MAKERS:
        names = ", ".join(map(repr, _MAKERS))
        raise InvalidInput(f"engine must be one of {names}, or an engine, got {engine!r}")
    return _MAKERS[engine](threads)
