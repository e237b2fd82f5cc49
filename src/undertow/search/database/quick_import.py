"""LanceDB, loaded without what an index never needs: half of the time that it takes.

It has a client for a service of its maker (`lance_namespace`, hundreds of generated classes),
checks its own methods by `overrides` on Python 3.11, and makes pyarrow look for pandas. Meanwhile
stand-ins are found in their places. A stand-in loads the true thing when somebody calls it or looks
into it; but `except` does not know it, so all this is for processes that are ours alone: commands.
If anything goes wrong, LanceDB is loaded as always.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

LATER = ("lance_namespace", "lance_namespace_urllib3_client")
COMPILED = "lancedb._lancedb"  # cannot be loaded twice

_log = logging.getLogger(__name__)


def load_quickly() -> None:
    """Loads LanceDB, unless it is there or cannot be."""
    if "lancedb" in sys.modules or find_spec("lancedb") is None:
        return
    try:
        with _first(_Nowhere("pandas")):
            import_module("pyarrow.dataset")
        with _first(_StandIns(LATER)), _unchecked_overrides():
            import_module("lancedb")
    except Exception as error:
        _log.debug("lancedb could not be loaded quickly: %s", error)
        for name in [
            name for name in sys.modules if name.split(".")[0] == "lancedb" and name != COMPILED
        ]:
            del sys.modules[name]
        import_module("lancedb")


@contextmanager
def _first(finder: Any) -> Iterator[None]:
    """This finder is asked before the others; what it made is forgotten afterwards."""
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, _StandIn)]:
            del sys.modules[name]


@contextmanager
def _unchecked_overrides() -> Iterator[None]:
    """As on Python 3.12, where LanceDB takes the marks of `typing`, which check nothing."""
    if "overrides" in sys.modules:
        yield
        return
    stand_in: Any = ModuleType("overrides")
    stand_in.EnforceOverrides = type("EnforceOverrides", (), {})
    stand_in.override = lambda method: method
    sys.modules["overrides"] = stand_in
    try:
        yield
    finally:
        del sys.modules["overrides"]


class _Nowhere:
    """Finds that a module is not installed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == self._name:
            raise ModuleNotFoundError(f"{name} is not looked for", name=name)


class _StandIns:
    """Finds stand-ins for packages and all that is in them."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.split(".")[0] not in self._packages:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _StandIn(ModuleType):
    """A module in which every name is there, as a stand-in."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Later(name, (), {"__module__": self.__name__})
        setattr(self, name, made)  # the same whenever it is asked for: types are compared
        return made


class _Later(type):
    """What a name of a module stands for, once it is called or looked into."""

    def true(cls) -> Any:
        """What it stands for."""
        return getattr(import_module(cls.__module__), cls.__name__)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        return cls.true()(*arguments, **named)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls.true(), name)

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.true())
