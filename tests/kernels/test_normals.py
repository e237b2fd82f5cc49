"""Normal numbers made on all cores are those of the plain generator, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from undertow.kernels import randomness
from undertow.kernels.cpu.normals import normals
from undertow.kernels.randomness import ROWS, Purpose

SEED = 2**40 + 5


@pytest.mark.parametrize("rows", [0, 1, 7, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 3])
@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("purpose", [Purpose.WEIGHTS, Purpose.DIRECTIONS])
def test_all_rows(purpose: Purpose, columns: int, rows: int) -> None:
    plain = randomness.normals(SEED, purpose, rows, columns)
    ours = normals(SEED, purpose, rows, columns)
    assert ours.shape == (rows, columns)
    assert ours.dtype == np.float32
    np.testing.assert_array_equal(ours, plain)


@pytest.mark.parametrize("first", [0, 1, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS, 2 * ROWS + 3])
def test_the_last_rows(first: int) -> None:
    """Blocks of which none, some or all of the rows are asked for."""
    rows = 2 * ROWS + 3
    plain = randomness.normals(SEED, Purpose.WEIGHTS, rows, 3)
    ours = normals(SEED, Purpose.WEIGHTS, rows, 3, first=first)
    np.testing.assert_array_equal(ours, plain[first:])
