"""The scan of small vectors against its oracle, and against the vectors that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.kernels.cpu.nearest import fuse, in_fours, products
from undertow.kernels.reference.nearest import cosines, fused
from undertow.search.folder import byte_vectors
from undertow.search.folder.byte_vectors import HIGHEST, LEFT_OUT, ByteVectors, telling
from undertow.vectors.joining import compared

EPS = float(np.finfo(np.float32).eps)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5000), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_the_kernel_multiplies(documents: int, units: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    small = generator.integers(0, 256, (units, documents), dtype=np.uint8)
    scales = generator.random(documents).astype(np.float32)
    vector = generator.random(units).astype(np.float32)
    out = np.full(documents, np.nan, dtype=np.float32)
    middle = documents // 3
    topics, weights = in_fours(np.arange(units), vector)
    for first, last in ((0, middle), (middle, documents)):
        products(first, last, small, topics, weights, scales, out)
    np.testing.assert_allclose(out, cosines(vector, small, scales), rtol=(units + 8) * EPS)


@pytest.mark.parametrize("by_kernel", [0, 10**9])
def test_bytes_are_near_the_vectors(by_kernel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_vectors, "BY_KERNEL", by_kernel)
    generator = np.random.default_rng(0)
    vectors = generator.gamma(0.2, 1.0, (300, 40)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = 0.0  # a document without a vector
    near = ByteVectors.of(
        np.arange(300, dtype=np.uint64), (40, 40), lambda rows: vectors[rows.astype(int)]
    )
    for vector in vectors[:5]:
        exact = vectors.astype(np.float64) @ vector
        # A byte is off by half a step at most, and topics passed over had no more than they may
        # have.
        bound = LEFT_OUT + 0.5 / HIGHEST * vectors.max(axis=1) * vector.sum() + 64 * EPS
        found = np.full(300, np.nan, dtype=np.float32)
        near.cosines(vector, found)
        assert (np.abs(found - exact) <= bound).all()


@pytest.mark.parametrize("by_kernel", [0, 10**9])
def test_joined_numbers_may_be_negative(by_kernel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_vectors, "BY_KERNEL", by_kernel)
    generator = np.random.default_rng(0)
    own, others = generator.gamma(0.2, 1.0, (300, 40)), generator.normal(size=(300, 30))
    own[7], others[8], own[9], others[9] = 0.0, 0.0, 0.0, 0.0  # documents without a side
    vectors = compared(own, others)
    near = ByteVectors.of(
        np.arange(300, dtype=np.uint64), (40, 70), lambda rows: vectors[rows.astype(int)]
    )
    for vector in vectors[:5]:
        exact = vectors.astype(np.float64) @ vector
        # Half a step of a byte, which is twice as large from the middle on; the largest number of
        # all may miss one.
        steps = np.abs(vector[:40]).sum() / 2 + np.abs(vector[40:]).sum() + np.abs(vector).max()
        bound = LEFT_OUT + steps / HIGHEST * np.abs(vectors).max(axis=1) + 512 * EPS
        found = np.full(300, np.nan, dtype=np.float32)
        near.cosines(vector, found)
        assert (np.abs(found - exact) <= bound).all()
        assert abs(found[9]) <= 512 * EPS


def test_words_and_cosines_are_fused() -> None:
    generator = np.random.default_rng(1)
    words, near = generator.random((2, 1000), dtype=np.float32)
    out = np.full(1000, np.nan, dtype=np.float32)
    for first, last in ((0, 300), (300, 1000)):
        fuse(first, last, words, 0.7, near, 1.3, out)
    np.testing.assert_allclose(out, fused(words, 0.7, near, 1.3), rtol=8 * EPS)


def test_topics_of_no_weight_are_passed_over() -> None:
    vector = np.array([0.9, 0.0005, 0.4, 0.001, 0.0], dtype=np.float32)
    assert telling(vector).tolist() == [0, 2]
    assert telling(np.array([0.001, 0.0015], dtype=np.float32)).tolist() == [1]
