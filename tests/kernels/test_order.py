"""The compiled order of an epoch is that of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from undertow.kernels import randomness
from undertow.kernels.cpu.order import permutation


@pytest.mark.parametrize("seed", [0, 7, 2**31, 2**40 + 5, 2**63 - 1])
@pytest.mark.parametrize("epoch", [0, 1, 1000])
def test_the_order_is_that_of_numpy(seed: int, epoch: int) -> None:
    ids = np.random.default_rng(seed % 1000).permutation(5000)[:777] * 101 + 2**31 - 3
    found = permutation(seed, epoch, ids)
    np.testing.assert_array_equal(found, randomness.permutation(seed, epoch, ids))
    assert sorted(found.tolist()) == list(range(777))


@pytest.mark.parametrize("documents", [0, 1])
def test_few_documents_have_an_order_too(documents: int) -> None:
    assert permutation(1, 2, np.arange(documents)).tolist() == list(range(documents))


def test_equal_keys_stay_in_order() -> None:
    keys = np.array([5, 1, 5, 1, 5] * 20, dtype=np.uint64)
    expected = [i for i in range(100) if i % 5 in (1, 3)] + [
        i for i in range(100) if i % 5 % 2 == 0
    ]
    assert randomness.sorted_by(keys).tolist() == expected
