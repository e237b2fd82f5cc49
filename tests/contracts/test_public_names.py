"""What `import undertow` offers, and what it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import undertow

NOT_FOR_USERS = {
    *("assistant", "cli", "files", "fulltext", "kernels", "paper", "spool", "vectors"),
}


@pytest.mark.parametrize("name", undertow.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(undertow, name).__name__ == name
    assert name in dir(undertow)


def test_packages_are_there_without_an_import_of_their_own() -> None:
    """Each when nothing of undertow is loaded; what it needs of others may be there already."""
    code = (
        "import sys\n"
        f"for name in {list(undertow._PACKAGES)!r}:\n"
        "    for module in [one for one in sys.modules if one.partition('.')[0] == 'undertow']:\n"
        "        del sys.modules[module]\n"
        "    import undertow\n"
        "    print(getattr(undertow, name).__name__)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == [f"undertow.{name}" for name in undertow._PACKAGES]


def test_nothing_else_is_listed() -> None:
    """Of a fresh interpreter, and after packages were loaded that are not for users."""
    code = (
        "import undertow\n"
        "before = dir(undertow)\n"
        "import undertow.cli, undertow.kernels\n"
        "undertow.TopicModel\n"
        "assert dir(undertow) == before\n"
        "print(*before)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == sorted([*undertow.__all__, *undertow._PACKAGES])


def test_each_package_is_for_users_or_known_not_to_be() -> None:
    there = {path.parent.name for path in Path(undertow.__file__).parent.glob("*/__init__.py")}
    assert there - {*undertow._PACKAGES} == NOT_FOR_USERS & there


def test_what_serves_checkpoints_is_not_at_the_top() -> None:
    for name in ("save_run", "resume_run", "save_model", "load_model"):
        assert not hasattr(undertow, name)
        assert hasattr(undertow.storage, name)


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


def test_a_model_of_counts_needs_nothing_that_reads_texts() -> None:
    """Machines with cards often have scikit-learn, and neither polars nor typer."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('polars', 'typer', 'ray')))\n"
        "import numpy as np; from undertow import ReplicatedSoftmax\n"
        "counts = np.random.default_rng(0).poisson(0.5, (60, 20))\n"
        "print(ReplicatedSoftmax(4, max_epochs=1).fit(counts).transform(counts).shape)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "(60, 8)"


def test_exceptions_are_what_callers_expect() -> None:
    assert issubclass(undertow.InvalidInput, ValueError)
    assert issubclass(undertow.ModelFileError, ValueError)
    assert issubclass(undertow.NewerFormat, undertow.ModelFileError)
    assert issubclass(undertow.TrainingDiverged, ArithmeticError)
