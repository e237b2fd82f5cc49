"""What is to be decided in one place stands in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.contracts.sources import modules


@pytest.mark.parametrize(
    ("said", "home"),
    [
        ("undertow[", "_extras.py"),  # how to install what is missing
        ("sched_getaffinity", "kernels/cores.py"),  # how many cores there are
        ("cpu_count", "kernels/cores.py"),
    ],
)
def test_it_stands_in_one_module(said: str, home: str) -> None:
    homes = [
        place.as_posix()
        for place, tree in modules().items()
        if any(said in part for part in parts_of(tree))
    ]
    assert homes == [home]


def parts_of(tree: ast.Module) -> Iterator[str]:
    """Texts and names of a module, without its docstrings."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value
        elif isinstance(node, (ast.Attribute, ast.Name)):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
