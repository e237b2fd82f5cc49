"""When the arrays of a minibatch are large enough for the next one: a mistake here writes past
their ends.
"""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from undertow.engines.cpu.minibatch import Sizes

SIZES = Sizes(documents=32, words=100, rows=1025, largest=1025, entries=1300)


def test_equal_and_smaller_fit() -> None:
    assert SIZES.within(SIZES)
    assert Sizes(32, 1, 1, 1, 1).within(SIZES)


@pytest.mark.parametrize("name", [field.name for field in fields(Sizes)])
def test_one_more_does_not_fit(name: str) -> None:
    assert not replace(SIZES, **{name: getattr(SIZES, name) + 1}).within(SIZES)


def test_fewer_documents_have_arrays_of_their_own() -> None:
    assert not replace(SIZES, documents=31).within(SIZES)


def test_what_is_spared_fits() -> None:
    assert SIZES.within(SIZES.with_some_to_spare())
    assert replace(SIZES, words=125, entries=1625).within(SIZES.with_some_to_spare())
