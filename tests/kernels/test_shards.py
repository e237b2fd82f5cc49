"""How a minibatch is laid out: which rows of the noise table and which entries belong to each
shard.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracles.engine import NO_PRESSURE, PLACE, Case, make_case
from undertow.engines.cpu.minibatch import Layout, new_layout
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.shards import MinibatchCounts, lay_out
from undertow.kernels.randomness import SHARD
from undertow.learn import AlphaNCE

Noise = Literal["windows", "independent"]
LEAST, N_NOISE, LEVEL = 24, 3, 0.3
LONG = 200  # tokens of a document whose window does not fit twice into a stream of LEAST words

sizes = pytest.mark.parametrize("documents", [1, 31, 32, 33, 64, 70])
noises = pytest.mark.parametrize("noise", ["windows", "independent"])
longest = pytest.mark.parametrize(
    "place", [None, 0, -1], ids=["all short", "the first is long", "the last is long"]
)


@dataclass(frozen=True)
class Laid:
    """A minibatch as it was laid out."""

    documents: MinibatchCounts
    layout: Layout
    largest: int

    def shards(self) -> list[tuple[int, int]]:
        """The documents of each shard."""
        borders = [*range(0, len(self.documents.ids), SHARD), len(self.documents.ids)]
        return list(pairwise(borders))

    def replaced(self) -> NDArray[np.int64]:
        """D - D_r of every document, from the definition."""
        totals = np.add.reduceat(self.documents.counts, self.documents.starts[:-1])
        replaced: NDArray[np.int64] = totals - np.minimum(
            np.ceil(LEVEL * totals - 1e-9).astype(np.int64), totals - 1
        )
        return replaced


def _case(documents: int, place: int | None) -> Case:
    case = make_case(documents=documents, most_tokens=9)
    if place is not None:
        case.counts[place] *= 0
        case.counts[place, :2] = LONG // 2
    return case


def _lay_out(documents: int, noise: Noise, place: int | None) -> Laid:
    case = _case(documents, place)
    batch = case.batch()
    made = MinibatchCounts(batch.document_ids, batch.starts, batch.words, batch.counts)
    layout = new_layout(
        documents, N_NOISE, build_alias_table(case.p), independent=noise == "independent"
    )
    layout.kept.levels[:] = LEVEL
    for array in (
        *layout.kept[1:4],
        layout.stream.row_starts,
        layout.stream.noise_starts,
        layout.entry_starts,
    ):
        array[:] = -7
    return Laid(made, layout, lay_out(made, *layout, LEAST, N_NOISE))


@longest
@noises
@sizes
def test_tokens_are_counted(documents: int, noise: Noise, place: int | None) -> None:
    laid = _lay_out(documents, noise, place)
    kept = laid.layout.kept
    totals = np.add.reduceat(laid.documents.counts, laid.documents.starts[:-1])
    np.testing.assert_array_equal(kept.tokens, totals)
    np.testing.assert_array_equal(kept.replaced, laid.replaced())
    np.testing.assert_array_equal(kept.to_keep, totals - laid.replaced())


@longest
@sizes
def test_a_shard_of_windows_has_a_row_for_every_place_of_its_stream(
    documents: int, place: int | None
) -> None:
    """Its own longest window fits twice into its stream; a long document elsewhere changes
    nothing.
    """
    laid = _lay_out(documents, "windows", place)
    replaced = laid.replaced()
    lengths = [max(LEAST, 2 * int(replaced[first:last].max())) for first, last in laid.shards()]
    assert np.diff(laid.layout.stream.row_starts).tolist() == [length + 1 for length in lengths]
    assert laid.layout.stream.row_starts[0] == 0
    assert laid.largest == max(lengths) + 1
    assert (max(lengths) > LEAST) == (place is not None)
    assert (min(lengths) == LEAST) == (place is None or documents > SHARD)


@longest
@sizes
def test_a_shard_of_independent_noise_has_a_row_for_each_and_one_that_is_zero(
    documents: int, place: int | None
) -> None:
    laid = _lay_out(documents, "independent", place)
    stream = laid.layout.stream
    rows = [(last - first) * N_NOISE + 1 for first, last in laid.shards()]
    assert stream.row_starts.tolist() == [0, *np.cumsum(rows)]
    assert laid.largest == max(rows)
    words = np.repeat(laid.replaced(), N_NOISE)
    assert stream.noise_starts.tolist() == [0, *np.cumsum(words)]


@longest
@noises
@sizes
def test_every_shard_has_room_for_all_its_entries(
    documents: int, noise: Noise, place: int | None
) -> None:
    """Two for every word of a document, and one for every word of its noise."""
    laid = _lay_out(documents, noise, place)
    replaced, entry_starts = laid.replaced(), laid.layout.entry_starts
    assert entry_starts[0] == 0
    for shard, (first, last) in enumerate(laid.shards()):
        words = laid.documents.starts[last] - laid.documents.starts[first]
        rows = np.diff(laid.layout.stream.row_starts)[shard]
        drawn = rows if noise == "windows" else N_NOISE * replaced[first:last].sum()
        assert entry_starts[shard + 1] - entry_starts[shard] == 2 * words + drawn


@longest
@noises
@sizes
def test_no_entry_lies_in_the_room_of_another_shard(
    documents: int, noise: Noise, place: int | None
) -> None:
    """As a step has filled it, with entries that point at the shard's own vectors: its documents',
    or its noise's.
    """
    options = AlphaNCE(n_noise=N_NOISE, noise_level=LEVEL, noise=noise, stream_length=LEAST)
    case = _case(documents, place)
    session = case.session()
    options.begin(session, case.corpus, NO_PRESSURE).gradient(case.batch(), PLACE)
    (arrays,) = session._contrast._arrays.values()
    entries, rows = arrays.grouping.entries, arrays.stream.row_starts
    for shard, (first, last) in enumerate(_lay_out(documents, noise, place).shards()):
        begin = entries.starts[shard]
        end = begin + entries.counts[shard]
        assert begin < end <= entries.starts[shard + 1]
        own = [*range(first, last), *range(documents + first, documents + last)]
        own += range(2 * documents + rows[shard], 2 * documents + rows[shard + 1] - 1)
        assert set(entries.vectors[begin:end].tolist()) <= set(own)
