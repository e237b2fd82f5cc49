"""The arrays that a step of alpha-NCE works in, made once and used by step after step.

What a minibatch needs differs from one to the next, so arrays are made a little larger than they
have to be, and made again when that does not suffice. Handing out exact views at every step would
take longer than some of the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from undertow.engines.cpu.gradient import new_grouping
from undertow.kernels.cpu.alias import AliasTable
from undertow.kernels.cpu.contrast import ContrastResult, NoiseTable, SplitDocuments
from undertow.kernels.cpu.shards import UNITS, Kept, Stream, Sums
from undertow.kernels.randomness import SHARD


@dataclass(frozen=True)
class Sizes:
    """What the arrays must hold. Where only upper bounds are asked for, more does no harm."""

    documents: int  # exactly
    words: int  # distinct ones of all documents
    rows: int  # of the noise table
    largest: int  # rows of the largest shard
    entries: int

    def within(self, other: Sizes) -> bool:
        """Whether the arrays of `other` do for this."""
        return (
            self.documents == other.documents
            and self.words <= other.words
            and self.rows <= other.rows
            and self.largest <= other.largest
            and self.entries <= other.entries
        )

    def with_some_to_spare(self) -> Sizes:
        """A quarter more, so that the next minibatch is not too large again."""
        more = (size + size // 4 for size in (self.words, self.rows, self.largest, self.entries))
        return Sizes(self.documents, *more)


class Layout(NamedTuple):
    """What `shards.lay_out` fills in before the other arrays are chosen; fits minibatches of as
    many documents.
    """

    kept: Kept
    stream: Stream
    entry_starts: NDArray[np.int64]


def new_layout(documents: int, n_noise: int, alias: AliasTable, *, independent: bool) -> Layout:
    """For minibatches of so many documents."""
    shards = -(-documents // SHARD)
    return Layout(
        Kept(
            levels=np.empty(documents),
            tokens=np.empty(documents, dtype=np.int64),
            to_keep=np.empty(documents, dtype=np.int64),
            replaced=np.empty(documents, dtype=np.int64),
            counts=_NOTHING,
        ),
        Stream(
            words=_NOTHING,
            row_starts=np.empty(shards + 1, dtype=np.int64),
            noise_starts=np.empty(documents * n_noise + 1 if independent else 0, dtype=np.int64),
            ones=_NOTHING,
            alias=alias,
        ),
        np.empty(shards + 1, dtype=np.int64),
    )


_NOTHING = np.empty(0, dtype=np.int32)


class MinibatchArrays:
    """The arrays, as the kernel takes them."""

    def __init__(
        self,
        sizes: Sizes,
        layout: Layout,
        *,
        slots: NDArray[np.int32],
        units: int,
        n_noise: int,
        n_threads: int,
    ) -> None:
        self.sizes = sizes
        documents, shards = sizes.documents, len(layout.entry_starts) - 1
        vectors = np.empty((2 * documents + sizes.rows, units), dtype=np.float32)
        self.kept = layout.kept._replace(counts=np.empty(sizes.words, dtype=np.int32))
        self.stream = layout.stream._replace(
            words=np.empty(sizes.entries, dtype=np.int32),
            ones=np.ones(sizes.entries if layout.stream.noise_starts.size else 0, dtype=np.int32),
        )
        self.split = SplitDocuments(
            spans=np.empty((documents, 3), dtype=np.int64),
            kept_inputs=_rows(documents, units),
            rest_inputs=_rows(documents, units),
            kept_lengths=np.empty(documents),
            rest_lengths=np.empty(documents),
            rest_gains=np.zeros(documents),
            corrections=np.zeros(documents),
        )
        self.noise = NoiseTable(
            inputs=np.empty((n_threads, sizes.largest, units), dtype=np.float32),
            lengths=np.empty(sizes.rows),
            gains=np.zeros(sizes.rows),
            begins=np.empty((documents, n_noise), dtype=np.int64),
            ends=np.empty((documents, n_noise), dtype=np.int64),
        )
        self.result = ContrastResult(
            rest_vectors=vectors[:documents],
            kept_vectors=vectors[documents : 2 * documents],
            noise_vectors=vectors[2 * documents :],
            hidden_bias=_rows(shards, units),
            activity=_rows(shards, units),
            posteriors=_rows(documents, units),
            lengths=np.empty(documents),
            data_factors=np.empty(documents),
            noise_factors=np.empty((documents, n_noise)),
            losses=np.empty(documents),
        )
        self.sums = Sums(
            activity=np.empty(units, dtype=np.float32),
            hidden_bias=np.empty(units, dtype=np.float32),
            losses=np.empty(1 - (-units // UNITS)),
        )
        self.grouping = new_grouping(sizes.entries, layout.entry_starts, slots, vectors)

    def begin(self, gains: NDArray[np.float64], corrections: NDArray[np.float64] | None) -> None:
        """What a step finds in arrays that it does not write: zeros, or these corrections."""
        if corrections is None:
            self.split.corrections.fill(0.0)
        else:
            tokens, to_keep = self.kept.tokens, self.kept.to_keep
            np.subtract(corrections[tokens], corrections[to_keep], out=self.split.corrections)
        if not gains.size:
            self.split.rest_gains.fill(0.0)
            self.noise.gains.fill(0.0)


def _rows(rows: int, units: int) -> NDArray[np.float32]:
    return np.empty((rows, units), dtype=np.float32)
