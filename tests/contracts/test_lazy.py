"""Packages whose names are loaded when they are used."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import undertow
from undertow import _lazy

PACKAGES = (
    "undertow",
    *(f"undertow.{name}" for name in ("counts", "model", "storage", "corpus", "topics")),
)
PACKAGES += ("undertow.estimators", "undertow.search")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there_and_hides_no_module(package: str) -> None:
    module = import_module(package)
    folder = Path(str(module.__file__)).parent
    modules = {file.stem for file in folder.glob("*.py")} | {
        file.name for file in folder.iterdir() if file.is_dir()
    }
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)
        assert name not in modules
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018 - asking for it is the test


def test_nothing_inside_imports_names_from_the_top() -> None:
    """Contracts of imports do not look through the table at the top of the package."""
    for path in Path(str(undertow.__file__)).parent.rglob("*.py"):
        if path.parent.name == "undertow" and path.name == "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "undertow" and not node.level:
                taken = {alias.name for alias in node.names} & {*undertow.__all__}
                assert not taken, f"{path}:{node.lineno} imports {taken} from the top"


def test_a_module_is_loaded_when_something_in_it_is_used() -> None:
    code = (
        "import sys; from undertow import _lazy\n"
        "colors = _lazy.module('colorsys')\n"
        "print('colorsys' in sys.modules, colors.rgb_to_hsv(0, 0, 1)[2], 'colorsys' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.split() == ["False", "1", "True"]
    assert _lazy.module("sys") is sys
