"""Documents in memory as a source of minibatches."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CsrSource, checked_counts


def _corpus(documents: int = 40, words: int = 6) -> NDArray[np.int64]:
    """Counts with empty rows among them."""
    generator = np.random.default_rng(documents)
    counts = generator.poisson(0.5, (documents, words))
    counts[::7] = 0
    counts[1, 0] = 3
    return counts


DENSE = _corpus()


def _batches(
    source: CsrSource, *, seed: int = 1, epoch: int = 2, size: int = 7, first: int = 0
) -> list[CountBatch]:
    return list(source.batches(seed=seed, epoch=epoch, batch_size=size, first_batch=first))


def _order(batches: list[CountBatch]) -> list[int]:
    return [int(document) for batch in batches for document in batch.document_ids]


@settings(deadline=None, max_examples=30)
@given(documents=st.integers(2, 50), size=st.integers(1, 60), epoch=st.integers(0, 10))
def test_every_document_comes_once_under_its_own_name(
    documents: int, size: int, epoch: int
) -> None:
    """Ids are rows of the matrix given, empty ones counted; the words and counts are those of that
    row.
    """
    dense = _corpus(documents)
    source = CsrSource(checked_counts(dense))
    batches = _batches(source, epoch=epoch, size=size)
    filled = np.flatnonzero(dense.sum(axis=1))
    assert sorted(_order(batches)) == filled.tolist()
    assert source.documents == len(filled)
    assert [batch.size for batch in batches[:-1]] == [size] * (len(batches) - 1)
    for batch in batches:
        rows = sparse.csr_array(
            (batch.counts, batch.words, batch.starts), shape=(batch.size, dense.shape[1])
        )
        np.testing.assert_array_equal(rows.toarray(), dense[batch.document_ids])
        assert batch.tokens == dense[batch.document_ids].sum()


def test_batches_have_the_types_that_kernels_are_compiled_for() -> None:
    for counts in (checked_counts(DENSE), sparse.csr_array(DENSE)):
        batch = _batches(CsrSource(counts))[0]
        arrays = (batch.document_ids, batch.starts, batch.words, batch.counts)
        assert [array.dtype.name for array in arrays] == ["int64", "int64", "int32", "int32"]


def test_the_order_is_a_function_of_seed_and_epoch() -> None:
    source = CsrSource(checked_counts(DENSE))
    assert _order(_batches(source)) == _order(_batches(CsrSource(checked_counts(DENSE))))
    orders = {
        tuple(_order(_batches(source, seed=seed, epoch=epoch)))
        for seed in range(3)
        for epoch in range(3)
    }
    assert len(orders) == 9


def test_the_order_does_not_depend_on_the_batch_size() -> None:
    source = CsrSource(checked_counts(DENSE))
    assert _order(_batches(source, size=3)) == _order(_batches(source, size=100))


@pytest.mark.parametrize("first", [0, 1, 3, 4, 5, 100])
def test_an_epoch_goes_on_where_it_was_left(first: int) -> None:
    source = CsrSource(checked_counts(DENSE))
    whole, rest = _batches(source), _batches(source, first=first)
    assert len(rest) == max(len(whole) - first, 0)
    for ours, theirs in zip(rest, whole[first:], strict=True):
        for name in ("document_ids", "starts", "words", "counts"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_documents_without_weight_are_left_out() -> None:
    """Words 0 and 2 weigh nothing: rows with these alone teach nothing, but the others keep their
    numbers.
    """
    counts = checked_counts([[4, 0, 0], [1, 1, 0], [0, 0, 0], [2, 0, 9], [0, 2, 3]])
    source = CsrSource(counts, np.array([0.0, 0.5, 0.0]))
    assert sorted(_order(_batches(source))) == [1, 4]
    assert (source.documents, source.vocabulary_size) == (2, 3)
    assert source.longest >= 5


@pytest.mark.parametrize(
    ("counts", "weights", "message"),
    [
        (
            np.zeros((3, 2)),
            None,
            "counts must hold a document with a word of positive weight, got none in 3",
        ),
        (
            [[1, 0]],
            [0.0, 1.0],
            "counts must hold a document with a word of positive weight, got none in 1",
        ),
        ([[1, 0]], [1.0], "word_weights must hold 2 numbers, got an array of shape (1,)"),
        ([[1, 0]], [1.0, -2.0], "word_weights must not be negative, got -2.0 among its values"),
        ([[1, 0]], [1.0, np.nan], "word_weights must be finite, got nan among its values"),
    ],
)
def test_refusals(counts: Any, weights: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        CsrSource(checked_counts(counts), None if weights is None else np.array(weights))


def test_a_batch_of_a_whole_matrix_names_its_rows() -> None:
    batch = CountBatch.from_csr(checked_counts(DENSE), first_id=100)
    assert batch.document_ids.tolist() == list(range(100, 140))
    assert (batch.size, batch.tokens) == (40, DENSE.sum())
    for d in range(40):
        span = slice(batch.starts[d], batch.starts[d + 1])
        assert batch.counts[span].tolist() == DENSE[d][DENSE[d] > 0].tolist()
        assert batch.words[span].tolist() == np.flatnonzero(DENSE[d]).tolist()


def test_pieces_of_a_part_have_the_ids_and_the_order_of_its_minibatches() -> None:
    source = CsrSource(checked_counts(DENSE), first_id=1000)
    pieces = source.pieces(seed=1, epoch=2, batch_size=7, at_a_time=2)
    found = [batch for piece in pieces for batch in piece]
    for ours, theirs in zip(found, _batches(source), strict=True):
        for name in ("document_ids", "starts", "words", "counts"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert min(_order(found)) >= 1000
    assert source.held().first_id == 1000
