"""Loading later: names of a package when they are first used, and modules when something in them
is.

Most of what a command waits for is imports. A question to an index needs little of what training
needs, and `--help` nothing of either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any


def names_of(
    package: str, homes: Mapping[str, Sequence[str]], packages: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names live in modules that are loaded when one
    is asked for, as are the packages inside it.

    No name may be that of a module of the package: whichever is loaded first would hide the other.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        vars(sys.modules[package])[name] = value  # the next use finds it at once
        return value

    def listed() -> list[str]:
        return sorted({*home_of, *packages, *vars(sys.modules[package]).get("__all__", ())})

    return get, listed


def module(name: str) -> Any:
    """A module that is loaded when something in it is first used.

    For mypy, the plain import stands beside it, under TYPE_CHECKING.
    """
    return sys.modules[name] if name in sys.modules else _Later(name)


class _Later(ModuleType):
    """Stands for a module; what was asked for once is kept."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value
