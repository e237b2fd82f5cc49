"""W that starts from vectors of words, beside the same written out in plain float64."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.kernels.randomness import Purpose, normals
from undertow.model import Parameters, initial_parameters
from undertow.vectors.word_start import checked_word_vectors, started_from

WORDS, WIDTH, UNITS, SEED = 30, 7, 5, 11
WITHOUT = [0, 4, 29]  # words that have no vector


def make_vectors() -> NDArray[np.float64]:
    vectors = np.random.default_rng(1).normal(loc=0.5, size=(WORDS, WIDTH))
    vectors[WITHOUT] = 0.0
    return vectors


def make_shares() -> NDArray[np.float64]:
    return np.random.default_rng(2).dirichlet(np.ones(WORDS))


def make_start(seed: int = SEED) -> Parameters:
    return initial_parameters(UNITS, make_shares(), np.linspace(0.0, 3.0, WORDS), seed)


def written_out(
    vectors: NDArray[Any], shares: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """The start of W, a number at a time."""
    usual = make_start(seed).weights.astype(np.float64)
    directions = normals(seed, Purpose.WORD_VECTORS, WIDTH, UNITS).astype(np.float64)
    having = [
        word for word in range(WORDS) if any(float(number) != 0.0 for number in vectors[word])
    ]
    total = sum(shares[word] for word in having)
    mean = [
        sum(shares[word] * float(vectors[word, axis]) for word in having) / total
        for axis in range(WIDTH)
    ]
    told = {
        (word, unit): sum(
            (float(vectors[word, axis]) - mean[axis]) * directions[axis, unit]
            for axis in range(WIDTH)
        )
        for word in having
        for unit in range(UNITS)
    }
    size = math.sqrt(sum(value * value for value in told.values()) / len(told))
    for (word, unit), value in told.items():
        usual[word, unit] = 0.3 * usual[word, unit] + 0.03 * value / size
    return usual


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int64])
def test_it_is_what_is_written_out(kind: Any) -> None:
    vectors = (make_vectors() * 10).astype(kind)
    started = started_from(make_start(), vectors, make_shares(), SEED)
    expected = written_out(vectors, make_shares(), SEED)
    assert started.weights.dtype == np.float32
    np.testing.assert_allclose(started.weights, expected, rtol=1e-6, atol=1e-9)


def test_words_without_a_vector_and_all_else_stay() -> None:
    usual, started = make_start(), started_from(make_start(), make_vectors(), make_shares(), SEED)
    np.testing.assert_array_equal(started.weights[WITHOUT], usual.weights[WITHOUT])
    others = np.setdiff1d(np.arange(WORDS), WITHOUT)
    assert (started.weights[others] != usual.weights[others]).all()
    for name in ("hidden_bias", "visible_bias", "word_weights"):
        np.testing.assert_array_equal(getattr(started, name), getattr(usual, name))


def test_what_was_given_is_not_changed() -> None:
    usual, vectors = make_start(), make_vectors()
    started_from(usual, vectors, make_shares(), SEED)
    np.testing.assert_array_equal(usual.weights, make_start().weights)
    np.testing.assert_array_equal(vectors, make_vectors())


def test_the_seed_decides() -> None:
    first, again, other = (
        started_from(make_start(), make_vectors(), make_shares(), seed).weights
        for seed in (SEED, SEED, SEED + 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_other_draws_are_as_before() -> None:
    assert [purpose.value for purpose in Purpose] == list(range(1, 20))
    assert list(Purpose)[12] is Purpose.WORD_VECTORS


@pytest.mark.parametrize("power", [-900, 1000])
def test_the_size_of_the_vectors_does_not_matter(power: int) -> None:
    """Squares of such numbers are 0 or infinite, but a power of 2 changes no other bit."""
    usual = started_from(make_start(), make_vectors(), make_shares(), SEED).weights
    found = started_from(make_start(), np.ldexp(make_vectors(), power), make_shares(), SEED).weights
    np.testing.assert_array_equal(found, usual)


# Checks


@pytest.mark.parametrize("of", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
def test_arrays_lists_and_tables_will_do(of: Any) -> None:
    np.testing.assert_array_equal(checked_word_vectors(of(make_vectors()), WORDS), make_vectors())


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones(30), "word_vectors must have two dimensions, words x numbers, got shape (30,)"),
        (make_vectors()[1:], "word_vectors must have a row for each word, 30, got 29 rows"),
        (np.full((30, 2), np.inf), "word_vectors must be finite, got inf in row 0"),
        (
            np.zeros((30, 2)),
            "word_vectors must have a vector for a word at least, got rows of zeros: no word has a "
            "",
        ),
        (
            np.ones((30, 2)),
            "word_vectors must tell words apart, got one vector for all that have one, 30",
        ),
        (
            np.eye(30)[:, :1],
            "word_vectors must tell words apart, got one vector for all that have one, 1",
        ),
        (np.ones((30, 0)), "word_vectors must have a number a row at least, got shape (30, 0)"),
        (
            [[1.0]] * 29 + [[1.0, 2.0]],
            "word_vectors must be a matrix of numbers, got rows of different lengths",
        ),
        ([["a"]] * 30, "word_vectors must be numbers of at most 64 bits, got values of type <U1"),
    ],
)
def test_vectors_that_do_not_fit_are_said(vectors: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}"):
        checked_word_vectors(vectors, WORDS)
