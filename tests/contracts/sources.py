"""The modules of undertow as syntax trees, read once for all contracts."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import undertow

SOURCE = Path(undertow.__file__).parent


@cache
def modules() -> dict[Path, ast.Module]:
    """Every module, by its place within the package."""
    return {
        path.relative_to(SOURCE): ast.parse(path.read_text("utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }
