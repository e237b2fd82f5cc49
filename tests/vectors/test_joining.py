"""Vectors side by side, and what users may give as vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from undertow import InvalidInput
from undertow.vectors.given import ROWS, GivenVectors, given_vector, given_vectors, stored_width
from undertow.vectors.joining import asked, compared, join, unit

GENERATOR = np.random.default_rng(0)
OWN = GENERATOR.random((6, 5)).astype(np.float32)
OTHERS = GENERATOR.normal(size=(6, 3))
EPS = float(np.finfo(np.float32).eps)


def cosines(vectors: NDArray[Any]) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1)
    found: NDArray[np.float64] = wide @ wide.T / np.outer(lengths, lengths)
    return found


# Joining


def test_the_cosine_of_joined_vectors_is_the_mean_of_both() -> None:
    mean = (cosines(OWN) + cosines(OTHERS)) / 2
    np.testing.assert_allclose(cosines(join(OWN, OTHERS)), mean, atol=16 * EPS)
    made = compared(OWN, OTHERS).astype(np.float64)
    np.testing.assert_allclose(made @ made.T, mean, atol=16 * EPS)
    np.testing.assert_allclose(asked(OWN, OTHERS), made, atol=EPS)


def test_scale_says_nothing() -> None:
    factors = 10.0 ** np.arange(-3, 3)[:, None]
    np.testing.assert_allclose(
        join(OWN * factors, OTHERS / factors), join(OWN, OTHERS), atol=4 * EPS
    )


@pytest.mark.parametrize("nothing", [0.0, np.nan, np.inf])
def test_a_row_that_is_no_vector_is_zeros(nothing: float) -> None:
    own, others = OWN.copy(), OTHERS.copy()
    own[1], others[2] = nothing, nothing
    joined = join(own, others)
    assert joined.dtype == np.float32
    assert not joined[1, :5].any()
    assert joined[1, 5:].any()
    assert joined[2, :5].any()
    assert not joined[2, 5:].any()


def test_a_question_with_one_side_is_compared_by_it_alone() -> None:
    none_own, none_other = np.zeros_like(OWN), np.zeros_like(OTHERS)
    documents = compared(OWN, OTHERS).astype(np.float64)
    np.testing.assert_allclose(asked(OWN, none_other) @ documents.T, cosines(OWN), atol=16 * EPS)
    np.testing.assert_allclose(
        asked(none_own, OTHERS) @ documents.T, cosines(OTHERS), atol=16 * EPS
    )
    assert not asked(none_own, none_other).any()


def test_a_document_with_one_side_has_half_of_the_mean() -> None:
    alone = compared(OWN, np.zeros_like(OTHERS)).astype(np.float64)
    np.testing.assert_allclose(alone @ compared(OWN, OTHERS).T, cosines(OWN) / 2, atol=16 * EPS)


def test_no_square_overflows_or_vanishes() -> None:
    odd = np.array([[3e-30, 4e-30], [3e30, -4e30], [0.0, 0.0]], dtype=np.float32)
    np.testing.assert_allclose(unit(odd), [[0.6, 0.8], [0.6, -0.8], [0.0, 0.0]], atol=2 * EPS)
    np.testing.assert_allclose(
        join(odd.astype(np.float64) * 1e200, odd)[:2, :2], unit(odd)[:2], atol=2 * EPS
    )


def test_scaling_by_a_power_of_two_changes_no_bit() -> None:
    lengths = np.linalg.norm(OWN, axis=1, keepdims=True)
    np.testing.assert_array_equal(unit(OWN), OWN / lengths)


# What is given


@pytest.mark.parametrize(
    "vectors",
    [
        OTHERS,
        OTHERS.tolist(),
        pd.DataFrame(OTHERS),
        pl.DataFrame(OTHERS),
        OTHERS.astype(np.float16),
        OTHERS.astype(">f4"),
        np.asfortranarray(OTHERS),
    ],
)
def test_matrices_of_any_kind(vectors: Any) -> None:
    given = given_vectors(vectors)
    assert (given.documents, given.width) == (6, 3)
    np.testing.assert_allclose(given.part(1, 4), OTHERS[1:4], rtol=2**-10)
    np.testing.assert_allclose(given.take(np.array([4, 0])), OTHERS[[4, 0]], rtol=2**-10)
    np.testing.assert_allclose(join(OWN, given.part(0, 6)), join(OWN, OTHERS), atol=2**-10)
    assert given_vectors(given) is given


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([1.0, 2.0], r"vectors must have two dimensions, documents x numbers, got shape \(2,\)"),
        ([[1.0], [2.0, 3.0]], "vectors must be a matrix of numbers, got rows of different lengths"),
        ([["a"]], "vectors must be numbers of at most 64 bits, got values of type <U1"),
        ([[None]], "vectors must be numbers of at most 64 bits, got values of type object"),
        (np.zeros((2, 0)), r"vectors must have a number a row at least, got shape \(2, 0\)"),
        ([[1.0], [np.nan]], "vectors must be finite, got nan in row 1"),
        (np.where(np.arange(ROWS + 2) == ROWS, np.inf, 1.0)[:, None], "got inf in row 4,096"),
        ("vectors.npy", "vectors must have two dimensions"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_said(vectors: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        given_vectors(vectors)


def test_numbers_of_rows_and_columns_are_checked() -> None:
    given = given_vectors(OTHERS)
    with pytest.raises(
        InvalidInput, match="vectors must have a row for each document, 7, got 6 rows"
    ):
        given.check_documents(7)
    with pytest.raises(InvalidInput, match="a row for each document, at least 8, got 6 rows"):
        given.part(4, 8)
    with pytest.raises(
        InvalidInput, match="vectors must have 4 numbers a row, as the model has, got 3"
    ):
        given.check_width(4, of="the model")


def test_rows_of_a_part_of_a_corpus() -> None:
    rows = np.array([1, 2, 5])
    given = given_vectors(OTHERS).of_rows(rows, 6)
    assert given.documents == 3
    np.testing.assert_array_equal(given.part(1, 3), OTHERS[[2, 5]])
    np.testing.assert_array_equal(given.take(np.array([2, 0])), OTHERS[[5, 1]])
    with pytest.raises(InvalidInput, match="a row for each document, 9, got 6"):
        given_vectors(OTHERS).of_rows(rows, 9)


def test_values_have_a_digest() -> None:
    other = OTHERS.copy()
    other[5, 2] += 1.0
    assert GivenVectors(OTHERS).digest() == GivenVectors(OTHERS.copy()).digest()
    assert (
        len(
            {
                GivenVectors(one).digest()
                for one in (OTHERS, other, OTHERS[:5], OTHERS.reshape(3, 6))
            }
        )
        == 4
    )


def test_a_mapped_file_is_never_copied_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "v.npy", GENERATOR.normal(size=(2 * ROWS + 3, 2)))
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    read: list[int] = []
    whole = GivenVectors.part

    def noted(self: GivenVectors, first: int, last: int) -> Any:
        read.append(last - first)
        return whole(self, first, last)

    monkeypatch.setattr(GivenVectors, "part", noted)
    given = given_vectors(mapped)
    given.digest()
    assert read == [ROWS, ROWS, 3] * 2
    assert isinstance(given._array, np.memmap)


def test_the_vector_of_one_text() -> None:
    for vector in ([1, 2, 3], [[1.0, 2.0, 3.0]], np.array([1, 2, 3], dtype=np.float16)):
        np.testing.assert_array_equal(given_vector("vector", vector, 3), [[1.0, 2.0, 3.0]])
    for wrong, message in (
        ([1.0], "vector must hold 3 numbers"),
        (OTHERS, "vector must hold 3 numbers"),
        ([1.0, 2.0, np.nan], "vector must be finite"),
        (["a", "b", "c"], "vector must be numbers, got values of type <U1"),
    ):
        with pytest.raises(InvalidInput, match=message):
            given_vector("vector", wrong, 3)


@pytest.mark.parametrize("width", [-1, "3", None, True, 2.5])
def test_a_stored_width_is_a_whole_number(width: Any) -> None:
    assert stored_width({}) == 0
    assert stored_width({"vectors_width": 3}) == 3
    with pytest.raises(InvalidInput, match="vectors_width must be a whole number"):
        stored_width({"vectors_width": width})
