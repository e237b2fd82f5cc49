"""What a gradient of the CPU writes out, against its entries in float64."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.gradients import (
    LARGEST_GRADIENT,
    MOST_ENTRIES,
    PARTS,
    dense_gradient,
    make_gradient,
)
from tests.oracles.rounding import UNIT
from undertow.engines.cpu.gradient import CpuGradient

WORDS = 9
ROUNDINGS = MOST_ENTRIES + 2  # of a sum of products; a dense part is one more term


def _gradient(rows: list[int], units: int = 3, *, dense: bool = False) -> CpuGradient:
    generator = np.random.default_rng(units)
    return CpuGradient(
        factored=make_gradient(generator, np.array(rows, dtype=np.int32), units, 1.0),
        hidden_bias=np.arange(units, dtype=np.float32),
        visible_bias=np.linspace(0.5, 1.0, WORDS, dtype=np.float32) if dense else None,
        learns_visible_bias=True,
        words=WORDS,
        loss=0.5,
        activity=np.zeros(units, dtype=np.float32),
        others={"more": np.ones(2)},
    )


@pytest.mark.parametrize("units", [1, 3, 65])
@pytest.mark.parametrize("rows", [[], [4], [6, 1, 3, 8, 0], [2, 4, 8], [1, 3]], ids=str)
def test_rows_are_the_sums_of_their_entries(rows: list[int], units: int) -> None:
    """Also where a part has no rows, or where there are none at all."""
    gradient = _gradient(rows, units)
    assert len(gradient.factored.sizes) == PARTS
    words, slopes = gradient.rows()
    assert sorted(words.tolist()) == sorted(rows)
    assert slopes.shape == (len(rows), units)
    exact = dense_gradient(gradient.factored, WORDS)[:, :-1]
    atol = ROUNDINGS * UNIT * LARGEST_GRADIENT
    np.testing.assert_allclose(slopes, exact[words], rtol=0, atol=atol)


@pytest.mark.parametrize("dense", [False, True])
def test_the_slope_of_visible_biases_has_both_parts(dense: bool) -> None:
    gradient = _gradient([6, 1, 3, 8, 0], dense=dense)
    before = None if gradient.visible_bias is None else gradient.visible_bias.copy()
    exact = dense_gradient(gradient.factored, WORDS)[:, -1] + (0.0 if before is None else before)
    for _ in range(2):  # the dense part is not written to
        slope = gradient.dense()["visible_bias"]
        atol = (ROUNDINGS + 1) * UNIT * (LARGEST_GRADIENT + 1.0)
        np.testing.assert_allclose(slope, exact, rtol=0, atol=atol)


def test_the_others_go_by_their_names() -> None:
    gradient = _gradient([1])
    assert gradient.dense().keys() == {"hidden_bias", "visible_bias", "more"}
    np.testing.assert_array_equal(gradient.dense()["hidden_bias"], gradient.hidden_bias)
    np.testing.assert_array_equal(gradient.dense()["more"], np.ones(2))


def test_a_number_that_is_not_finite_is_seen() -> None:
    assert _gradient([1]).finite
    bad = _gradient([1])
    bad.hidden_bias[1] = np.nan
    assert not bad.finite
