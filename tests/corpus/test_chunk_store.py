"""Counts that wait for the vocabulary: in memory or on disk, they come back the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from undertow.corpus import Vectorizer
from undertow.corpus.chunk_store import ChunkStore
from undertow.corpus.count_matrices import stacked
from undertow.files.scratch import Scratch

TEXTS = ["der Öl-Tank öl", "a cat sat on the cat", "", "cats sat", "!", "x" * 300 + " cat"] * 5


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize("at_most", [0, 500, 10**9])
def test_the_counts_are_those_of_memory(
    tmp_path: Path, ngrams: tuple[int, int], at_most: int
) -> None:
    """With 3 documents a chunk, 500 bytes are reached on the way."""
    whole = Vectorizer(12, ngram_range=ngrams, chunk_size=3).fit_transform(TEXTS)
    vectorizer = Vectorizer(12, ngram_range=ngrams, chunk_size=3)
    with Scratch(tmp_path) as scratch:
        chunks = vectorizer.fit_chunks(TEXTS, kept=ChunkStore(at_most, scratch))
        assert scratch.used == (at_most < 10**9)
        found = stacked(chunks, len(vectorizer.vocabulary_))
        assert (
            not scratch.used or list(scratch.folder.iterdir()) == []
        )  # files are gone when they have been read
    np.testing.assert_array_equal(found.toarray(), whole.toarray())


def test_no_more_is_held_than_allowed(tmp_path: Path) -> None:
    """Twelve chunks of about 130 bytes, of which two fit."""
    texts = [f"word{number} " * 5 for number in range(12) for _ in range(20)]
    held: list[int] = []
    with Scratch(tmp_path) as scratch:
        kept = ChunkStore(300, scratch)

        def watch(_: int) -> None:
            held.append(sum(part.nbytes for chunk in kept._held for part in chunk))

        chunks = Vectorizer(chunk_size=20).fit_chunks(texts, kept=kept, watch=watch)
        assert len(list(scratch.folder.iterdir())) == 2 * 12
        assert 100 < max(held) <= 300
        assert held[3:] == [0] * 9
        assert sum(chunk.sum() for chunk in chunks) == 12 * 20 * 5


def test_readers_are_told_how_far_it_is() -> None:
    told: list[int] = []
    list(Vectorizer(chunk_size=7).fit_chunks(TEXTS, watch=told.append))
    assert told == [7, 7, 7, 7, 2]
    told.clear()
    list(Vectorizer(vocabulary=["cat"], chunk_size=20).fit_chunks(TEXTS, watch=told.append))
    assert told == [20, 10]
