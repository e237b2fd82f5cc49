"""Prefix sums, the order of windows, and the sweep back, against sums written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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


def _order(keys: NDArray[np.int64], length: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets, order = np.full(length + 2, -7, dtype=np.int64), np.full(len(keys), -7, dtype=np.int32)
    windows.sort_windows(keys, offsets, order)
    return offsets, order


@made_up
@given(made=made_windows())
@example(made=GAPS)
def test_windows_are_sorted_by_position(made: Windows) -> None:
    for keys in (made.begins, made.ends):
        offsets, order = _order(keys, made.length)
        assert order.tolist() == np.argsort(keys, kind="stable").tolist()
        for position in range(made.length + 1):
            here = order[offsets[position] : offsets[position + 1]]
            assert here.tolist() == np.flatnonzero(keys == position).tolist()


@made_up
@given(made=made_windows())
@example(made=GAPS)
def test_cover_counts_the_windows(made: Windows) -> None:
    covering = np.full(made.length + 1, -7, dtype=np.int64)
    windows.cover(made.begins, made.ends, covering)
    assert covering.tolist() == [int(made.covers(position).sum()) for position in range(made.length + 1)]


@made_up
@given(made=made_windows(), units=st.sampled_from([1, 63, 64, 65, 130]), seed=st.integers(0, 2**32 - 1))
@example(made=GAPS, units=65, seed=0)
def test_sweep_sums_the_windows_over_each_position(made: Windows, units: int, seed: int) -> None:
    """Vectors are handed over in the order of the windows' beginnings; positions in no window are exactly zero.

    A sum that went through n additions and subtractions is off by at most 2 n UNIT times the magnitudes that passed.
    """
    vectors = np.random.default_rng(seed).normal(0.0, 10.0, (len(made.begins), units)).astype(np.float32)
    begin_offsets, by_begin = _order(made.begins, made.length)
    end_offsets, by_end = _order(made.ends, made.length)
    places = np.full(len(by_begin), -7, dtype=np.int32)
    windows.place_windows(by_begin, by_end, places)
    assert places[by_begin].tolist() == list(range(len(places)))
    out = np.full((made.length, units), np.nan, dtype=np.float32)
    blocks = -(-units // windows.COLUMNS)
    windows.sweep_rows(0, blocks, vectors[by_begin], begin_offsets, end_offsets, by_end, out)
    bound = 2 * len(vectors) * UNIT * 2 * np.abs(vectors).astype(np.float64).sum(axis=0)
    for position in range(made.length):
        covering = made.covers(position)
        exact = vectors[covering].astype(np.float64).sum(axis=0)
        assert (np.abs(out[position] - exact) <= bound).all()
        if not covering.any():
            assert (out[position] == 0.0).all()


streams = st.lists(st.integers(0, 4), min_size=1, max_size=30)


@made_up
@given(stream=streams, units=st.sampled_from([1, 63, 64, 65, 130]), seed=st.integers(0, 2**32 - 1))
def test_prefix_rows_sum_weighted_rows(stream: list[int], units: int, seed: int) -> None:
    """Each block of units alone, and a weight of zero; n additions and two roundings a term."""
    generator = np.random.default_rng(seed)
    weights = generator.normal(0.0, 3.0, (5, units)).astype(np.float32)
    word_weights = np.array([1.0, 0.0, 2.7, 0.3, 1.0], dtype=np.float32)
    prefix = np.full((len(stream) + 1, units), np.nan, dtype=np.float32)
    for block in range(-(-units // windows.COLUMNS)):
        windows.prefix_rows(block, block + 1, np.array(stream, dtype=np.int32), weights, word_weights, prefix)
    terms = (word_weights[:, None].astype(np.float64) * weights)[stream]
    exact = np.concatenate([np.zeros((1, units)), np.cumsum(terms, axis=0)])
    bound = (len(stream) + 3) * UNIT * np.abs(terms).sum(axis=0)
    assert (np.abs(prefix - exact) <= bound).all()
    assert (prefix[0] == 0.0).all()


@made_up
@given(stream=streams)
def test_prefix_scalars_sum_values(stream: list[int]) -> None:
    """In float64, one after the other, so to the bit."""
    values = np.array([0.1, 0.0, 2.7, -0.3, 1e-9])
    prefix = np.full(len(stream) + 1, np.nan)
    windows.prefix_scalars(np.array(stream, dtype=np.int32), values, prefix)
    assert prefix.tolist() == [0.0, *np.cumsum(values[stream])]


def test_blocks_alone_give_the_same_bits_as_together() -> None:
    generator = np.random.default_rng(0)
    weights = generator.normal(size=(5, 130)).astype(np.float32)
    stream, word_weights = generator.integers(0, 5, 40).astype(np.int32), np.ones(5, dtype=np.float32)
    together, alone = np.empty((41, 130), dtype=np.float32), np.empty((41, 130), dtype=np.float32)
    windows.prefix_rows(0, 3, stream, weights, word_weights, together)
    for block in (2, 0, 1):
        windows.prefix_rows(block, block + 1, stream, weights, word_weights, alone)
    np.testing.assert_array_equal(together, alone)
