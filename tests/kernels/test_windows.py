"""Prefix sums, what covers a position, and the sweep back, against sums written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracles.rounding import UNIT
from undertow.kernels.cpu import windows

made_up = settings(deadline=None, max_examples=80)


@dataclass(frozen=True)
class Windows:
    """Windows [begin, end) of a stream of `length` positions."""

    length: int
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def covers(self, position: int) -> NDArray[np.bool_]:
        """Which windows cover a position."""
        return (self.begins <= position) & (position < self.ends)

    def covering(self) -> list[int]:
        """How many windows cover each position, and 0 at the end of the stream."""
        return [int(self.covers(position).sum()) for position in range(self.length + 1)]


def _make(length: int, pairs: list[tuple[int, int]]) -> Windows:
    ordered = np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
    return Windows(length, np.ascontiguousarray(ordered[:, 0]), np.ascontiguousarray(ordered[:, 1]))


@st.composite
def made_windows(draw: st.DrawFn) -> Windows:
    """Any windows, also empty ones, the whole stream, none, and several at one place."""
    length = draw(st.integers(1, 12))
    place = st.integers(0, length)
    return _make(length, draw(st.lists(st.tuples(place, place), max_size=10)))


GAPS = _make(9, [(1, 3), (1, 3), (2, 4), (6, 8)])  # positions 0, 4, 5 and 8 are in no window


@made_up
@given(
    made=made_windows(),
    first_row=st.sampled_from([0, 1, 1000]),
    shape=st.sampled_from([(1, -1), (-1, 1)]),
)
@example(made=GAPS, first_row=17, shape=(2, 2))
def test_cover_counts_the_windows(made: Windows, first_row: int, shape: tuple[int, int]) -> None:
    """Windows of one document or of several; a shard's windows lie in its own rows of the table."""
    if not made.begins.size:
        shape = (0, 3)
    begins, ends = (first_row + borders.reshape(shape) for borders in (made.begins, made.ends))
    covering = np.full(made.length + 1, -7, dtype=np.int32)
    windows.cover(begins, ends, first_row, covering)
    assert covering.tolist() == made.covering()


def _changes(made: Windows, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Every window's vector, added at its end and taken away at its beginning."""
    changes = np.zeros((made.length + 1, vectors.shape[1]), dtype=np.float32)
    for begin, end, vector in zip(made.begins, made.ends, vectors, strict=True):
        changes[end] += vector
        changes[begin] -= vector
    return changes


@made_up
@given(
    made=made_windows(), units=st.sampled_from([1, 63, 64, 65, 130]), seed=st.integers(0, 2**32 - 1)
)
@example(made=GAPS, units=65, seed=0)
def test_sweep_sums_the_windows_over_each_position(made: Windows, units: int, seed: int) -> None:
    """Positions in no window are exactly zero.

    n windows bring 2n changes. Adding them up rounds at most 2n times, to partial sums of at most
    the magnitudes that passed, and the sweep 2n times again, to at most twice that: additions of
    zero are exact.
    """
    vectors = (
        np.random.default_rng(seed).normal(0.0, 10.0, (len(made.begins), units)).astype(np.float32)
    )
    out = _changes(made, vectors)
    windows.sweep(np.array(made.covering(), dtype=np.int32), out)
    bound = 2 * len(vectors) * 3 * UNIT * 1.001 * np.abs(vectors).astype(np.float64).sum(axis=0)
    for position in range(made.length + 1):
        covering = made.covers(position)
        exact = vectors[covering].astype(np.float64).sum(axis=0)
        assert (np.abs(out[position] - exact) <= bound).all()
        if not covering.any():
            assert (out[position] == 0.0).all()


def test_rounding_does_not_go_on_from_gap_to_gap() -> None:
    """What a large vector leaves behind when it is taken away would be far larger than the small
    ones before it.
    """
    made = _make(9, [(6, 8), (5, 7), (1, 3)])
    vectors = np.array([[1e7], [0.3], [1e-6]], dtype=np.float32)
    out = _changes(made, vectors)
    windows.sweep(np.array(made.covering(), dtype=np.int32), out)
    assert out[1:3].ravel().tolist() == [vectors[2, 0]] * 2


streams = st.lists(st.integers(0, 4), min_size=0, max_size=30)


@made_up
@given(stream=streams, units=st.sampled_from([1, 63, 64, 65, 130]), seed=st.integers(0, 2**32 - 1))
def test_prefix_rows_sum_weighted_rows(stream: list[int], units: int, seed: int) -> None:
    """With a weight of zero, and in a table with room to spare; n additions and two roundings a
    term.
    """
    generator = np.random.default_rng(seed)
    weights = generator.normal(0.0, 3.0, (5, units)).astype(np.float32)
    word_weights = np.array([1.0, 0.0, 2.7, 0.3, 1.0], dtype=np.float32)
    prefix = np.full((len(stream) + 3, units), np.nan, dtype=np.float32)
    windows.prefix_rows(np.array(stream, dtype=np.int32), weights, word_weights, prefix)
    terms = (word_weights[:, None].astype(np.float64) * weights)[stream].reshape(-1, units)
    exact = np.concatenate([np.zeros((1, units)), np.cumsum(terms, axis=0)])
    bound = (len(stream) + 3) * UNIT * np.abs(terms).sum(axis=0)
    assert (np.abs(prefix[:-2] - exact) <= bound).all()
    assert (prefix[0] == 0.0).all()
    assert np.isnan(prefix[-2:]).all()


@made_up
@given(stream=streams)
def test_prefix_scalars_sum_values(stream: list[int]) -> None:
    """In float64, one after the other, so to the bit."""
    values = np.array([0.1, 0.0, 2.7, -0.3, 1e-9])
    prefix = np.full(len(stream) + 1, np.nan)
    windows.prefix_scalars(np.array(stream, dtype=np.int32), values, prefix)
    assert prefix.tolist() == [0.0, *np.cumsum(values[stream])]


@pytest.mark.parametrize("units", [1, 64, 130])
def test_units_alone_give_the_same_bits_as_together(units: int) -> None:
    """What a unit sums up does not depend on the units beside it."""
    generator = np.random.default_rng(0)
    weights = generator.normal(size=(5, 130)).astype(np.float32)
    stream, word_weights = (
        generator.integers(0, 5, 40).astype(np.int32),
        np.full(5, 0.7, dtype=np.float32),
    )
    together, alone = np.empty((41, 130), dtype=np.float32), np.empty((41, units), dtype=np.float32)
    windows.prefix_rows(stream, weights, word_weights, together)
    windows.prefix_rows(stream, np.ascontiguousarray(weights[:, :units]), word_weights, alone)
    np.testing.assert_array_equal(together[:, :units], alone)
