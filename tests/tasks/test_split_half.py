"""Split-half retrieval: halves that are fair, ranks against a loop, and encoders that must score
what they deserve.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse, stats

from undertow._errors import InvalidInput
from undertow.counts import checked_counts
from undertow.tasks import split_half_mrr, split_half_score, split_halves, splittable


def slow_mrr(first: NDArray[Any], second: NDArray[Any]) -> float:
    def cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
        length = np.linalg.norm(one) * np.linalg.norm(other)
        return round(float(one @ other / length), 9) if length else 0.0

    total = 0.0
    for i in range(len(first)):
        own = cosine(first[i], second[i])
        rank = 1
        for j in range(len(second)):
            if j != i and cosine(first[i], second[j]) >= own:
                rank += 1
        total += 1 / rank
    return total / len(first)


corpora = st.integers(1, 6).flatmap(
    lambda words: st.lists(
        st.lists(st.integers(0, 5), min_size=words, max_size=words), min_size=1, max_size=8
    )
)


@given(corpora, st.integers(0, 2**64 - 1))
@settings(max_examples=100, deadline=None)
def test_halves_add_up_and_have_the_stated_sizes(rows: list[list[int]], seed: int) -> None:
    counts = np.array(rows)
    first, second = split_halves(counts, seed=seed)
    assert (first.toarray() + second.toarray() == counts).all()
    assert (first.toarray().sum(axis=1) == counts.sum(axis=1) // 2).all()
    for half in (first, second):
        assert half.data.dtype == np.int32
        assert (half.data > 0).all()
        assert half.has_canonical_format


def test_the_input_is_left_alone() -> None:
    counts = checked_counts([[3, 0, 2], [1, 1, 0]])
    split_halves(counts, seed=0)
    assert counts.toarray().tolist() == [[3, 0, 2], [1, 1, 0]]


@pytest.mark.parametrize("document", [[5, 2, 1], [4, 3, 1], [1, 1, 1]])
def test_per_word_counts_of_a_half_are_hypergeometric(document: list[int]) -> None:
    """Chi-square over all outcomes for one word: tokens are drawn, without replacement, from all of
    a document's.
    """
    documents, tokens = 20_000, sum(document)
    first, _ = split_halves(np.tile(document, (documents, 1)), seed=11)
    for word, count in enumerate(document):
        law = stats.hypergeom(tokens, count, tokens // 2)
        outcomes = np.arange(max(0, tokens // 2 - (tokens - count)), min(count, tokens // 2) + 1)
        seen = np.bincount(first.toarray()[:, word], minlength=count + 1)[outcomes]
        assert seen.sum() == documents
        assert stats.chisquare(seen, law.pmf(outcomes) * documents).pvalue > 1e-5


def test_every_set_of_tokens_is_equally_likely() -> None:
    """Four different words: each of the six pairs is a first half equally often, whatever the place
    in the document.
    """
    documents = 30_000
    first, _ = split_halves(np.ones((documents, 4), dtype=int), seed=12)
    seen = np.bincount(first.toarray() @ np.array([1, 2, 4, 8]))
    assert stats.chisquare(seen[seen > 0], np.full(6, documents / 6)).pvalue > 1e-5


def test_neighbouring_documents_and_seeds_split_independently() -> None:
    first, _ = split_halves(np.ones((30_001, 2), dtype=int), seed=13)
    again, _ = split_halves(np.ones((30_001, 2), dtype=int), seed=14)
    took = first.toarray()[:, 0]
    for other in (took[1:], again.toarray()[:-1, 0]):
        agreement = float(np.mean(took[:-1] == other))
        assert abs(agreement - 0.5) < 4.5 * 0.5 / np.sqrt(30_000)


def test_a_document_splits_the_same_whatever_else_is_in_the_matrix() -> None:
    counts = checked_counts(np.random.default_rng(0).poisson(1.5, size=(40, 12)))
    first, second = split_halves(counts, seed=5)
    rows = np.array([31, 2, 17])
    picked = split_halves(counts[rows], seed=5, document_ids=rows)
    assert (picked[0].toarray() == first.toarray()[rows]).all()
    assert (picked[1].toarray() == second.toarray()[rows]).all()
    assert (split_halves(counts[:20], seed=5)[0].toarray() == first.toarray()[:20]).all()
    assert (split_halves(counts, seed=6)[0].toarray() != first.toarray()).any()


def test_splittable_documents_have_two_tokens() -> None:
    assert splittable(checked_counts([[0, 0], [1, 0], [2, 0], [1, 1]])).tolist() == [2, 3]


vectors = st.integers(1, 9).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(-2, 2), min_size=6, max_size=6).map(lambda row: (row[:3], row[3:])),
        min_size=rows,
        max_size=rows,
    )
)


@given(vectors, st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_mrr_equals_a_loop_with_ties_and_zero_vectors(
    pairs: list[tuple[list[int], list[int]]], block: int
) -> None:
    first, second = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    assert split_half_mrr(first, second, block=block) == pytest.approx(slow_mrr(first, second))


def test_perfect_constant_and_zero_encoders() -> None:
    constant = np.tile(np.random.default_rng(0).random(301) / 3, (500, 1))
    assert split_half_mrr(np.eye(7), 3 * np.eye(7)) == 1.0
    assert split_half_mrr(constant, constant) == pytest.approx(1 / 500)
    assert split_half_mrr(np.zeros((9, 2)), np.ones((9, 2))) == pytest.approx(1 / 9)


def test_random_vectors_score_chance() -> None:
    rng = np.random.default_rng(1)
    size = 800
    score = split_half_mrr(rng.normal(size=(size, 40)), rng.normal(size=(size, 40)))
    ranks = np.arange(1, size + 1)
    deviation = np.std(1 / ranks) / np.sqrt(size)
    assert abs(score - np.mean(1 / ranks)) < 5 * deviation


def topical_counts(documents: int) -> sparse.csr_array:
    """Each document has words of its own two neighbours in a ring, so halves are alike and
    documents are not.
    """
    rng = np.random.default_rng(3)
    dense = np.zeros((documents, documents), dtype=int)
    for row in range(documents):
        dense[row, (row + np.array([0, 1])) % documents] = rng.integers(5, 9, size=2)
    return checked_counts(dense)


def test_score_of_words_is_high_and_of_nothing_is_chance() -> None:
    counts = topical_counts(60)
    assert split_half_score(lambda half: half.toarray(), counts) > 0.9
    assert split_half_score(lambda half: np.ones((half.shape[0], 3)), counts) == pytest.approx(
        1 / 60
    )


def test_score_takes_at_most_so_many_splittable_documents() -> None:
    counts = topical_counts(50).toarray()
    counts[::2] = 0
    counts[::2, 0] = 1  # one token: cannot be halved
    seen: list[NDArray[Any]] = []

    def encode(half: sparse.csr_array) -> NDArray[Any]:
        seen.append(half.toarray())
        return seen[-1]

    split_half_score(encode, counts, at_most=10)
    split_half_score(encode, counts, at_most=1000)
    few, many = seen[0] + seen[1], seen[2] + seen[3]
    assert (many == counts[1::2]).all()
    assert len(few) == 10
    # Chosen among few or among many, a document is split the same.
    assert all((half == seen[2]).all(axis=1).any() for half in seen[0])
    split_half_score(encode, counts, at_most=10, seed=1)
    assert (seen[4] + seen[5] != few).any()


def test_score_is_repeatable_and_equals_its_parts() -> None:
    counts = topical_counts(30)
    score = split_half_score(lambda half: half.toarray(), counts, seed=4)
    first, second = split_halves(counts, seed=4)
    assert score == split_half_mrr(first.toarray(), second.toarray())


def test_documents_are_chosen_evenly() -> None:
    """Each of 20 documents is among the 5 chosen in a quarter of 2,000 seeds."""
    counts = checked_counts(2 * np.eye(20, dtype=int))
    chosen = np.zeros(20)

    def encode(half: sparse.csr_array) -> NDArray[Any]:
        chosen[half.indices] += 0.5  # called for both halves
        return half.toarray()

    for seed in range(2000):
        split_half_score(encode, counts, seed=seed, at_most=5)
    assert np.abs(chosen - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: split_half_mrr(np.eye(2), np.eye(3)),
            r"second must have the shape of first, \(2, 2\), got \(3, 3\)",
        ),
        (
            lambda: split_half_mrr([[np.nan]], [[1.0]]),
            "first must be finite, got nan among its values",
        ),
        (
            lambda: split_half_mrr(np.eye(2), np.eye(2), block=0),
            "block must be a whole number of at least 1, got 0",
        ),
        (
            lambda: split_halves([[1, 2]], seed=-1),
            "seed must be a whole number of at least 0, got -1",
        ),
        (lambda: split_halves([[-1]], seed=0), "counts must not be negative, got -1"),
        (
            lambda: split_halves([[1, 2]], seed=0, document_ids=np.array([1, 2])),
            r"document_ids must be 1 whole numbers of at least 0, got int64 of shape \(2,\)",
        ),
        (
            lambda: split_half_score(lambda half: half.toarray(), [[1, 0], [2, 0]]),
            "counts must hold at least 2 documents of at least 2 tokens, got 1",
        ),
        (
            lambda: split_half_score(lambda half: half.toarray(), [[2], [2]], at_most=1),
            "at_most must be a whole number of at least 2, got 1",
        ),
        (
            lambda: split_half_score(lambda half: np.ones((5, 1)), [[2], [2]]),
            "encode's result must have 2 rows, one per document, got 5",
        ),
        (
            lambda: split_half_score(lambda half: half, [[2], [2]]),
            r"encode's result must be a dense matrix .*, got csr_array of shape \(2, 1\)",
        ),
    ],
)
def test_errors_name_the_argument(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
