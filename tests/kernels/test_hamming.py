"""The scan of codes against its oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.kernels.reference.hamming import nearest_codes
from undertow.search.ranking.codes import CodesInMemory, packed_words


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 300),
    st.integers(1, 20),
    st.integers(1, 320),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_the_scan_finds_the_nearest_codes(
    documents: int, width: int, n: int, filtered: bool, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    few = generator.integers(
        0, 256, (4, width), dtype=np.uint8
    )  # drawn from again and again, so that there are ties
    codes = few[generator.integers(0, 4, documents)] ^ (
        generator.random((documents, width)) < 0.1
    ).astype(np.uint8)
    code = generator.integers(0, 256, width, dtype=np.uint8)
    rows = np.sort(generator.choice(10**6, documents, replace=False)).astype(np.uint64)
    allowed = generator.random(documents) < 0.5 if filtered else None
    others = np.setdiff1d(
        np.arange(50, dtype=np.uint64), rows
    )  # rows that match a filter, but have no code
    wanted = None if allowed is None else np.sort(np.concatenate([rows[allowed], others]))
    found, shares = CodesInMemory(rows, packed_words(codes)).nearest(code, 8 * width, n, wanted)
    expected, distances = nearest_codes(codes, code, n, allowed)
    np.testing.assert_array_equal(found, rows[expected])
    np.testing.assert_allclose(shares, 1 - distances / (8 * width))


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 256, (5000, 16), dtype=np.uint8)
    held = CodesInMemory(np.arange(5000, dtype=np.uint64), packed_words(codes))
    one = held.nearest(codes[7], 128, 50, None)
    monkeypatch.setattr("undertow.search.ranking.codes.LEAST", 16)
    many = held.nearest(codes[7], 128, 50, None)
    np.testing.assert_array_equal(one[0], many[0])
    assert one[0][0] == 7
    assert one[1][0] == 1.0
