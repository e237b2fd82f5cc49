"""Directions of words, against the singular value decomposition written out in float64."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from tests.oracles.rounding import UNIT
from undertow.vectors import directions
from undertow.vectors.directions import with_more_rows, word_directions

WORDS = 40
Array = NDArray[np.float64]


def make_counts(documents: int, seed: int = 0) -> NDArray[np.int32]:
    """Documents of one of five themes, some of them empty."""
    generator = np.random.default_rng(seed)
    themes = generator.dirichlet(np.full(WORDS, 0.2), 5)
    rows = [generator.multinomial(5 + row % 30, themes[row % 5]) for row in range(documents)]
    rows[::9] = [np.zeros(WORDS, dtype=np.int64) for _ in rows[::9]]
    return np.array(rows, dtype=np.int32)


def word_weights() -> NDArray[np.float32]:
    return np.random.default_rng(1).uniform(0.0, 3.0, WORDS).astype(np.float32)


def unit_rows(counts: NDArray[np.int32]) -> Array:
    weighted = counts * (1.0 + word_weights().astype(np.float64))
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(lengths > 0, lengths, 1.0)


def found(counts: NDArray[np.int32], number: int, seed: int = 0) -> NDArray[np.float32]:
    return word_directions(sparse.csr_array(counts), word_weights(), number, seed)


@pytest.mark.parametrize(("documents", "number"), [(11, 1), (11, 3), (13, 9), (20, 12)])
def test_they_are_the_first_right_singular_vectors(documents: int, number: int) -> None:
    """Of so few documents the search goes through all directions there are, so it is exact but for
    rounding.
    """
    counts = make_counts(documents)
    rows = unit_rows(counts)
    assert number + directions.MORE >= documents
    _, values, right = np.linalg.svd(rows)
    ours = found(counts, number).astype(np.float64)
    assert ours.shape == (WORDS, number)
    # Wedin: a vector turns by the error of the matrix over the gap to its neighbours. Products of
    # float32 matrices of this size are off by at most so many roundings, in each of the rounds.
    error = 4 * (directions.ROUNDS + 2) * documents * UNIT * values[0]
    gaps = np.minimum(
        np.abs(np.diff(values[: number + 1])), np.append(np.inf, np.abs(np.diff(values[:number])))
    )
    for place in range(number):
        expected = right[place] * np.sign(right[place][np.abs(right[place]).argmax()])
        # Squares of singular values are what is told apart, so small ones are less certain.
        turned = 2 * error * values[0] / (gaps[place] * values[place]) + 8 * UNIT
        assert turned < 0.1  # the bound says something
        assert np.linalg.norm(ours[:, place] - expected) <= turned


def test_many_documents_are_seen_nearly_as_well_as_by_the_best_directions() -> None:
    counts = make_counts(900)
    rows = unit_rows(counts)
    best = np.linalg.svd(rows)[2][:8].T
    ours = found(counts, 8).astype(np.float64)
    captured = np.linalg.norm(rows @ ours) ** 2 / np.linalg.norm(rows @ best) ** 2
    assert 0.97 < captured <= 1.0 + 1e-6
    np.testing.assert_allclose(ours.T @ ours, np.eye(8), rtol=0, atol=WORDS * 8 * UNIT)


def test_there_are_no_more_than_documents_words_and_the_most() -> None:
    counts = make_counts(12)
    assert found(counts, 100).shape == (WORDS, 12)
    many = make_counts(90)
    assert found(many, 100).shape == (WORDS, (many.sum(axis=0) > 0).sum())
    wide = sparse.csr_array(np.random.default_rng(0).binomial(1, 0.02, (600, 500)).astype(np.int32))
    ones = np.ones(500, dtype=np.float32)
    assert word_directions(wide, ones, 400, 0).shape == (500, directions.MOST)


def test_directions_of_no_weight_are_zeros() -> None:
    """Two documents, each many times: two directions, whatever is asked for."""
    counts = np.repeat(make_counts(30)[[1, 2]], 20, axis=0)
    ours = found(counts, 6)
    lengths = np.linalg.norm(ours.astype(np.float64), axis=0)
    np.testing.assert_allclose(lengths, [1, 1, 0, 0, 0, 0], rtol=0, atol=WORDS * UNIT)


@pytest.mark.parametrize("documents", [0, 1, 5])
def test_empty_documents_have_none(documents: int) -> None:
    ours = found(np.zeros((documents, WORDS), dtype=np.int32), 3)
    assert ours.shape == (WORDS, 0)


def test_words_that_no_document_holds_change_nothing() -> None:
    counts = make_counts(30)
    seen = counts.sum(axis=0) > 0
    more = np.zeros((30, 2 * WORDS), dtype=np.int32)
    more[:, 1::2] = counts
    weights = np.repeat(word_weights(), 2)
    ours = word_directions(sparse.csr_array(more), weights, 4, 0)
    np.testing.assert_array_equal(ours[1::2], found(counts, 4))
    np.testing.assert_array_equal(ours[::2], 0.0)
    np.testing.assert_array_equal(ours[1::2][~seen], 0.0)


def test_the_same_seed_gives_the_same_bits() -> None:
    counts = make_counts(300)
    np.testing.assert_array_equal(found(counts, 8), found(counts, 8))
    other = found(counts, 8, seed=1)
    assert not np.array_equal(found(counts, 8), other)
    np.testing.assert_allclose(
        other[:, 0], found(counts, 8)[:, 0], rtol=0, atol=1e-3
    )  # of another start, the same


def test_empty_documents_change_nothing_of_what_is_found() -> None:
    counts = make_counts(30)
    some = counts[counts.sum(axis=1) > 0]
    np.testing.assert_allclose(found(counts, 3), found(some, 3), rtol=0, atol=1e-3)


def test_new_words_have_no_part() -> None:
    ours = found(make_counts(30), 3)
    grown = with_more_rows(ours, WORDS + 2)
    np.testing.assert_array_equal(grown[:WORDS], ours)
    np.testing.assert_array_equal(grown[WORDS:], np.zeros((2, 3)))
