"""Entries of the factored gradient: which there are, what they sum to, and how they are grouped."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.rounding import UNIT
from undertow.engines.cpu.gradient import Slots
from undertow.kernels.cpu import partial_noise, pool, rows
from undertow.kernels.cpu.contrast import SplitDocuments
from undertow.kernels.cpu.shards import MinibatchCounts

WORDS = 5
WEIGHTS = np.array(
    [1.0, 0.0, 2.5, 0.5, 4.0], dtype=np.float32
)  # products with small counts are exact
entry_lists = st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(0, 20)), max_size=30)
made_up = settings(deadline=None, max_examples=80)


def _entries(size: int, starts: list[int] | None = None) -> rows.Entries:
    places = np.array(starts or [0, size])
    return rows.Entries(
        words=np.full(size, -7, dtype=np.int32),
        vectors=np.full(size, -7, dtype=np.int32),
        coefficients=np.full(size, np.nan, dtype=np.float32),
        starts=places,
        counts=np.zeros(len(places) - 1, dtype=np.int64),
    )


def _listed(entries: rows.Entries, first: int, last: int) -> list[tuple[int, int, float]]:
    arrays = (entries.words, entries.vectors, entries.coefficients)
    return [
        (int(word), int(vector), float(coefficient))
        for word, vector, coefficient in zip(*(array[first:last] for array in arrays), strict=True)
    ]


Shards = list[list[tuple[int, int]]]


def _in_shards(made: Shards) -> rows.Entries:
    """The words and vectors of each shard, numbered by their coefficients; between shards there is
    space to spare.
    """
    starts = np.concatenate([[1], 1 + np.cumsum([len(shard) + 2 for shard in made])]).astype(int)
    entries = _entries(int(starts[-1]) + 1, starts.tolist())
    number = 0
    for s, shard in enumerate(made):
        entries.counts[s] = len(shard)
        for i, (word, vector) in enumerate(shard, start=int(starts[s])):
            entries.words[i], entries.vectors[i], entries.coefficients[i] = word, vector, number
            number += 1
    return entries


def _empty(parts: int, size: int) -> tuple[NDArray[np.int32], rows.RowGradient]:
    """Scratch and space for the groups, full of what an earlier minibatch might have left."""
    return np.full((parts, size, 2), -7, dtype=np.int32), rows.RowGradient(
        sizes=np.full(parts, -7, dtype=np.int64),
        rows=np.full((parts, size), -7, dtype=np.int32),
        starts=np.full((parts, size + 1), -7, dtype=np.int64),
        vector_ids=np.full((parts, size), -7, dtype=np.int32),
        coefficients=np.full((parts, size), np.nan, dtype=np.float32),
        vectors=np.empty((0, 1), dtype=np.float32),
        scalars=np.empty(0, dtype=np.float32),
    )


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@made_up
@given(made=st.lists(st.lists(entry_lists, min_size=1, max_size=4), min_size=1, max_size=2))
@example(made=[[[]], [[], []]])
@example(made=[[[(3, 0), (1, 1), (3, 2), (3, 0)]]])
@example(made=[[[(3, 0), (1, 1)], [], [(1, 2), (3, 0), (2, 9)]], [[(0, 4)]]])
def test_grouping_is_that_of_a_dictionary(n_threads: int, made: list[Shards]) -> None:
    """Rows in the order of first occurrence, each in the part that its lowest bits name, and
    entries in their own order; the slots are clean afterwards, so that the next minibatch finds
    none of this one.
    """
    slots = Slots(WORDS).of(n_threads)
    parts = len(slots)
    found, grouped = _empty(parts, 2 + max(sum(map(len, shards)) for shards in made))
    for shards in made:
        pool.run_program(rows.group_entries, n_threads, _in_shards(shards), slots, found, grouped)
        expected: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for i, (word, vector) in enumerate(entry for shard in shards for entry in shard):
            expected[word].append((vector, float(i)))
        assert (slots == -1).all()
        for part in range(parts):
            words = [word for word in expected if word % parts == part]
            assert grouped.rows[part, : grouped.sizes[part]].tolist() == words
            assert grouped.starts[part, 0] == 0
            for row, word in enumerate(words):
                span = slice(grouped.starts[part, row], grouped.starts[part, row + 1])
                ids, coefficients = grouped.vector_ids[part, span], grouped.coefficients[part, span]
                assert list(zip(ids.tolist(), coefficients.tolist(), strict=True)) == expected[word]
        assert sorted(grouped.touched().tolist()) == sorted(expected)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 4, 5, 64])
def test_every_thread_has_a_part_and_every_word_a_slot(n_threads: int) -> None:
    for words in (1, 7, 8, 9, 1000):
        slots = Slots(words).of(n_threads)
        parts = len(slots)
        assert parts >= n_threads
        assert parts & (parts - 1) == 0  # a power of two
        assert parts * slots.shape[1] >= words
        assert (words - 1) // parts < slots.shape[1]
        assert (slots == -1).all()


class Made(NamedTuple):
    """A few documents, some of them empty, and how many tokens of each word are kept."""

    documents: MinibatchCounts
    kept: NDArray[np.int32]

    @property
    def size(self) -> int:
        """How many documents."""
        return len(self.documents.ids)


@st.composite
def documents(draw: st.DrawFn) -> Made:
    """Up to four documents."""
    made = draw(
        st.lists(
            st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(1, 6)), max_size=4),
            max_size=4,
        )
    )
    starts = np.concatenate([[0], np.cumsum([len(document) for document in made])]).astype(np.int64)
    flat = [entry for document in made for entry in document]
    words = np.array([word for word, _ in flat], dtype=np.int32)
    counts = np.array([count for _, count in flat], dtype=np.int32)
    kept = np.array([draw(st.integers(0, count)) for _, count in flat], dtype=np.int32)
    return Made(MinibatchCounts(np.arange(len(made)), starts, words, counts), kept)


@made_up
@given(made=documents(), share=st.floats(0.0, 1.0))
def test_documents_bring_their_words(made: Made, share: float) -> None:
    """Also a range of documents at a time, as shards do it."""
    _, starts, words, counts = made.documents
    entries = _entries(len(words) + 2)
    middle = int(share * made.size)
    end = 2
    for first, last in ((0, middle), (middle, made.size)):
        end = rows.document_entries(first, last, starts, words, counts, WEIGHTS, 100, entries, end)
    owners = np.repeat(np.arange(made.size), np.diff(starts))
    expected = [
        (int(k), 100 + int(d), float(WEIGHTS[k] * v))
        for k, d, v in zip(words, owners, counts, strict=True)
    ]
    assert _listed(entries, 2, end) == expected


def _expected_part(made: Made, d: int, *, kept: bool) -> list[tuple[int, int, float]]:
    """The entries of the kept or of the replaced tokens of a document: parts without a token bring
    nothing.
    """
    starts, words, counts = made.documents[1:]
    expected = []
    for i in range(starts[d], starts[d + 1]):
        tokens = made.kept[i] if kept else counts[i] - made.kept[i]
        if tokens > 0:
            expected.append(
                (int(words[i]), made.size * kept + d, float(WEIGHTS[words[i]] * tokens))
            )
    return expected


@made_up
@given(made=documents(), share=st.floats(0.0, 1.0))
def test_split_documents_bring_replaced_and_kept_words(made: Made, share: float) -> None:
    """Document by document the replaced tokens, which point at vector d, then the kept ones, at
    vector B + d.
    """
    middle = int(share * made.size)
    entries, spans = _entries(2 * len(made.kept) + 3), np.full((made.size, 3), -7, dtype=np.int64)
    arguments = (made.documents, made.kept, WEIGHTS, spans, entries)
    border = rows.split_entries(0, middle, *arguments, 1)
    end = rows.split_entries(middle, made.size, *arguments, border + 1)
    for d in range(made.size):
        begin, between, after = spans[d].tolist()
        assert begin == (
            spans[d - 1, 2] if d not in (0, middle) else border + 1 if d == middle else 1
        )
        assert _listed(entries, begin, between) == _expected_part(made, d, kept=False)
        assert _listed(entries, between, after) == _expected_part(made, d, kept=True)
    if made.size > middle:
        assert end == spans[-1, 2]
    if middle:
        assert border == spans[middle - 1, 2]


@made_up
@given(made=documents(), units=st.sampled_from([1, 3, 33, 130]), seed=st.integers(0, 2**32 - 1))
def test_parts_are_summed_apart(made: Made, units: int, seed: int) -> None:
    """W.u of at most n entries has n additions and a rounding each; coefficients and lengths are
    exact here.
    """
    weights = np.random.default_rng(seed).normal(0.0, 2.0, (WORDS, units)).astype(np.float32)
    entries, spans = _entries(2 * len(made.kept)), np.full((made.size, 3), -7, dtype=np.int64)
    end = rows.split_entries(0, made.size, made.documents, made.kept, WEIGHTS, spans, entries, 0)
    inputs, numbers = (
        np.full((2, made.size, units), np.nan, dtype=np.float32),
        np.full((4, made.size), np.nan),
    )
    split = SplitDocuments(spans, *inputs, *numbers)
    partial_noise.sum_parts(0, made.size, weights, entries, end, split)
    for d in range(made.size):
        for kept, ours, length in (
            (False, split.rest_inputs[d], split.rest_lengths[d]),
            (True, split.kept_inputs[d], split.kept_lengths[d]),
        ):
            part = _expected_part(made, d, kept=kept)
            terms = [
                coefficient * weights[word].astype(np.float64) for word, _, coefficient in part
            ]
            exact, magnitudes = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
            assert (np.abs(ours - exact) <= (len(terms) + 1) * UNIT * magnitudes).all()
            assert length == sum(coefficient for _, _, coefficient in part)


@made_up
@given(
    made=st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(0, 3)), min_size=1, max_size=20)
)
def test_stream_brings_its_covered_positions(made: list[tuple[int, int]]) -> None:
    stream = np.array([word for word, _ in made], dtype=np.int32)
    covering = np.array([*(number for _, number in made), 0], dtype=np.int32)
    entries = _entries(len(made) + 1)
    end = rows.stream_entries(stream, covering, WEIGHTS, 50, entries, 1)
    expected = [
        (word, 50 + i, float(WEIGHTS[word])) for i, (word, number) in enumerate(made) if number
    ]
    assert _listed(entries, 1, end) == expected
