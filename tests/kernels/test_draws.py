"""The compiled draws of a minibatch against the oracle's, token by token: the same numbers to the
bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.kernels.cpu import partial_noise
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.reference import draws

P = np.array([0.5, 0.2, 0.2, 0.07, 0.03])
TABLE = build_alias_table(P)
IDS = np.array([8, 3, 2**31, 0])
made_up = settings(deadline=None, max_examples=50)
seeds, epochs = st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1)


@made_up
@given(
    counts=st.lists(st.lists(st.integers(1, 70), min_size=1, max_size=4), min_size=1, max_size=5),
    level=st.floats(0.0, 0.999),
)
def test_token_counts(counts: list[list[int]], level: float) -> None:
    size = len(counts)
    starts = np.concatenate([[0], np.cumsum([len(document) for document in counts])])
    flat = np.array([count for document in counts for count in document], dtype=np.int32)
    levels = level + 0.0005 * np.arange(size) / size  # a level of each document's own
    tokens, to_keep, replaced = (np.full(size, -1) for _ in range(3))
    partial_noise.count_tokens(starts, flat, levels, tokens, to_keep, replaced)
    assert tokens.tolist() == [sum(document) for document in counts]
    assert to_keep.tolist() == draws.kept_tokens(tokens, levels).tolist()
    assert replaced.tolist() == (tokens - to_keep).tolist()


def _in_parts(kernel: Any, items: int, *arguments: Any) -> None:
    """A range in three calls: where a range begins does not change what is drawn."""
    borders = [0, items // 3, items // 2, items]
    for first, last in pairwise(borders):
        kernel(first, last, *arguments)


@made_up
@given(
    seed=seeds,
    epoch=epochs,
    counts=st.lists(st.integers(1, 7), min_size=1, max_size=5),
    data=st.data(),
)
def test_kept_tokens(seed: int, epoch: int, counts: list[int], data: st.DataObject) -> None:
    to_keep = data.draw(st.integers(0, sum(counts)))
    size, entries = len(IDS), len(counts)
    kept = np.full((size, entries), -1, dtype=np.int32)
    shape = (np.arange(size + 1) * entries, np.tile(np.array(counts, dtype=np.int32), size))
    numbers = (np.full(size, sum(counts)), np.full(size, to_keep))
    _in_parts(partial_noise.keep_tokens, size, seed, epoch, IDS, *shape, *numbers, kept.ravel())
    for d, document in enumerate(IDS.tolist()):
        assert (
            kept[d].tolist()
            == draws.kept_counts(seed, epoch, document, np.array(counts), to_keep).tolist()
        )


@made_up
@given(seed=seeds, epoch=epochs, level=st.floats(0.0, 0.5), width=st.floats(0.0, 0.5))
def test_noise_levels(seed: int, epoch: int, level: float, width: float) -> None:
    levels = np.full(len(IDS), np.nan)
    partial_noise.draw_levels(seed, epoch, IDS, level, level + width, levels)
    expected = draws.noise_levels(seed, epoch, IDS.tolist(), level, level + width)
    # One product and one sum, perhaps fused. The compiler may multiply the width by 2^-53 first,
    # which leaves a width of almost nothing no digits: at most half of the smallest number,
    # 2^-1074, times 2^53 is lost.
    np.testing.assert_allclose(levels, expected, rtol=2.0**-51, atol=2.0**-1022)


@made_up
@given(
    seed=seeds,
    epoch=epochs,
    length=st.integers(1, 200),
    batch=st.integers(0, 1000),
    shard=st.integers(0, 99),
)
def test_stream(seed: int, epoch: int, length: int, batch: int, shard: int) -> None:
    """Shorter and longer than the words that are drawn at a time; nothing is written past the
    end.
    """
    longer = np.full(length + 1, -1, dtype=np.int32)
    partial_noise.draw_stream(seed, epoch, batch, shard, TABLE, longer[:-1])
    assert longer.tolist() == [*draws.stream(seed, epoch, batch, shard, TABLE, length), -1]


@made_up
@given(
    seed=seeds,
    epoch=epochs,
    replaced=st.integers(1, 20),
    n_noise=st.integers(1, 9),
    first_row=st.integers(0, 99),
)
def test_windows(seed: int, epoch: int, replaced: int, n_noise: int, first_row: int) -> None:
    """A stream of as many words as there are positions shows where each window lies."""
    length = 20
    begins, ends = np.full((len(IDS), n_noise), -1), np.full((len(IDS), n_noise), -1)
    places = (IDS, np.full(len(IDS), replaced), length, first_row, begins, ends)
    _in_parts(partial_noise.draw_windows, len(IDS), seed, epoch, *places)
    for d, document in enumerate(IDS.tolist()):
        covered = draws.window_noise(
            seed, epoch, document, list(range(length)), replaced, n_noise, length
        )
        for j in range(n_noise):
            assert np.flatnonzero(covered[j]).tolist() == list(
                range(begins[d, j] - first_row, ends[d, j] - first_row)
            )


@made_up
@given(seed=seeds, epoch=epochs, replaced=st.integers(1, 9), n_noise=st.integers(1, 5))
def test_independent_noise(seed: int, epoch: int, replaced: int, n_noise: int) -> None:
    size = len(IDS)
    noise = np.full((size, n_noise, replaced), -1, dtype=np.int32)
    documents = (
        IDS,
        np.full(size, replaced),
        np.arange(size * n_noise + 1) * replaced,
        n_noise,
        TABLE,
    )
    _in_parts(partial_noise.draw_independent, size, seed, epoch, *documents, noise.reshape(-1))
    for d, document in enumerate(IDS.tolist()):
        expected = draws.independent_noise(seed, epoch, document, TABLE, replaced, n_noise)
        counted = [np.bincount(noise[d, j], minlength=len(P)).tolist() for j in range(n_noise)]
        assert counted == expected.tolist()
