"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable

from undertow._errors import InvalidInput
from undertow.engines import devices
from undertow.engines.protocol import Engine

ON_CARDS = ("cpu", "torch")  # "cpu" is what nobody chose: on a card it is torch's
Maker = Callable[[int | None], Engine]  # of the number of threads asked for


def _cpu(threads: int | None) -> Engine:
    from undertow.engines.cpu import CpuEngine  # compiled, so loaded where it is used

    return CpuEngine(threads)


def _reference(threads: int | None) -> Engine:
    from undertow.engines.reference import ReferenceEngine

    return ReferenceEngine()


def _torch(threads: int | None) -> Engine:
    return devices.engine_on("cpu")


_MAKERS: dict[str, Maker] = {"cpu": _cpu, "reference": _reference, "torch": _torch}


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


def find_engine(
    engine: str | Engine, *, threads: int | None = None, device: str | None = None
) -> Engine:
    """The engine of a name, or the one given.

    Parameters
    ----------
    engine : str or Engine
        A name that is registered, or an engine, which is taken as it is.
    threads : int or None
        On how many threads an engine that is named computes; None for one per core.
    device : str or None
        "cpu"; "cuda", or "cuda:1" for one of several cards, on which "torch" computes, also where
        "cpu" is named; "auto" for a card where torch sees one. None is "cpu".

    Returns
    -------
    Engine
        It computes.

    Raises
    ------
    InvalidInput
        Where no engine has that name, or the device is not there.

    Examples
    --------
    >>> from undertow.engines import find_engine
    >>> find_engine("reference").name
    'reference'
    """
    chosen = devices.CPU if device is None else devices.device_name(device)
    if not isinstance(engine, str):
        return engine
    if engine not in _MAKERS:
        names = ", ".join(map(repr, _MAKERS))
        raise InvalidInput(f"engine must be one of {names}, or an engine, got {engine!r}")
    if chosen == devices.AUTO:
        chosen = "cuda" if engine in ON_CARDS and devices.has_card() else devices.CPU
    if chosen == devices.CPU:
        return _MAKERS[engine](threads)
    if engine not in ON_CARDS:
        raise InvalidInput(
            f"engine must be 'torch' or left as it is where device is {chosen!r}, got {engine!r}"
        )
    return devices.engine_on(chosen)
