"""Options are checked when they are made, never change, and give changed ones."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from undertow.learn import SGD, Adam, AlphaNCE, ContrastiveDivergence

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
