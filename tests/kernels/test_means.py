"""Rows of several arrays are brought to their mean, whatever the workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from undertow.engines.cpu.meeting import meet
from undertow.kernels.cpu.means import BLOCK

Single = NDArray[np.float32]
WORDS = 2 * BLOCK + 44  # two blocks and a part of one
WIDTHS = (70, 2, 1)


def make(members: int, seed: int = 0) -> list[list[Single]]:
    """arrays[a][m]: numbers below 8."""
    generator = np.random.default_rng(seed)
    return [
        [generator.normal(size=(WORDS, width)).astype(np.float32) for _ in range(members)]
        for width in WIDTHS
    ]


def some_words(members: int, seed: int = 1) -> list[NDArray[np.int32]]:
    """Of each member; the first has none, the second has the borders of the blocks."""
    generator = np.random.default_rng(seed)
    lists = [np.flatnonzero(generator.random(WORDS) < 0.3) for _ in range(members)]
    lists[0] = lists[0][:0]
    if members > 1:
        borders = [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, WORDS - 1]
        lists[1] = np.union1d(lists[1], borders)
    return [one.astype(np.int32) for one in lists]


@pytest.mark.parametrize("members", [1, 2, 3, 6])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_become_the_mean_of_those_that_moved_them(members: int, threads: int) -> None:
    """Plain float64 is the oracle: a sum of `members` terms below 8, rounded as often, and a
    quotient. All others keep their bits.
    """
    arrays, lists = make(members), some_words(members)
    before = [[one.copy() for one in alike] for alike in arrays]
    assert meet(arrays, lists, threads)
    for alike, old in zip(arrays, before, strict=True):
        for word in range(WORDS):
            bringers = [m for m in range(members) if word in lists[m]]
            for member in range(members):
                if bringers:
                    mean = np.mean([old[m][word].astype(np.float64) for m in bringers], axis=0)
                    bound = 8 * (members + 2) * 2.0**-24
                    np.testing.assert_allclose(alike[member][word], mean, rtol=0, atol=bound)
                else:
                    np.testing.assert_array_equal(alike[member][word], old[member][word])


def test_bits_are_those_of_sums_in_order_times_the_quotient() -> None:
    """What `take` and `restore` come to, which other engines go by."""
    arrays, lists = make(4), some_words(4)
    before = [[one.copy() for one in alike] for alike in arrays]
    meet(arrays, lists, 2)
    for alike, old in zip(arrays, before, strict=True):
        for word in range(WORDS):
            total, number = np.zeros(old[0].shape[1], dtype=np.float32), 0
            for member in range(4):
                if word in lists[member]:
                    total, number = total + old[member][word], number + 1
            if number:
                mean = total * (np.float32(1.0) / np.float32(number))
                for one in alike:
                    np.testing.assert_array_equal(one[word], mean)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    lists, found = some_words(5), []
    for threads in (1, 2, 4):
        arrays = make(5)
        meet(arrays, lists, threads)
        found.append(arrays[0][3].tobytes() + arrays[1][0].tobytes() + arrays[2][4].tobytes())
    assert found[0] == found[1] == found[2]


def test_without_words_nothing_is_done() -> None:
    arrays, before = make(2), make(2)
    assert meet(arrays, [np.zeros(0, dtype=np.int32)] * 2, 2)
    np.testing.assert_array_equal(arrays[0][1], before[0][1])


@pytest.mark.parametrize("kind", ["double", "other shape", "not contiguous"])
def test_arrays_of_another_kind_are_left_alone(kind: str) -> None:
    arrays: list[list[NDArray[Any]]] = [list(alike) for alike in make(2)]
    others: dict[str, NDArray[Any]] = {
        "double": np.ones((WORDS, 2)),
        "other shape": np.ones((WORDS, 3), dtype=np.float32),
        "not contiguous": np.ones((2, WORDS), dtype=np.float32).T,
    }
    arrays[1][1] = others[kind]
    assert not meet(arrays, some_words(2), 1)
    np.testing.assert_array_equal(arrays[0][0], make(2)[0][0])
