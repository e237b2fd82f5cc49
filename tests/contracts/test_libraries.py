"""Which package knows which library."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.sources import modules

SPOKEN_TO_BY = {
    "fastapi": {"explorer"},
    "jinja2": {"report"},
    "lancedb": {"search"},
    "llvmlite": {"kernels"},
    "matplotlib": {"paper"},
    "mcp": {"assistant"},
    "numba": {"kernels"},
    "openTSNE": {"insight"},
    "plotly": {"plot"},
    "pyarrow": {"search"},
    "ray": {"cluster"},
    "safetensors": {"storage"},
    "starlette": {"explorer"},
    "typer": {"cli"},
    "uvicorn": {"explorer"},
}
"""Libraries that only some packages know of: what replaces one has one package to change."""


@pytest.mark.parametrize("library", SPOKEN_TO_BY)
def test_a_library_is_known_to_its_package_alone(library: str) -> None:
    known = {place.parts[0] for place, libraries in imported().items() if library in libraries}
    assert known == SPOKEN_TO_BY[library]


@cache
def imported() -> dict[Path, set[str]]:
    """The libraries that each module imports."""
    return {place: libraries_of(tree) for place, tree in modules().items()}


def libraries_of(tree: ast.Module) -> set[str]:
    """The first names of what a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found
