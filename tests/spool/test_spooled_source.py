"""Minibatches from a spool: each document once, the same order when asked again, and nothing left
open.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.spool.test_count_spool import make_counts, write
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CountSource, CsrSource, checked_counts
from undertow.spool import CountSpool, SpooledSource

ROOT = Path(__file__).parents[2]
PARTS = ("document_ids", "starts", "words", "counts")


def batches(
    source: CountSource, *, seed: int = 1, epoch: int = 2, size: int = 7, first: int = 0
) -> list[CountBatch]:
    return list(source.batches(seed=seed, epoch=epoch, batch_size=size, first_batch=first))


def order(found: list[CountBatch]) -> list[int]:
    return [int(document) for batch in found for document in batch.document_ids]


def assert_equal(ours: list[CountBatch], theirs: list[CountBatch]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        for name in PARTS:
            assert getattr(one, name).dtype == getattr(other, name).dtype
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    return make_counts()


@pytest.fixture(scope="module")
def spool(tmp_path_factory: pytest.TempPathFactory, counts: sparse.csr_array) -> CountSpool:
    return write(tmp_path_factory.mktemp("spool") / "counts", counts, block_documents=10)


@settings(deadline=None, max_examples=40)
@given(group=st.integers(1, 40), size=st.integers(1, 320), epoch=st.integers(0, 5))
def test_every_document_comes_once_under_its_own_name(
    counts: sparse.csr_array, spool: CountSpool, group: int, size: int, epoch: int
) -> None:
    source = SpooledSource(spool, group=group)
    found = batches(source, size=size, epoch=epoch)
    filled = np.flatnonzero(counts.sum(axis=1))
    assert sorted(order(found)) == filled.tolist()
    assert source.documents == len(filled)
    assert [batch.size for batch in found[:-1]] == [size] * (len(found) - 1)
    for batch in found:
        rows = sparse.csr_array(
            (batch.counts, batch.words, batch.starts), shape=(batch.size, counts.shape[1])
        )
        np.testing.assert_array_equal(rows.toarray(), counts[batch.document_ids].toarray())


@settings(deadline=None, max_examples=40)
@given(group=st.integers(1, 40), size=st.integers(1, 100), first=st.integers(0, 300))
def test_an_epoch_goes_on_where_it_was_left(
    spool: CountSpool, group: int, size: int, first: int
) -> None:
    source = SpooledSource(spool, group=group)
    assert_equal(batches(source, size=size, first=first), batches(source, size=size)[first:])


def test_the_order_is_a_function_of_seed_and_epoch(spool: CountSpool) -> None:
    source = SpooledSource(spool, group=4)
    assert_equal(batches(source), batches(SpooledSource(spool, group=4)))
    assert order(batches(source, size=3)) == order(batches(source, size=50))
    orders = {
        tuple(order(batches(source, seed=seed, epoch=epoch)))
        for seed in range(3)
        for epoch in range(3)
    }
    assert len(orders) == 9


def test_one_group_is_shuffled_as_in_memory(counts: sparse.csr_array, spool: CountSpool) -> None:
    for weights in (None, np.r_[np.zeros(12), np.ones(8)]):
        ours, theirs = SpooledSource(spool, weights), CsrSource(counts, weights)
        assert (ours.documents, ours.longest) == (theirs.documents, theirs.longest)
        assert ours.vocabulary_size == theirs.vocabulary_size
        assert_equal(batches(ours), batches(theirs))


def test_documents_without_weight_or_left_out_do_not_come(tmp_path: Path) -> None:
    counts = checked_counts([[4, 0, 0], [1, 1, 0], [0, 0, 0], [2, 0, 9], [0, 2, 3], [0, 1, 0]])
    spool = write(tmp_path / "counts", counts, block_documents=2)
    source = SpooledSource(spool, np.array([0.0, 0.5, 0.0]), left_out=np.array([5, 0]))
    assert sorted(order(batches(source))) == [1, 4]
    assert source.documents == 2
    source = SpooledSource(spool, left_out=np.array([5, 0]))
    assert sorted(order(batches(source))) == [1, 3, 4]


def test_places_in_an_epoch_are_spread(tmp_path: Path) -> None:
    """The mean place of a document over 400 epochs is the middle: by the exact variance of a
    uniform place, no document is off by more than 5 standard errors. And neighbours in the corpus
    are no neighbours in an epoch.
    """
    documents, epochs = 240, 400
    spool = write(
        tmp_path / "counts", checked_counts(np.ones((documents, 1), dtype=int)), block_documents=6
    )
    source = SpooledSource(spool, group=8)  # 40 blocks in 5 groups
    places, apart = np.zeros(documents), 0.0
    for epoch in range(epochs):
        place = np.argsort(order(batches(source, epoch=epoch, size=100)))
        places += place / epochs
        apart += float((np.abs(np.diff(place)) == 1).mean()) / epochs
    error = np.sqrt((documents**2 - 1) / 12 / epochs)
    assert np.abs(places - (documents - 1) / 2).max() < 5 * error
    assert (
        apart < 0.1
    )  # a block is scattered among the 48 documents of its group: 2 / 48 is what chance gives


def test_minibatches_mix_the_corpus(tmp_path: Path) -> None:
    spool = write(
        tmp_path / "counts", checked_counts(np.ones((4096, 1), dtype=int)), block_documents=16
    )
    for batch in batches(SpooledSource(spool, group=64), size=128):  # 256 blocks in 4 groups
        assert (
            len(set(batch.document_ids // 16)) > 40
        )  # 64 blocks, of which chance leaves some 8 out


@pytest.mark.parametrize("taken", [0, 1, 9])
def test_an_iterator_closed_early_leaves_nothing_open(spool: CountSpool, taken: int) -> None:
    def files() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    threads, opened = threading.active_count(), files()
    iterator: Any = SpooledSource(spool, group=3).batches(seed=0, epoch=0, batch_size=7)
    for _ in range(taken):
        next(iterator)
    iterator.close()
    assert (threading.active_count(), files()) == (threads, opened)
    assert not any(thread.name.startswith("undertow-spool") for thread in threading.enumerate())


def test_the_next_group_is_read_while_the_last_is_used(
    spool: CountSpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the first minibatch in hand, and nobody asking, a second read happens; a third one does
    not.
    """
    reads, second = [], threading.Event()
    original = SpooledSource._read

    def read(self: SpooledSource, *arguments: Any) -> Any:
        reads.append(threading.current_thread().name)
        if len(reads) == 2:
            second.set()
        return original(self, *arguments)

    monkeypatch.setattr(SpooledSource, "_read", read)
    iterator: Any = SpooledSource(spool, group=3).batches(seed=0, epoch=0, batch_size=2)
    next(iterator)
    assert second.wait(300)
    next(iterator)
    assert len(reads) == 2
    assert all(name.startswith("undertow-spool") for name in reads)
    iterator.close()


