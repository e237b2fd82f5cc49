"""Sketches against their oracle, and against the overlaps that they estimate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from undertow.kernels.cpu.sketches import BINS, sketch
from undertow.kernels.reference import sketches as reference


def sketched(documents: list[list[int]]) -> NDArray[np.uint16]:
    """In two calls, as two threads would."""
    words = np.array([word for document in documents for word in document], dtype=np.uint32)
    starts = np.cumsum([0, *map(len, documents)])
    found = np.full((len(documents), BINS), 9, dtype=np.uint16)
    middle = len(documents) // 3
    for first, last in ((0, middle), (middle, len(documents))):
        sketch(first, last, words, starts, found)
    return found


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=8), max_size=4),
    st.integers(0, 150),
    st.integers(0, 99),
)
def test_sketches_are_those_of_the_oracle(
    documents: list[list[int]], longer: int, seed: int
) -> None:
    words = np.random.default_rng(seed).integers(0, 2**32, longer).tolist()
    every = [*documents, words, words * 2]
    np.testing.assert_array_equal(
        sketched(every), [reference.sketch(document) for document in every]
    )


@pytest.mark.parametrize("shingles", [1, 5, 30, 400])
@pytest.mark.parametrize("shared", [0.0, 0.5, 0.8, 0.95])
def test_sketches_agree_as_much_as_documents_overlap(shingles: int, shared: float) -> None:
    generator = np.random.default_rng([shingles, int(100 * shared)])
    pairs = 400
    common = round(shingles * shared)
    texts = generator.integers(0, 2**32, (pairs, shingles + 3)).tolist()
    others = generator.integers(0, 2**32, (pairs, shingles + 3)).tolist()
    changed = [
        text[: common + 3] + other[common + 3 :] for text, other in zip(texts, others, strict=True)
    ]
    overlap = reference.jaccard(texts[0], changed[0])
    assert overlap == common / (2 * shingles - common)
    agreeing = (sketched(texts) == sketched(changed)).mean(axis=1)
    # Five standard errors of the mean over the pairs, and what 16 bits agree by chance.
    error = (
        5 * max(float(agreeing.std()), 1e-9) / pairs**0.5 + 5 * (2.0**-16 / (pairs * BINS)) ** 0.5
    )
    assert agreeing.mean() == pytest.approx(overlap, abs=error)
    # No worse than so many independent numbers would be, for documents that fill the bins.
    if shingles == 400 and shared:
        assert agreeing.std() <= 1.2 * (overlap * (1 - overlap) / BINS) ** 0.5


def test_short_documents_are_told_apart() -> None:
    """A million titles of a word or two must not look alike: their few shingles fill all bins with
    numbers.
    """
    words = np.arange(30_000, dtype=np.uint32)
    found = np.empty((len(words), BINS), dtype=np.uint16)
    sketch(0, len(words), words, np.arange(len(words) + 1), found)
    assert len(np.unique(found, axis=0)) == len(words)
    assert len(np.unique(sketched([[5], [5, 5], [0, 5], [5, 0], [5, 5, 5], []]), axis=0)) == 6
