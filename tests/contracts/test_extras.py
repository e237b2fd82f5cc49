"""Extras are told of in one place, which knows what pyproject.toml says of them."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from tests.contracts.sources import modules
from undertow import InvalidInput, _extras

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
FOR_DEVELOPERS = {"bench", "dev", "docs"}


def test_the_extras_are_those_of_the_project() -> None:
    told = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    packages = {
        extra: {requirement.partition(">")[0] for requirement in requirements}
        for extra, requirements in told.items()
        if extra not in FOR_DEVELOPERS
    }
    ours = {
        extra: {_extras.PACKAGES.get(module, module).replace("_", "-") for module in modules}
        for extra, modules in _extras.EXTRAS.items()
    }
    assert ours == packages


def test_what_is_missing_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_extras, "find_spec", lambda name: None if name != "jinja2" else object())
    _extras.require("a page", "explorer", "jinja2")
    with pytest.raises(InvalidInput) as one:
        _extras.require("stems", "stem", "Stemmer")
    assert str(one.value) == (
        "stems needs PyStemmer, which is not installed: pip install 'undertow[stem]'"
    )
    with pytest.raises(InvalidInput) as two:
        _extras.require("a map", "explorer", "openTSNE", "jinja2", "plotly")
    assert str(two.value) == (
        "a map needs openTSNE and plotly, which are not installed: pip install 'undertow[explorer]'"
    )


def test_every_use_names_modules_of_its_extra() -> None:
    uses = [use for tree in modules().values() for use in literal_uses(tree)]
    assert len(uses) >= 7
    for extra, *needed in uses:
        assert needed, extra
        assert set(needed) <= set(_extras.EXTRAS[extra])


def literal_uses(tree: ast.Module) -> list[list[str]]:
    """Extra and modules of each call of `_extras.require` that names them."""
    calls = [
        [argument.value for argument in node.args[1:] if isinstance(argument, ast.Constant)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_extras.require"
    ]
    return [[str(word) for word in call] for call in calls if call]
