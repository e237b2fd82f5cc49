"""Entries of the factored gradient: which there are, and how they are grouped."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from undertow.kernels.cpu import rows

WORDS = 5
WEIGHTS = np.array([1.0, 0.0, 2.5, 0.5, 4.0], dtype=np.float32)  # products with small counts are exact
entry_lists = st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(0, 20)), max_size=30)
made_up = settings(deadline=None, max_examples=80)


def _entries(room: int) -> rows.Entries:
    return rows.Entries(
        np.full(room, -7, dtype=np.int32), np.full(room, -7, dtype=np.int32), np.full(room, np.nan, dtype=np.float32)
    )


def _listed(entries: rows.Entries, count: int) -> list[tuple[int, int, float]]:
    return [
        (int(word), int(vector), float(coefficient))
        for word, vector, coefficient in zip(*(array[:count] for array in entries), strict=True)
    ]


@made_up
@given(made=entry_lists)
@example(made=[])
@example(made=[(3, 0), (1, 1), (3, 2), (3, 0)])
def test_grouping_is_that_of_a_dictionary(made: list[tuple[int, int]]) -> None:
    """Rows in the order of first occurrence, entries in their own order; the slots are clean afterwards."""
    count = len(made)
    entries = _entries(count + 3)
    for i, (word, vector) in enumerate(made):
        entries.words[i], entries.vectors[i], entries.coefficients[i] = word, vector, i
    slots = np.full(WORDS, -1, dtype=np.int32)
    grouped = rows.RowGradient(
        rows=np.full(count, -7, dtype=np.int32),
        starts=np.full(count + 1, -7, dtype=np.int64),
        vector_ids=np.full(count, -7, dtype=np.int32),
        coefficients=np.full(count, np.nan, dtype=np.float32),
        vectors=np.empty((0, 1), dtype=np.float32),
        scalars=np.empty(0, dtype=np.float32),
    )
    n_rows = rows.group_entries(entries, count, slots, grouped)
    expected: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for i, (word, vector) in enumerate(made):
        expected[word].append((vector, float(i)))
    assert (slots == -1).all()
    assert grouped.rows[:n_rows].tolist() == list(expected)
    for row, word in enumerate(expected):
        span = slice(grouped.starts[row], grouped.starts[row + 1])
        ours = list(zip(grouped.vector_ids[span].tolist(), grouped.coefficients[span].tolist(), strict=True))
        assert ours == expected[word]


@st.composite
def documents(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Starts, words, counts and kept counts of a few documents, some of them empty."""
    made = draw(st.lists(st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(1, 6)), max_size=4), max_size=4))
    starts = np.concatenate([[0], np.cumsum([len(document) for document in made])]).astype(np.int64)
    flat = [entry for document in made for entry in document]
    words = np.array([word for word, _ in flat], dtype=np.int32)
    counts = np.array([count for _, count in flat], dtype=np.int32)
    kept = np.array([draw(st.integers(0, count)) for _, count in flat], dtype=np.int32)
    return starts, words, counts, kept


@made_up
@given(made=documents())
def test_documents_bring_their_words(
    made: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
) -> None:
    starts, words, counts, _ = made
    entries = _entries(len(words) + 2)
    count = rows.document_entries(starts, words, counts, WEIGHTS, 100, entries, 2)
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    expected = [(int(k), 100 + int(d), float(WEIGHTS[k] * v)) for k, d, v in zip(words, owners, counts, strict=True)]
    assert _listed(entries, count)[2:] == expected


@made_up
@given(made=documents())
def test_split_documents_bring_replaced_and_kept_words(
    made: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
) -> None:
    """Replaced tokens point at vector d, kept ones at vector B + d; parts without a token bring nothing."""
    starts, words, counts, kept = made
    size = len(starts) - 1
    entries = _entries(2 * len(words))
    count = rows.split_entries(starts, words, counts, kept, WEIGHTS, entries)
    expected = []
    for d in range(size):
        for i in range(starts[d], starts[d + 1]):
            parts = ((d, counts[i] - kept[i]), (size + d, kept[i]))
            expected += [(int(words[i]), vector, float(WEIGHTS[words[i]] * n)) for vector, n in parts if n > 0]
    assert _listed(entries, count) == expected


@made_up
@given(made=st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(0, 3)), min_size=1, max_size=20))
def test_stream_brings_its_covered_positions(made: list[tuple[int, int]]) -> None:
    stream = np.array([word for word, _ in made], dtype=np.int32)
    covering = np.array([*(number for _, number in made), 0])
    entries = _entries(len(made) + 1)
    count = rows.stream_entries(stream, covering, WEIGHTS, 50, entries, 1)
    expected = [(word, 50 + i, float(WEIGHTS[word])) for i, (word, number) in enumerate(made) if number]
    assert _listed(entries, count)[1:] == expected
