"""Options are checked when they are made, never change, and give changed ones."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    DeepDivergence,
    MetropolisDivergence,
    RatioMatching,
    Settings,
    Sparsity,
)

ALL = [AlphaNCE(n_noise=3), ContrastiveDivergence(2, persistent=True), Adam(l2=0.5), SGD(0.2)]


@pytest.mark.parametrize("options", ALL, ids=lambda options: type(options).__name__)
def test_options_are_made_again_from_their_names(options: Any) -> None:
    """As scikit-learn's `clone` does it."""
    assert type(options)(**options.get_params(deep=False)) == options
    assert hash(options) == hash(options.changed())


def test_changed_options_are_others() -> None:
    given = AlphaNCE(n_noise=3)
    changed = given.changed(noise_level=0.25, sharpness=2.0)
    assert changed == AlphaNCE(n_noise=3, noise_level=0.25, sharpness=2.0)
    assert given == AlphaNCE(n_noise=3)
    assert isinstance(ContrastiveDivergence().changed(n_steps=4), ContrastiveDivergence)


def test_options_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        AlphaNCE().n_noise = 3  # type: ignore[misc]


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"AlphaNCE must be given options among n_noise, .*, got 'alpha'"
    ):
        AlphaNCE().changed(alpha=0.5)
    with pytest.raises(ValueError, match="n_steps must be a whole number of at least 1, got 0"):
        ContrastiveDivergence().changed(n_steps=0)


OF_NUMPY = [
    AlphaNCE(3, 0.5, False, 2.0, "independent", 64),
    AlphaNCE(noise_level=(0.25, 0.5), sharpness="auto"),
    ContrastiveDivergence((1, 5), True, "exact"),
    ContrastiveDivergence(4),
    DeepDivergence(2, False, "mean-field", 3, 0.5),
    MetropolisDivergence(2, 3, "exact"),
    RatioMatching(7, "uniform", "frozen"),
    Adam(0.5, 0.75, 0.25, "element", 0.125, 0.5, 2.0),
    SGD(0.5, 0.75, 0.25, 3, 0.125, 0.5, 2.0),
    Sparsity(0.25, 0.5),
    Settings(averaging=0.5, batch_size=9, seed=3, planned_steps=7, replicas=2, interval=4),
]


def of_numpy(value: Any) -> Any:
    """The same numbers and words, as NumPy has them."""
    if isinstance(value, tuple):
        return tuple(map(of_numpy, value))
    kinds = {bool: np.bool_, int: np.int64, float: np.float32, str: np.str_}
    return kinds[type(value)](value) if type(value) in kinds else value


def kinds_of(value: Any) -> Any:
    return [kinds_of(one) for one in value] if isinstance(value, tuple) else type(value)


@pytest.mark.parametrize("options", OF_NUMPY, ids=lambda options: type(options).__name__)
def test_numbers_of_numpy_become_plain_ones(options: Any) -> None:
    """Kernels for cards refuse others, and JSON does not know them."""
    plain = {field.name: getattr(options, field.name) for field in fields(options)}
    found = type(options)(**{name: of_numpy(value) for name, value in plain.items()})
    assert found == options
    for name, value in plain.items():
        assert kinds_of(getattr(found, name)) == kinds_of(value), name
        if not hasattr(value, "begin") and not isinstance(value, Sparsity):
            json.dumps(getattr(found, name))


@pytest.mark.parametrize(
    "options",
    [AlphaNCE(noise_level=(0, 0.5), sharpness=3), ContrastiveDivergence((1, 5)), Adam(annealing=2)],
    ids=lambda options: type(options).__name__,
)
def test_clones_of_options(options: Any) -> None:
    """scikit-learn wants to find the very objects that it gave."""
    assert clone(options) == options
