"""Minibatches that are not taken out of their matrix are those that come one by one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.counts.test_source import DENSE
from tests.spool.test_count_spool import write
from undertow.counts import CountBatch, CsrSource, Minibatches, checked_counts
from undertow.spool import SpooledSource

PARTS = ("document_ids", "starts", "words", "counts")
COUNTS = checked_counts(DENSE)


@pytest.fixture(params=["in memory", "a part of more", "words without weight", "on disk"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "on disk":
        spool = write(tmp_path / "counts", COUNTS, block_documents=4)
        return SpooledSource(spool, group=3, first_id=100)
    weights = np.r_[0.0, np.ones(5)] if request.param == "words without weight" else None
    return CsrSource(COUNTS, weights, first_id=5000 if request.param == "a part of more" else 0)


def assert_same(ours: CountBatch, theirs: CountBatch) -> None:
    for name in PARTS:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.dtype == other.dtype
        np.testing.assert_array_equal(mine, other, err_msg=name)


@pytest.mark.parametrize("size", [1, 4, 7, 100])
@pytest.mark.parametrize("at_a_time", [1, 3, 50])
@pytest.mark.parametrize("first", [0, 2, 5])
def test_pieces_are_the_minibatches_of_the_epoch(
    source: Any, size: int, at_a_time: int, first: int
) -> None:
    at = {"seed": 3, "epoch": 1, "batch_size": size, "first_batch": first}
    expected = list(source.batches(**at))
    pieces = list(source.pieces(**at, at_a_time=at_a_time))
    assert [len(piece) for piece in pieces[:-1]] == [at_a_time] * (len(pieces) - 1)
    found = [batch for piece in pieces for batch in piece]
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)
    assert sum(piece.documents for piece in pieces) == sum(batch.size for batch in expected)
    assert sum(piece.tokens for piece in pieces) == sum(batch.tokens for batch in expected)


def minibatches() -> tuple[Minibatches, list[CountBatch]]:
    batch = CountBatch.from_csr(COUNTS)
    return Minibatches.of(batch, 7), [
        batch.part(first, min(first + 7, batch.size)) for first in range(0, batch.size, 7)
    ]


def test_a_batch_is_cut_up() -> None:
    """Documents without words among them; the last minibatch has what is left."""
    found, expected = minibatches()
    assert [one.size for one in found] == [7, 7, 7, 7, 7, 5]
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)
    assert (found.documents, found.tokens) == (40, int(DENSE.sum()))


@pytest.mark.parametrize(
    "part", [slice(1, None, 2), slice(0, 0), slice(4, 100), slice(None, None, 3), slice(-2, None)]
)
def test_slices_are_those_of_a_list(part: slice) -> None:
    found, expected = minibatches()
    ours, theirs = found[part], expected[part]
    assert isinstance(ours, Minibatches)
    for one, other in zip(ours, theirs, strict=True):
        assert_same(one, other)
    assert ours.documents == sum(batch.size for batch in theirs)
    assert ours.tokens == sum(batch.tokens for batch in theirs)
    assert ours.rows is found.rows  # nothing is copied
    with pytest.raises(IndexError):
        found[6]


def test_a_matrix_of_large_indices_is_taken_as_well() -> None:
    wide = sparse.csr_array(COUNTS)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    at: dict[str, int] = {"seed": 0, "epoch": 0, "batch_size": 9}
    ours, theirs = CsrSource(wide), CsrSource(COUNTS)
    piece = next(ours.pieces(**at, at_a_time=2))
    assert [array.dtype.name for array in piece.rows] == ["int64"] * 3 + ["int32"] * 2
    for one, other in zip(piece, theirs.batches(**at), strict=False):
        assert_same(one, other)


def test_pieces_that_are_left_early_leave_no_thread(tmp_path: Path) -> None:
    spool = write(tmp_path / "counts", COUNTS, block_documents=2)
    pieces: Any = SpooledSource(spool, group=2).pieces(seed=0, epoch=0, batch_size=2, at_a_time=2)
    next(pieces)
    pieces.close()
    assert not any(one.name.startswith("undertow-spool") for one in threading.enumerate())
