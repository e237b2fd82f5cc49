"""Coordinate descent against SciPy's active set."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from undertow.kernels.cpu.mixtures import mix
from undertow.kernels.reference.mixtures import mixtures
from undertow.topics._shares import ROUNDS, TOLERANCE, mixture
from undertow.vectors.joining import unit

Single = NDArray[np.float32]


def make(documents: int, topics: int, columns: int, seed: int) -> tuple[Single, Single]:
    """Directions without negative entries, as those of strengths are, and mixtures of them with
    something else.
    """
    generator = np.random.default_rng(seed)
    directions = unit(generator.random((topics, columns)) ** 3)
    parts = generator.random((documents, topics)) * (generator.random((documents, topics)) < 0.3)
    return unit(parts @ directions + 0.3 * generator.random((documents, columns)) ** 3), directions


def bound(directions: Single) -> float:
    """How far amounts may be from the best ones.

    In the last round no coordinate moved by more than the tolerance t, so each product of a
    direction with what is left over is off by at most the sum of the moves after it, n t. The error
    of the amounts is that through the inverse of the Gram matrix. Single precision of the
    directions is in both.
    """
    gram = unit(directions).astype(np.float64) @ unit(directions).astype(np.float64).T
    least = np.linalg.eigvalsh(gram)[0]
    n = len(directions)
    return float(np.sqrt(n) * n * TOLERANCE / max(least, 1e-12))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("topics", [1, 2, 7, 20])
def test_amounts_are_those_of_the_active_set(topics: int, seed: int) -> None:
    vectors, directions = make(60, topics, 40, seed)
    ours = mixture(vectors, directions)
    assert (ours >= 0).all()
    np.testing.assert_allclose(ours, mixtures(vectors, directions), rtol=0, atol=bound(directions))


def residual(
    vectors: Single, directions: Single, amounts: NDArray[np.float64]
) -> NDArray[np.float64]:
    left = vectors.astype(np.float64) - amounts @ unit(directions).astype(np.float64)
    return np.asarray((left**2).sum(axis=1))


@pytest.mark.parametrize(
    "case", ["repeated", "zero", "nearly equal", "opposite", "more than columns"]
)
def test_degenerate_directions_come_as_close(case: str) -> None:
    """Amounts are not unique here, what they come to is: its square differs by the error of
    products times amounts.
    """
    vectors, directions = make(40, 6, 30, 3)
    if case == "repeated":
        directions[3] = directions[1]
    elif case == "zero":
        directions[2] = 0.0
    elif case == "nearly equal":
        directions[3] = unit(directions[1:2] + np.float32(1e-4))[0]
    elif case == "opposite":
        directions[4] = -directions[0]
    else:
        vectors, directions = make(40, 12, 5, 3)
    amounts, best = mixture(vectors, directions), mixtures(vectors, unit(directions))
    assert np.isfinite(amounts).all()
    assert (amounts >= 0).all()
    size = np.maximum(amounts.sum(axis=1), best.sum(axis=1))
    error = 2.0 * len(directions) * TOLERANCE * size
    assert (
        np.abs(residual(vectors, directions, amounts) - residual(vectors, directions, best))
        <= error
    ).all()


def test_a_vector_of_one_direction_is_that_direction() -> None:
    directions = np.eye(4, 6, dtype=np.float32)
    np.testing.assert_allclose(
        mixture(directions, 7 * directions), np.eye(4), rtol=0, atol=TOLERANCE
    )
    np.testing.assert_array_equal(mixture(-directions, directions), np.zeros((4, 4)))
    np.testing.assert_array_equal(
        mixture(np.zeros((2, 6), dtype=np.float32), directions), np.zeros((2, 4))
    )


def test_what_was_there_before_does_not_matter() -> None:
    """Only the rows from the first to the last are written, whatever is in them."""
    vectors, directions = make(9, 4, 12, 0)
    gram = directions.astype(np.float64) @ directions.T.astype(np.float64)
    products = vectors.astype(np.float64) @ directions.T.astype(np.float64)
    clean, dirty = np.zeros((9, 4)), np.full((9, 4), 7.0)
    for amounts in (clean, dirty):
        mix(2, 6, gram, products, amounts, ROUNDS, TOLERANCE)
    np.testing.assert_array_equal(clean[2:6], dirty[2:6])
    np.testing.assert_array_equal(clean[[0, 1, 6, 7, 8]], 0.0)
    np.testing.assert_array_equal(dirty[[0, 1, 6, 7, 8]], 7.0)


def test_no_documents_and_one_topic() -> None:
    directions = np.eye(1, 5, dtype=np.float32)
    assert mixture(np.zeros((0, 5), dtype=np.float32), directions).shape == (0, 1)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_threads_change_no_bit(threads: int) -> None:
    vectors, directions = make(203, 11, 33, 0)
    np.testing.assert_array_equal(
        mixture(vectors, directions, 1), mixture(vectors, directions, threads)
    )
    part = mixture(vectors[50:60], directions, 1)  # a document alone is what it is among others
    np.testing.assert_allclose(
        part, mixture(vectors, directions, 1)[50:60], rtol=0, atol=bound(directions)
    )


def test_rounds_are_enough() -> None:
    """No document of these is stopped by the number of rounds: with a tenth of the tolerance little
    changes.
    """
    assert ROUNDS >= 100
    vectors, directions = make(60, 20, 40, 9)
    gram = directions.astype(np.float64) @ directions.T.astype(np.float64)
    amounts = mixture(vectors, directions)
    slope = amounts @ gram - vectors.astype(np.float64) @ directions.T.astype(np.float64)
    n = len(directions)
    assert (slope[amounts > 0] <= n * TOLERANCE).all()
    assert (slope >= -n * TOLERANCE).all()
