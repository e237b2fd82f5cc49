"""No package uses the private names of another: those that begin with an underscore."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.contracts.sources import SOURCE, modules

Name = tuple[str, ...]  # a dotted name in its parts


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def test_no_package_imports_the_private_names_of_another() -> None:
    offenders = []
    for place, tree in modules().items():
        found = offences(tree, ("undertow", *place.parts[:-1]))
        offenders += [f"{place}:{line} imports {name}" for line, name in found]
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("from undertow.corpus import _columns", "undertow.corpus._columns"),
        ("from undertow.corpus._columns import NAMES", "undertow.corpus._columns.NAMES"),
        ("from undertow.corpus.readers import _reader", "undertow.corpus.readers._reader"),
        ("import undertow.corpus._columns as columns", "undertow.corpus._columns"),
        ("from ..corpus._columns import NAMES", "undertow.corpus._columns.NAMES"),
        ("def late():\n    from undertow.topics.tree import _Node", "undertow.topics.tree._Node"),
        ("from undertow.plot.inner._deep import x", "undertow.plot.inner._deep.x"),
    ],
)
def test_an_import_from_another_package_is_found(statement: str, name: str) -> None:
    assert [found for _, found in offences(ast.parse(statement), ("undertow", "plot"))] == [name]


@pytest.mark.parametrize(
    "statement",
    [
        "from undertow import _check, _lazy",
        "from undertow._errors import InvalidInput",
        "from undertow.corpus import Corpus",
        "from undertow.plot import _look",
        "from undertow.plot._look import FONT",
        "from undertow.plot.labels import _escaped",
        "from ._look import FONT",
        "from polars._typing import SchemaDict",
        "from undertow.corpus import __doc__",
    ],
)
def test_what_is_shared_public_or_of_the_own_package_is_no_offence(statement: str) -> None:
    assert not list(offences(ast.parse(statement), ("undertow", "plot")))


def test_no_package_reaches_into_the_objects_of_another() -> None:
    homes: dict[str, set[str]] = {}  # in which packages a private name is made
    for place, tree in modules().items():
        for name in made(tree):
            homes.setdefault(name, set()).add(place.parts[0])
    offenders = [
        f"{place}:{line} reaches for {name}"
        for place, tree in modules().items()
        for line, name in reached_for(tree)
        if name in homes and place.parts[0] not in homes[name]
    ]
    assert not offenders, "\n".join(offenders)


def made(tree: ast.Module) -> Iterator[str]:
    """Private functions, methods and attributes that a module makes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = node.name
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
        else:
            continue
        if is_private(name):
            yield name


def reached_for(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of each private attribute of what is not `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in ("self", "cls"):
                yield node.lineno, node.attr


def test_reaching_for_a_private_attribute_is_seen() -> None:
    tree = ast.parse("self._own = 1\nmodel._seed = model.softmax_._rows()\nmodel.__dict__")
    assert list(made(tree)) == ["_own", "_seed"]
    assert list(reached_for(tree)) == [(2, "_seed"), (2, "_rows")]


def offences(tree: ast.Module, package: Name) -> Iterator[tuple[int, str]]:
    """Line and name of what a module of a package imports and may not."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        for target in imported(node, package):
            owner = owner_of(target)
            if package[: len(owner)] != owner:
                yield node.lineno, ".".join(target)


def imported(node: ast.Import | ast.ImportFrom, package: Name) -> list[Name]:
    """The names of ours that a statement imports."""
    if isinstance(node, ast.Import):
        names: list[Name] = [tuple(alias.name.split(".")) for alias in node.names]
    else:
        above = package[: len(package) - node.level + 1] if node.level else ()
        module = (*above, *(node.module.split(".") if node.module else ()))
        names = [(*module, alias.name) for alias in node.names]
    return [name for name in names if name[0] == "undertow"]


def owner_of(target: Name) -> Name:
    """The package inside which a name may be imported; a public one may be so anywhere."""
    for place, part in enumerate(target):
        if is_private(part):
            owner = target[:place]
            file = SOURCE.parent.joinpath(*owner).with_suffix(".py")
            return owner[:-1] if file.is_file() else owner
    return ()
