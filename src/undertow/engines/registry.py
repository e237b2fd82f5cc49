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
    """The engines that are known."""
    return tuple(_MAKERS)


def register_engine(name: str, make: Maker) -> None:
    """Makes an engine known under a name; `make` is called with the number of threads, or None."""
    _MAKERS[name] = make


def find_engine(engine: str | Engine, *, threads: int | None = None) -> Engine:
    """The engine of a name, on so many threads, or the one given."""
    if not isinstance(engine, str):
        return engine
    if engine not in _MAKERS:
        names = ", ".join(map(repr, _MAKERS))
        raise InvalidInput(f"engine must be one of {names}, or an engine, got {engine!r}")
    return _MAKERS[engine](threads)
