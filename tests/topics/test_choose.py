"""How many topics: which numbers are looked at, and which one is taken."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from undertow.topics import TopicChoice
from undertow.topics._choose import DETAIL, agreement, chosen_number, numbers_tried


@pytest.mark.parametrize(
    ("leaves", "documents", "first", "last"),
    [(400, 20_000, 5, 38), (25, 300, 5, 15), (4, 50, 2, 2), (2, 3, 2, 2)],
)
def test_numbers_that_are_looked_at(leaves: int, documents: int, first: int, last: int) -> None:
    found = numbers_tried(leaves, documents)
    assert (found[0], found[-1]) == (first, last)
    assert found[-1] <= min(leaves, 40)
    assert all(1 <= second - one <= max(1, 0.13 * one + 0.5) for one, second in pairwise(found))


def test_one_leaf_is_one_topic() -> None:
    assert numbers_tried(1, 1) == [1]


def test_the_most_stable_number_is_chosen() -> None:
    figures = [(5, 0.5), (6, 0.52), (7, 0.9), (8, 0.9), (9, 0.9), (10, 0.5), (12, 0.5)]
    assert chosen_number(figures) == 8  # with its neighbours
    assert chosen_number([(4, 0.3)]) == 4


def test_of_cuts_as_stable_the_finer_is_chosen() -> None:
    assert chosen_number([(n, 0.7) for n in range(5, 20)]) == 19
    fall = [(n, 0.7 - 1.5 * DETAIL * float(np.log(n))) for n in range(5, 20)]
    assert chosen_number(fall) == 5


def test_agreement_is_1_for_the_same_and_0_for_chance() -> None:
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 8, 2000).astype(np.int32)
    renamed = ((labels + 3) % 8).astype(np.int32)
    assert agreement(labels, renamed) == pytest.approx(1.0)
    chance = [agreement(labels, generator.permutation(labels)) for _ in range(5)]
    assert np.abs(chance).max() < 0.02


def test_a_choice_says_its_figures() -> None:
    choice = TopicChoice(7, ((5, 0.25), (7, 0.333)))
    assert str(choice) == "7 topics (agreement of two halves by number of topics: 5: 0.25, 7: 0.33)"
