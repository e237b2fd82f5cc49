"""Docstrings of public names teach: they say what is returned, and have examples that run.

The examples of a function go on from those of its package, and the examples of a method from those
of its class, so that a model need not be made in each.
"""

from __future__ import annotations

import copy
import doctest
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from sklearn.base import BaseEstimator

import undertow

ROOT = Path(__file__).parents[2]
PACKAGES = (
    *(
        f"undertow.{file.parent.name}"
        for file in sorted((ROOT / "src" / "undertow").glob("*/__init__.py"))
        if "\n__all__ = " in file.read_text(encoding="utf-8")
    ),
    "undertow",  # what none of the others has
)
AGREED = "undertow.engines.protocol"
"""Records and protocols, which docs/extending.md shows."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Public:
    """A public class, function or method."""

    name: str  # as `package.function` or `package.Class.method`
    value: Any
    within: str  # the class of a method, "" for others

    @cached_property
    def doc(self) -> str:
        return inspect.getdoc(self.value) or ""

    def lacks(self) -> list[str]:
        """What is missing in its docstring."""
        wanted = [] if _is_error(self.value) else ["Examples"]
        if not inspect.isclass(self.value) and _returns(self.value):
            wanted.append("Yields" if inspect.isgeneratorfunction(self.value) else "Returns")
        return [title for title in wanted if f"{title}\n{'-' * len(title)}\n" not in self.doc]


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def _is_protocol(value: Any) -> bool:
    """Its methods are for others to write: there is nothing to call."""
    return bool(getattr(value, "_is_protocol", False))


def _returns(function: Callable[..., Any]) -> bool:
    return inspect.signature(function).return_annotation not in (None, "None", "NoReturn")


def _is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith("undertow")


def public_in(package: str) -> Iterator[Public]:
    """The functions and classes of a package, each class before its methods."""
    module = import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        if not callable(value) or value.__module__ == AGREED or isinstance(value, GenericAlias):
            continue
        if package == "undertow" and _elsewhere(value):
            continue
        home = f"{package}.{name}"
        yield Public(home, value, "")
        if inspect.isclass(value) and not _is_error(value) and not _is_protocol(value):
            for method, function in inspect.getmembers(value, inspect.isroutine):
                if not method.startswith("_") and _is_ours(function):
                    yield Public(f"{home}.{method}", function, home)


def _elsewhere(value: Any) -> bool:
    """Whether another package has this under its name, too."""
    homes = (import_module(package) for package in PACKAGES if package != "undertow")
    return any(getattr(home, value.__name__, None) is value for home in homes)


def run(doc: str, names: dict[str, Any], called: str) -> tuple[dict[str, Any], str]:
    """The names that there are after an example, and what went wrong."""
    test = doctest.DocTestParser().get_doctest(doc, names, called, called, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    return test.globs, "".join(said)


def own(names: dict[str, Any]) -> dict[str, Any]:
    """The same names, with copies of the models: an example may change them."""
    return {
        name: copy.deepcopy(value) if isinstance(value, BaseEstimator) else value
        for name, value in names.items()
    }


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_package_that_exports_names_is_looked_at() -> None:
    """Among them are all that users are told of."""
    told = {f"undertow.{name}" for name in undertow._PACKAGES}
    assert told | {"undertow.spool", "undertow.vectors"} <= set(PACKAGES)
    assert all(any(public_in(package)) for package in PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_say_what_they_should(package: str) -> None:
    found = {thing.name: thing.lacks() for thing in public_in(package)}
    assert {name: missing for name, missing in found.items() if missing} == {}


@pytest.mark.usefixtures("empty_folder", "own_tables", "python_docs_at_hand")
@pytest.mark.parametrize("package", PACKAGES)
def test_examples_run(package: str) -> None:
    names, wrong = run(inspect.getdoc(import_module(package)) or "", {}, package)
    after = {"": names}
    for thing in public_in(package):
        known, said = run(thing.doc, own(after[thing.within]), thing.name)
        if inspect.isclass(thing.value):
            after[thing.name] = known
        wrong += said
    assert not wrong, wrong


def test_what_engines_and_algorithms_agree_on_is_on_a_page() -> None:
    """The protocol is short, to be read as a whole; the page has the examples."""
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    engines = import_module("undertow.engines")
    agreed = [
        name
        for name in engines.__all__
        if getattr(getattr(engines, name), "__module__", "") == AGREED
    ]
    assert len(agreed) > 9
    for name in [*agreed, "Learner", "Optimizer", "Step", "Updater", "CountSource"]:
        assert f"`{name}`" in page, name


def test_what_is_missing_is_seen() -> None:
    def answers() -> int:
        """Answers."""
        return 1

    def says() -> None:
        """Says.

        Examples
        --------
        >>> 1 + 1
        3
        """

    assert Public("answers", answers, "").lacks() == ["Examples", "Returns"]
    assert Public("says", says, "").lacks() == []
    assert "Expected" in run(inspect.getdoc(says) or "", {}, "says")[1]
