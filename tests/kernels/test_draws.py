"""The compiled draws of a minibatch against the oracle's, token by token: the same numbers to the bit."""

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


def _in_parts(kernel: Any, items: int, *arguments: Any) -> None:
    """A range in three calls: where a range begins does not change what is drawn."""
    borders = [0, items // 3, items // 2, items]
    for first, last in pairwise(borders):
        kernel(first, last, *arguments)


@made_up
@given(seed=seeds, epoch=epochs, counts=st.lists(st.integers(1, 7), min_size=1, max_size=5), data=st.data())
def test_kept_tokens(seed: int, epoch: int, counts: list[int], data: st.DataObject) -> None:
    to_keep = data.draw(st.integers(0, sum(counts)))
    size, entries = len(IDS), len(counts)
    kept = np.full((size, entries), -1, dtype=np.int32)
    shape = (np.arange(size + 1) * entries, np.tile(np.array(counts, dtype=np.int32), size))
    numbers = (np.full(size, sum(counts)), np.full(size, to_keep))
    _in_parts(partial_noise.keep_tokens, size, seed, epoch, IDS, *shape, *numbers, kept.ravel())
    for d, document in enumerate(IDS.tolist()):
        assert kept[d].tolist() == draws.kept_counts(seed, epoch, document, np.array(counts), to_keep).tolist()


@made_up
@given(seed=seeds, epoch=epochs, level=st.floats(0.0, 0.5), width=st.floats(0.0, 0.5))
def test_noise_levels(seed: int, epoch: int, level: float, width: float) -> None:
    levels = np.full(len(IDS), np.nan)
    partial_noise.draw_levels(seed, epoch, IDS, level, level + width, levels)
    expected = draws.noise_levels(seed, epoch, IDS.tolist(), level, level + width)
    np.testing.assert_allclose(levels, expected, rtol=2.0**-51)  # one product and one sum, perhaps fused


@made_up
@given(seed=seeds, epoch=epochs, length=st.integers(1, 40), batch=st.integers(0, 1000))
def test_stream(seed: int, epoch: int, length: int, batch: int) -> None:
    stream = np.full(length, -1, dtype=np.int32)
    _in_parts(partial_noise.draw_stream, (length + 1) // 2, seed, epoch, batch, TABLE, stream)
    assert stream.tolist() == draws.stream(seed, epoch, batch, TABLE, length)


@made_up
@given(seed=seeds, epoch=epochs, replaced=st.integers(1, 20), n_noise=st.integers(1, 9))
def test_windows(seed: int, epoch: int, replaced: int, n_noise: int) -> None:
    """A stream of as many words as there are positions shows where each window lies."""
    length = 20
    begins, ends = np.full((len(IDS), n_noise), -1), np.full((len(IDS), n_noise), -1)
    places = (IDS, np.full(len(IDS), replaced), length, begins, ends)
    _in_parts(partial_noise.draw_windows, len(IDS), seed, epoch, *places)
    for d, document in enumerate(IDS.tolist()):
        covered = draws.window_noise(seed, epoch, document, list(range(length)), replaced, n_noise, length)
        for j in range(n_noise):
            assert np.flatnonzero(covered[j]).tolist() == list(range(begins[d, j], ends[d, j]))


@made_up
@given(seed=seeds, epoch=epochs, replaced=st.integers(1, 9), n_noise=st.integers(1, 5))
def test_independent_noise(seed: int, epoch: int, replaced: int, n_noise: int) -> None:
    size, total = len(IDS), replaced * n_noise
    noise = np.full((size, n_noise, replaced), -1, dtype=np.int32)
    documents = (IDS, np.full(size, replaced), np.arange(size) * total, n_noise, TABLE)
    _in_parts(partial_noise.draw_independent, size, seed, epoch, *documents, noise.reshape(-1))
    for d, document in enumerate(IDS.tolist()):
        expected = draws.independent_noise(seed, epoch, document, TABLE, replaced, n_noise)
        counted = [np.bincount(noise[d, j], minlength=len(P)).tolist() for j in range(n_noise)]
        assert counted == expected.tolist()
