"""Which texts are kept while a corpus is read."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.topics.text_sample import LETTERS, TextSample, sampled_rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=8), st.integers(1, 60), st.booleans())
def test_the_same_rows_are_kept_for_any_chunks(chunks: list[int], most: int, named: bool) -> None:
    documents = sum(chunks)
    sample, first = TextSample(most), 0
    for size in chunks:
        rows = range(first, first + size)
        ids = pl.Series([f"id {row}" for row in rows], dtype=pl.String) if named else None
        sample.see(pl.Series([f"text {row}" for row in rows], dtype=pl.String), ids)
        first += size
    found = sample.close()
    expected = sampled_rows(documents, most).tolist()
    assert len(expected) == min(documents, most)
    assert found.rows.tolist() == expected
    assert found.texts == [f"text {row}" for row in expected]
    assert found.ids == [f"id {row}" if named else str(row) for row in expected]


def test_what_is_held_meanwhile_is_bounded() -> None:
    sample = TextSample(10)
    for first in range(0, 5000, 10):
        sample.see(pl.Series([str(row) for row in range(first, first + 10)]), None)
        assert len(sample._kept) <= 30
    np.testing.assert_array_equal(sample.close().rows, sampled_rows(5000, 10))


def test_only_the_beginning_of_a_text_is_kept() -> None:
    sample = TextSample()
    sample.see(pl.Series(["x" * 10_000]), None)
    assert sample.close().texts == ["x" * LETTERS]
