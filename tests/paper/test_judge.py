"""The probe of sparse vectors, and how its regularisation is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from undertow.paper.corpora import Corpus, Counted, count
from undertow.paper.judge import (
    REGULARISATIONS,
    chosen_regularisation,
    sparse_accuracy,
    validation_part,
)


def test_a_seventh_of_each_label_validates() -> None:
    labels = np.array(["a"] * 70 + ["b"] * 21 + ["c"] * 6)
    part = validation_part(labels, seed=0)
    assert [int(part[labels == label].sum()) for label in "abc"] == [10, 3, 0]
    assert (part == validation_part(labels, seed=0)).all()
    assert (part != validation_part(labels, seed=1)).any()


def test_search_takes_the_best_and_stops_after_two_falls() -> None:
    tried = []

    def validate(c: float) -> float:
        tried.append(c)
        return {0.001: 0.5, 0.003: 0.6, 0.01: 0.55, 0.03: 0.7, 0.1: 0.7}.get(c, 0.1)

    assert chosen_regularisation(validate) == 0.03  # 0.1 is no better, and weaker
    assert tried == [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]


def test_search_may_reach_the_weakest() -> None:
    assert chosen_regularisation(lambda c: c) == REGULARISATIONS[-1]


@pytest.mark.parametrize("data", ["made-up posts", "made-up reviews"])
def test_words_tell_made_up_labels(data: str) -> None:
    assert sparse_accuracy(lambda counts: counts * 1.0, count(Corpus(data, None)), seed=0) > 0.95


def test_what_is_asked_is_the_test_part() -> None:
    rows = sparse.csr_array(np.tile(np.eye(2, dtype=np.int32), (14, 1)))
    labels = np.array(["a", "b"] * 14)
    wrong = Counted(
        learn=rows, test=rows[:4], train_labels=labels, test_labels=np.array(["a", "b", "b", "b"])
    )
    assert sparse_accuracy(lambda counts: counts * 1.0, wrong, seed=0) == 0.75
