"""Counts by leaf, salience and NPMI against dense sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from tests.oracles.topics import counts_by_leaf, salience
from undertow.tasks import npmi
from undertow.topics import _statistics
from undertow.topics._statistics import TermStatistics, count_terms, npmi_of, pair_npmi, top_terms

LEAVES, TERMS = 6, 15
EPS = np.finfo(np.float64).eps


def make(documents: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Counts of terms from rare to common, with leaves that like some of them; some documents are
    in no leaf.
    """
    generator = np.random.default_rng(seed)
    labels = generator.integers(-1, LEAVES, documents).astype(np.int32)
    likes = generator.random((LEAVES + 1, TERMS)) ** 2
    return generator.poisson(likes[labels]), labels


def statistics(counts: NDArray[np.int64], labels: NDArray[np.int32]) -> TermStatistics:
    matrix = sparse.csr_array(counts.astype(np.int32))
    seen = labels >= 0
    sizes = np.bincount(labels[seen], minlength=LEAVES)
    frequencies = (counts[seen] > 0).sum(axis=0)
    none = sparse.csr_array(np.zeros((TERMS, TERMS), dtype=np.float32))
    return TermStatistics(count_terms(matrix, labels, LEAVES), frequencies, sizes, none, TERMS)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 200), st.integers(0, 2**32 - 1))
def test_counts_are_numbers_of_documents(documents: int, seed: int) -> None:
    counts, labels = make(documents, seed)
    found = count_terms(sparse.csr_array(counts.astype(np.int32)), labels, LEAVES)
    np.testing.assert_array_equal(found.toarray(), counts_by_leaf(counts, labels, LEAVES))
    assert found.has_sorted_indices


def test_beyond_a_size_what_is_in_one_document_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, labels = make(100, 0)
    monkeypatch.setattr(_statistics, "ENTRIES_AT_MOST", 10)
    dense = counts_by_leaf(counts, labels, LEAVES)
    found = count_terms(sparse.csr_array(counts.astype(np.int32)), labels, LEAVES)
    np.testing.assert_array_equal(found.toarray(), np.where(dense == 1, 0, dense))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(20, 300),
    st.lists(st.integers(-1, 2), min_size=LEAVES, max_size=LEAVES),
    st.integers(0, 2**32 - 1),
)
def test_salience_is_the_formula(documents: int, groups: list[int], seed: int) -> None:
    counts, labels = make(documents, seed)
    known = statistics(counts, labels)
    grouped = known.grouped(np.array(groups, dtype=np.int32), 3)
    found = grouped.salience().toarray()
    dense = counts_by_leaf(counts, labels, LEAVES)
    frequencies = np.append(known.frequencies, known.documents)
    for group in range(3):
        rows = [row for row in range(LEAVES) if groups[row] == group and known.sizes[row]]
        expected = salience(
            dense[rows], known.sizes[rows], frequencies, int(known.sizes[rows].sum())
        )
        # Some ten operations, and a logarithm near 0 that keeps the rounding of its argument.
        np.testing.assert_allclose(found[group], expected, rtol=20 * EPS, atol=20 * EPS)


def test_a_term_that_is_everywhere_says_nothing() -> None:
    counts = np.ones((60, TERMS), dtype=np.int64)
    labels = np.repeat(np.arange(LEAVES), 10).astype(np.int32)
    grouped = statistics(counts, labels).grouped(np.arange(LEAVES, dtype=np.int32), LEAVES)
    assert grouped.salience().toarray().max() <= 20 * EPS
    np.testing.assert_allclose(grouped.shares(), 1.0, rtol=4 * EPS)


@pytest.mark.parametrize(("group", "least"), [(1, 1), (3, 1), (4, 2), (11, 2), (12, 3), (40, 3)])
def test_a_term_is_in_some_documents_of_a_larger_topic(group: int, least: int) -> None:
    labels = np.repeat([0, 1], [group, 200]).astype(np.int32)
    counts = np.zeros((group + 200, TERMS), dtype=np.int64)
    for term in range(min(group, 3)):
        counts[: term + 1, term] = 1
    found = (
        statistics(counts, labels)
        .grouped(np.array([0, 1, -1, -1, -1, -1], dtype=np.int32), 2)
        .salience()
        .toarray()
    )
    assert (found[0, : min(group, 3)] > 0).tolist() == [
        term + 1 >= least for term in range(min(group, 3))
    ]


def test_a_term_of_one_leaf_is_less_salient_than_one_of_all_leaves() -> None:
    """Both are in 12 documents of the first group, and in none of the second."""
    labels = np.repeat(np.arange(LEAVES), 20).astype(np.int32)
    counts = np.zeros((120, TERMS), dtype=np.int64)
    counts[:12, 0] = 1  # of leaf 0
    counts[[*range(4), *range(20, 24), *range(40, 44)], 1] = 1  # of leaves 0, 1 and 2
    found = (
        statistics(counts, labels)
        .grouped(np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), 2)
        .salience()
        .toarray()
    )
    assert found[0, 0] > 0
    assert found[0, 1] == pytest.approx(np.sqrt(3) * found[0, 0], rel=1e-12)
    assert not found[1, :2].any()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_pairs_have_the_npmi_of_the_task(documents: int, seed: int) -> None:
    counts, _ = make(documents, seed)
    matrix = sparse.csr_array(counts.astype(np.int32))
    groups = [np.array(group, dtype=np.int32) for group in ([5, 0, 3], [3, 7, 14, 0], [9], [])]
    found = pair_npmi(matrix, groups).toarray()
    np.testing.assert_array_equal(found, found.T)
    looked_at = {(int(a), int(b)) for group in groups for a in group for b in group if a != b}
    for first in range(TERMS):
        for second in range(TERMS):
            if (first, second) not in looked_at:
                assert found[first, second] == 0.0
                continue
            expected = npmi(matrix, [[first, second]])[0]
            # Single precision; 0 is told as a millionth, since it would mean that a pair is not
            # known.
            assert found[first, second] == pytest.approx(expected, rel=2.0**-23, abs=1.1e-6)
            assert found[first, second] != 0.0


@pytest.mark.parametrize(
    ("first", "second", "both", "expected"),
    [(5, 5, 0, -1.0), (5, 5, 5, 1.0), (100, 100, 100, 1.0), (50, 50, 25, 0.0)],
)
def test_npmi_at_its_ends(first: int, second: int, both: int, expected: float) -> None:
    found = npmi_of(np.array([first]), np.array([second]), np.array([both]), 100)
    assert found[0] == pytest.approx(expected, abs=4 * EPS)


def test_top_terms_are_the_largest_and_of_equal_ones_the_lower() -> None:
    values = np.zeros((3, 8))
    values[0] = [1.0, 2.0, 2.0, 0.0, -1.0, 3.0, 3.0, 1.0]  # 6 and 7 are pairs
    values[1, 6] = 1.0
    found = top_terms(sparse.csr_array(values), 6)
    assert [terms.tolist() for terms in found] == [[5, 1, 2, 0, 6, 7], [6], []]


def test_top_terms_are_so_many_at_most() -> None:
    values = np.arange(1, 101, dtype=np.float64)[None]
    (found,) = top_terms(sparse.csr_array(values), 80)
    assert found.tolist() == [*range(79, 39, -1), *range(99, 91, -1)]