def test_memory_does_not_grow_with_the_documents(tmp_path: Path) -> None:
    """Peaks of what is allocated while writing, and while epochs pass: 4 groups, and 32 of them."""
    command = [sys.executable, "-m", "tests.spool.peaks", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    peaks = json.loads(done.stdout)
    for few, many in zip(peaks["4"], peaks["32"], strict=True):
        assert many < 1.25 * few
    assert max(peaks["4"]) < 2**20  # of what passes, and of no kernel that is loaded


def test_an_error_of_the_reader_reaches_the_caller(tmp_path: Path) -> None:
    spool = write(tmp_path / "counts", make_counts(), block_documents=10)
    source = SpooledSource(spool, group=2)
    (tmp_path / "counts" / "words.bin").write_bytes(b"")
    with pytest.raises(OSError, match=r"words\.bin"):
        batches(source)


def test_refusals(tmp_path: Path, spool: CountSpool) -> None:
    with pytest.raises(InvalidInput, match="word_weights must hold 20 numbers"):
        SpooledSource(spool, np.ones(3))
    with pytest.raises(InvalidInput, match="group must be a whole number of at least 1, got 0"):
        SpooledSource(spool, group=0)
    for name, counts in (("empty", np.zeros((3, 2))), ("none", np.zeros((0, 2)))):
        with pytest.raises(
            InvalidInput, match=f"a word of positive weight, got none in {len(counts)}"
        ):
            SpooledSource(write(tmp_path / name, checked_counts(counts)))
