"""What replicas moved is cut up, added up elsewhere, and put together to the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.learn.test_merging import one_replica
from undertow.learn import Moved, added
from undertow.learn.slicing import joined, sliced

numbers = pytest.mark.parametrize("number", [1, 2, 3, 7, 50])  # 50 are more than there are words


def assert_same(ours: Moved, theirs: Moved) -> None:
    assert ours.replicas == theirs.replicas
    np.testing.assert_array_equal(ours.words, theirs.words)
    np.testing.assert_array_equal(ours.brought, theirs.brought)
    assert ours.words.dtype == ours.brought.dtype == np.int32
    for mine, other in ((ours.rows, theirs.rows), (ours.others, theirs.others)):
        assert mine.keys() == other.keys()
        for name, array in mine.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)


@numbers
def test_slices_are_the_whole(number: int) -> None:
    moved = one_replica(np.random.default_rng(1))
    slices = sliced(moved, number)
    assert len(slices) == number
    assert sorted(word for one in slices for word in one.words) == moved.words.tolist()
    assert sorted(name for one in slices for name in one.others) == sorted(moved.others)
    assert_same(joined(slices), moved)


@numbers
def test_slices_are_added_up_to_the_same_bits(number: int) -> None:
    generator = np.random.default_rng(2)
    parts = [one_replica(generator, took_part=took_part) for took_part in (1, 0, 1, 1)]
    cut = [sliced(part, number) for part in parts]
    sums = [added([one[slice_] for one in cut]) for slice_ in range(number)]
    assert_same(joined(sums), added(parts))


def test_each_slice_has_its_share_of_the_first_words() -> None:
    """All replicas move frequent words, which come first in a vocabulary."""
    moved = one_replica(np.random.default_rng(3), share=1.0)
    assert [one.words[0] for one in sliced(moved, 4)] == [0, 1, 2, 3]
    assert {len(one.words) for one in sliced(moved, 4)} == {10}
