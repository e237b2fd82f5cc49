"""Counts on disk: what goes in comes out, and blocks stay small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.counts import WordTotals, checked_counts
from undertow.spool import CountSpool, SpoolWriter


def make_counts(
    documents: int = 300, words: int = 20, seed: int = 0, largest: int = 5
) -> sparse.csr_array:
    """Short and long documents, some of them empty."""
    generator = np.random.default_rng(seed)
    counts = generator.integers(0, largest + 1, (documents, words)) * (
        generator.random((documents, words)) < generator.random((documents, 1))
    )
    counts[::11] = 0
    return checked_counts(counts)


def write(folder: Path, counts: sparse.csr_array, chunk: int = 37, **options: Any) -> CountSpool:
    writer = SpoolWriter(folder, counts.shape[1], **options)
    for first in range(0, counts.shape[0], chunk):
        writer.add(counts[first : first + chunk])
    return writer.close()


def dense(spool: CountSpool, blocks: Any) -> Any:
    read = spool.read(np.asarray(blocks, dtype=np.int64))
    shape = (len(read.ids), spool.vocabulary_size)
    return sparse.csr_array((read.counts, read.words, read.starts), shape=shape).toarray()


@settings(deadline=None, max_examples=30)
@given(
    documents=st.integers(1, 120),
    chunk=st.integers(1, 130),
    block_documents=st.integers(1, 40),
    block_entries=st.integers(1, 200),
)
def test_documents_come_back_whatever_the_chunks_and_blocks(
    tmp_path_factory: pytest.TempPathFactory,
    documents: int,
    chunk: int,
    block_documents: int,
    block_entries: int,
) -> None:
    counts = make_counts(documents, seed=documents)
    folder = tmp_path_factory.mktemp("spool") / "counts"
    spool = write(
        folder, counts, chunk, block_documents=block_documents, block_entries=block_entries
    )
    blocks = np.arange(spool.blocks)
    np.testing.assert_array_equal(dense(spool, blocks), counts.toarray())
    np.testing.assert_array_equal(spool.ids(blocks), np.arange(documents))
    np.testing.assert_array_equal(
        dense(spool, blocks[::-1]), counts.toarray()[spool.ids(blocks[::-1])]
    )
    for block in blocks:
        read = spool.read(np.array([block]))
        assert 1 <= len(read.ids) <= block_documents
        assert read.starts[-2] < block_entries  # full only with its last document
        assert (spool.block_of(read.ids) == block).all()


def test_totals_are_those_of_the_matrix(tmp_path: Path) -> None:
    counts = make_counts()
    spool, totals = write(tmp_path / "counts", counts), WordTotals.of(counts)
    assert (spool.documents, spool.vocabulary_size, spool.entries) == (300, 20, counts.nnz)
    assert spool.longest == counts.sum(axis=1).max()
    np.testing.assert_array_equal(spool.totals.tokens, counts.sum(axis=0))
    np.testing.assert_array_equal(
        spool.totals.document_frequencies, (counts.toarray() > 0).sum(axis=0)
    )
    np.testing.assert_array_equal(spool.totals.idf_weights(), totals.idf_weights())
    np.testing.assert_array_equal(spool.totals.word_distribution(), totals.word_distribution())


def test_small_counts_take_a_byte_and_large_ones_four(tmp_path: Path) -> None:
    small = write(tmp_path / "small", make_counts(largest=255))
    assert (tmp_path / "small" / "counts.bin").stat().st_size == small.entries
    writer = SpoolWriter(tmp_path / "large", 2)
    for rows in ([[1, 255]], [[3, 256]], [[2**31 - 1, 4]]):
        writer.add(checked_counts(rows))
    large = writer.close()
    assert dense(large, np.arange(large.blocks)).tolist() == [[1, 255], [3, 256], [2**31 - 1, 4]]
    assert (tmp_path / "large" / "counts.bin").stat().st_size == 4 * 6
    assert large.bytes_on_disk == sum(
        file.stat().st_size for file in (tmp_path / "large").iterdir()
    )


def test_a_spool_is_opened_again(tmp_path: Path) -> None:
    counts = make_counts()
    write(tmp_path / "counts", counts)
    again = CountSpool(tmp_path / "counts")
    np.testing.assert_array_equal(dense(again, np.arange(again.blocks)), counts.toarray())
    assert again.longest == counts.sum(axis=1).max()


def test_refusals(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path / "counts", 3)
    with pytest.raises(InvalidInput, match="counts must have 3 words, got 2"):
        writer.add(checked_counts([[1, 0]]))
    with pytest.raises(
        InvalidInput, match=r"folder must hold a finished spool of counts, got .*, which does not"
    ):
        CountSpool(tmp_path / "counts")
    with pytest.raises(FileExistsError):
        SpoolWriter(tmp_path / "counts", 3)
    spool = write(tmp_path / "cut", make_counts())
    (tmp_path / "cut" / "words.bin").write_bytes(b"\0" * 40)
    with pytest.raises(
        OSError, match=r"words\.bin must hold [\d,]+ numbers or more, but it ends before"
    ):
        spool.read(np.arange(spool.blocks))
    (tmp_path / "cut" / "spool.json").write_text('{"format": 99}')
    with pytest.raises(InvalidInput, match="must be a spool of format 1, got 99"):
        CountSpool(tmp_path / "cut")
