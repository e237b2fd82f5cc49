"""The measures put together: which documents ask, which are asked, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from undertow.tasks import c_npmi, c_v, diversity, mean_average_precision, npmi
from undertow.tasks.judging import (
    JudgedDocuments,
    label_agreement,
    label_figures,
    topic_figures,
)

PATTERNS = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [3, 0, 0], [0, 1, 2], [0, 0, 1]]
COUNTS = sparse.csr_array(np.array(PATTERNS * 9))
LABELS = np.array(["a", "a", "b", "a", "b", None] * 9, dtype=object)
ROWS = COUNTS.shape[0]
TRAIN = np.arange(36)
TEST = np.setdiff1d(np.arange(36, ROWS), np.arange(5, ROWS, 6))  # those with a label


def documents(splits: Sequence[str] = ("train",) * 36 + ("test",) * 18) -> JudgedDocuments:
    rows = [np.repeat(np.arange(3), row).astype(np.int32) for row in COUNTS.toarray()]
    return JudgedDocuments(COUNTS, rows, LABELS, np.array(splits, dtype=np.str_))


def dense(counts: sparse.csr_array) -> np.ndarray:
    found: np.ndarray = counts.toarray().astype(np.float64)
    return found


def test_labelled_test_documents_ask_and_labelled_training_documents_answer() -> None:
    figures = label_figures(dense, documents(), seed=0)
    vectors, train = dense(COUNTS), np.setdiff1d(TRAIN, np.arange(5, ROWS, 6))
    wanted = mean_average_precision(
        vectors[TEST], LABELS[TEST].astype(str), vectors[train], LABELS[train].astype(str)
    )
    assert figures["map"] == pytest.approx(wanted)
    assert figures["accuracy"] == 1.0
    assert set(figures) == {"accuracy", "map", "precision_at_10", "precision_at_recall"}


@pytest.mark.parametrize(
    "splits", [("",) * ROWS, ("train",) * ROWS, ("train",) * (ROWS - 1) + ("test",)]
)
def test_without_labels_on_either_side_nothing_is_measured(splits: tuple[str, ...]) -> None:
    assert label_figures(dense, documents(splits), seed=0) == {}


def test_test_documents_are_asked_or_all() -> None:
    assert documents().asked.tolist() == list(range(36, ROWS))
    assert documents(("",) * ROWS).asked.tolist() == list(range(ROWS))


def test_topics_are_judged_by_their_words() -> None:
    read, top = documents(), [[0, 1], [1, 2]]
    assert topic_figures(read, top) == {
        "topics": 2,
        "npmi": pytest.approx(npmi(COUNTS, top).mean()),
        "c_npmi": pytest.approx(c_npmi(read.in_order, top).mean()),
        "c_v": pytest.approx(c_v(read.in_order, top).mean()),
        "diversity": diversity(top),
    }


def test_agreement_is_of_documents_with_labels() -> None:
    def groups(counts: sparse.csr_array) -> np.ndarray:
        assert counts.shape == (45, 3)
        return np.array([1, 1, 0, 1, 0] * 9)

    assert label_agreement(documents(), groups) == {"nmi": 1.0, "ari": 1.0}
    alike = replace(documents(), labels=np.array(["a"] * ROWS, dtype=object))
    assert label_agreement(alike, groups) == {}
