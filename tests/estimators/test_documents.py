"""Documents in memory and on disk give fitting the same answers; samples are fair and bounded."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from tests.spool.test_count_spool import make_counts, write
from undertow.estimators import _documents
from undertow.estimators._documents import HOLD_OUT_STAGE, HeldDocuments, SpooledDocuments
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose, lowest
from undertow.spool import CountSpool


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return make_counts(600)


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory, counts: sparse.csr_array) -> CountSpool:
    return write(tmp_path_factory.mktemp("spool") / "counts", counts, block_documents=10)


def test_a_small_spool_is_its_own_sample(counts: sparse.csr_array, spool: CountSpool) -> None:
    held, spooled = HeldDocuments(counts), SpooledDocuments(spool)
    assert (spooled.size, spooled.rows) == (held.size, held.rows) == (600, 600)
    np.testing.assert_array_equal(spooled.sample(3).toarray(), held.sample(3).toarray())
    assert spooled.sample(3).dtype == np.int32
    assert spooled.sample(3) is spooled.sample(3)  # read once


def test_the_same_documents_are_held_out(counts: sparse.csr_array, spool: CountSpool) -> None:
    parts = [
        documents.hold_out(0.2, 5) for documents in (HeldDocuments(counts), SpooledDocuments(spool))
    ]
    for kept, held_out in parts:
        assert (kept.size, held_out.shape[0]) == (480, 120)
        np.testing.assert_array_equal(held_out.toarray(), parts[0][1].toarray())
        np.testing.assert_array_equal(kept.sample(5).toarray(), parts[0][0].sample(5).toarray())
    source = parts[1][0].source(np.ones(20))
    trained = {
        int(row)
        for batch in source.batches(seed=0, epoch=0, batch_size=50)
        for row in batch.document_ids
    }
    expected = set(np.flatnonzero(counts.sum(axis=1))) - set(
        lowest(5, Purpose.HOLD_OUT, HOLD_OUT_STAGE, 600, 120)
    )
    assert trained == expected


def test_a_sample_is_bounded_and_drawn_by_the_seed(
    spool: CountSpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_documents, "SAMPLE", 50)
    documents = SpooledDocuments(spool)
    assert documents.sample(1).shape == (50, 20)
    assert not np.array_equal(documents.sample(1).toarray(), documents.sample(2).toarray())
    monkeypatch.setattr(
        _documents, "SAMPLE_ENTRIES", 100
    )  # words of documents that have about 8 different ones each
    assert 5 < SpooledDocuments(spool).sample(1).shape[0] < 25


def test_the_lowest_are_those_of_a_sort_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lowest(7, Purpose.HOLD_OUT, 1, 1000, 30)
    keys = randomness.uniforms(7, Purpose.HOLD_OUT, 1, 0, np.arange(1000), 0)
    np.testing.assert_array_equal(whole, np.sort(np.argsort(keys, kind="stable")[:30]))
    monkeypatch.setattr(randomness, "RANGE", 64)
    np.testing.assert_array_equal(lowest(7, Purpose.HOLD_OUT, 1, 1000, 30), whole)
    assert not np.array_equal(
        lowest(7, Purpose.HOLD_OUT, 0, 1000, 30), whole
    )  # held out and sampled: different draws
    assert lowest(7, Purpose.HOLD_OUT, 1, 10, 30).tolist() == list(range(10))
    means = [lowest(seed, Purpose.HOLD_OUT, 1, 1000, 30).mean() for seed in range(200)]
    assert abs(np.mean(means) - 499.5) < 5 * 1000 / np.sqrt(
        12 * 30 * 200
    )  # spread over all, 5 standard errors


def test_reading_rows_of_an_empty_choice(spool: CountSpool) -> None:
    assert _documents.read_rows(spool, np.zeros(0, dtype=np.int64)).shape == (0, 20)
