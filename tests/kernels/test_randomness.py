"""The counter-based generator: known answers, the compiled version, and what is made of its
numbers.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.oracles.compiled import below_of_each, philox_compiled
from tests.oracles.goodness import FALSE_ALARM, assert_fits, pair_counts
from undertow.kernels.randomness import Purpose, normals, permutation, philox, uniforms

ONES = 0xFFFFFFFF
# Philox4x32-10 from the known-answer file of Random123: counter, key, output.
KNOWN = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([ONES] * 4, [ONES] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
word = st.integers(0, ONES)


def _arguments(counter: list[int], key: list[int]) -> tuple[int, int, int, int, int, int]:
    """Seed, purpose, stage, epoch, document and draw that make this key and counter."""
    draw, document, epoch, last = counter
    return key[0] | key[1] << 32, last >> 24, last & 0xFFFFFF, epoch, document, draw


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN)
def test_known_answers(counter: list[int], key: list[int], output: list[int]) -> None:
    assert philox(*_arguments(counter, key)).tolist() == output
    assert philox_compiled(*_arguments(counter, key)) == output


@settings(deadline=None)
@given(counter=st.lists(word, min_size=4, max_size=4), key=st.lists(word, min_size=2, max_size=2))
def test_compiled_equals_numpy(counter: list[int], key: list[int]) -> None:
    arguments = _arguments(counter, key)
    assert philox_compiled(*arguments) == philox(*arguments).tolist()


def test_arguments_broadcast() -> None:
    """Whole arrays give what their elements give one by one."""
    documents, draws = np.arange(3)[:, None], np.arange(4)
    together = philox(9, Purpose.NOISE, 1, 2, documents, draws)
    assert together.shape == (3, 4, 4)
    for d in range(3):
        for n in range(4):
            assert together[d, n].tolist() == philox(9, Purpose.NOISE, 1, 2, d, n).tolist()


def test_purposes_have_counters_of_their_own() -> None:
    numbers = {tuple(philox(0, purpose, 0, 0, 0, 0).tolist()) for purpose in Purpose}
    assert len(numbers) == len(Purpose)
    assert all(0 < purpose < 256 for purpose in Purpose)  # eight bits of the counter are theirs


@pytest.mark.parametrize("bound", [1, 2, 7, 1000, 2**31 - 1])
def test_below_covers_its_range(bound: int) -> None:
    """bits * bound / 2^32, rounded down: the smallest and the largest bits, and the borders between
    results.
    """
    results = np.unique([0, 1, bound // 2, bound - 1])
    results = results[(results >= 0) & (results < bound)]
    least = -(-results * 2**32 // bound)  # the smallest bits that give each result
    bits = np.concatenate([least, np.maximum(least - 1, 0), [0, ONES]]).astype(np.uint64)
    out = np.empty(len(bits), dtype=np.int64)
    below_of_each(bits, bound, out)
    assert out.tolist() == [int(bit) * bound >> 32 for bit in bits]
    assert out[: len(results)].tolist() == results.tolist()
    assert out[-1] == bound - 1


def test_uniforms_have_53_bits() -> None:
    bits = philox(3, Purpose.HALF, 0, 1, np.arange(1000), 0)
    numbers = uniforms(3, Purpose.HALF, 0, 1, np.arange(1000), 0)
    exact = [((int(first) << 32 | int(second)) >> 11) / 2**53 for first, second, _, _ in bits]
    assert numbers.tolist() == exact


def test_uniforms_are_uniform_and_independent() -> None:
    numbers = uniforms(3, Purpose.HALF, 0, 1, np.arange(100_000)[:, None], np.arange(2))
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    cells = (numbers * 20).astype(np.int64)
    assert_fits(pair_counts(cells[:, 0], cells[:, 1], 20), np.full((20, 20), 1 / 400))
    assert_fits(pair_counts(cells[::2, 0], cells[1::2, 0], 20), np.full((20, 20), 1 / 400))


def test_permutation_is_one() -> None:
    ids = np.array([4, 9, 2, 100, 7])
    order = permutation(1, 2, ids)
    assert sorted(order.tolist()) == [0, 1, 2, 3, 4]
    assert permutation(1, 2, ids).tolist() == order.tolist()
    assert permutation(1, 2, np.array([], dtype=np.int64)).tolist() == []


def test_permutation_is_keyed_by_document_not_by_position() -> None:
    """Leaving a document out leaves the order of the others as it was."""
    ids = np.arange(50)
    order = ids[permutation(1, 2, ids)]
    fewer = np.delete(ids, [3, 17])
    assert fewer[permutation(1, 2, fewer)].tolist() == [i for i in order if i not in (3, 17)]


def test_permutations_of_epochs_and_seeds_differ() -> None:
    ids = np.arange(50)
    orders = {
        tuple(permutation(seed, epoch, ids).tolist()) for seed in range(5) for epoch in range(5)
    }
    assert len(orders) == 25


def test_every_order_is_equally_likely() -> None:
    orders = {order: number for number, order in enumerate(permutations(range(4)))}
    drawn = [orders[tuple(permutation(6, epoch, np.arange(4)).tolist())] for epoch in range(12_000)]
    assert_fits(np.bincount(drawn, minlength=24), np.full(24, 1 / 24))


def test_normals_are_normal() -> None:
    """Kolmogorov and Smirnov, at the stated rate of false alarms; and neighbours, which share a
    radius, are uncorrelated: the mean of n products has a deviation of 1 / sqrt(n).
    """
    numbers = normals(2, Purpose.WEIGHTS, 5000, 20).astype(np.float64)
    assert stats.kstest(numbers.ravel(), "norm").pvalue > FALSE_ALARM
    limit = stats.norm.isf(FALSE_ALARM / 2)
    for products in (numbers[:, ::2] * numbers[:, 1::2], numbers[:-1] * numbers[1:]):
        assert abs(products.mean()) < limit / np.sqrt(products.size)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (4097, 3), (10, 4)])
def test_normals_do_not_depend_on_the_shape_around_them(rows: int, columns: int) -> None:
    """More rows, also more than are made at once, and more columns only add numbers."""
    few, many = normals(2, Purpose.WEIGHTS, rows, columns), normals(2, Purpose.WEIGHTS, 8200, 7)
    assert few.dtype == np.float32
    np.testing.assert_array_equal(few, many[:rows, :columns])
    assert len(np.unique(many)) > 0.999 * many.size  # no block repeats another
