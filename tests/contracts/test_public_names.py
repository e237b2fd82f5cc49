"""What `import undertow` offers, and what it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import undertow


@pytest.mark.parametrize("name", undertow.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(undertow, name).__name__ == name
    assert name in dir(undertow)


def test_public_names_are_listed_once() -> None:
    assert sorted(undertow.__all__) == sorted(
        name for names in undertow._HOMES.values() for name in names
    )


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'undertow' has no attribute 'nonsense'"):
        undertow.nonsense  # noqa: B018


def test_import_loads_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "numba", "sklearn", "polars", "safetensors", "typer", "rich")
    code = f"import sys, undertow; print([m for m in {heavy!r} if m in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_training_needs_no_scikit_learn_and_no_torch() -> None:
    code = (
        "import sys, undertow; undertow.train; print([m for m in ('sklearn', 'torch', 'polars') if "
        "m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_exceptions_are_what_callers_expect() -> None:
    assert issubclass(undertow.InvalidInput, ValueError)
    assert issubclass(undertow.ModelFileError, ValueError)
    assert issubclass(undertow.NewerFormat, undertow.ModelFileError)
    assert issubclass(undertow.TrainingDiverged, ArithmeticError)
