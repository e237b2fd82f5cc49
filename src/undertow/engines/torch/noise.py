"""The words that replace a document's own, summed for each noise document, and the way back from
noise documents to words.

Windows are cut from streams that the documents of a shard share. With running sums along a stream,
any window is a difference of two rows. Backwards, whoever has a window's gradient adds it at the
window's end and takes it away at its beginning, and sums from the right turn these changes into
what each position gets. Independent noise has words of its own, which are summed one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from undertow.engines.protocol import Noise, Place
from undertow.engines.torch.documents import Documents, to_device
from undertow.engines.torch.draws import windows, words_of_groups
from undertow.engines.torch.sums import running_sums, spans, starts_of, weighted_rows
from undertow.kernels.randomness import SHARD, Purpose


class Entries(NamedTuple):
    """Which row of a table the gradient of a word's row has as a term."""

    words: Any  # (E,)
    rows: Any  # (E,)
    table: Any  # (R, C)


class NoiseWords(Protocol):
    """The noise of a minibatch: P words in all, k noise documents for each document."""

    @property
    def words(self) -> Any:
        """(P,)"""
        ...

    def rows(self, table: Any, coefficients: Any) -> Any:
        """(B, k, C) Of every noise document the sum of coefficients[p] * table[words[p]]."""
        ...

    def numbers(self, values: Any) -> Any:
        """(B, k, C) Of every noise document the sum of values[p], of (P, C)."""
        ...

    def back(self, slopes: Any) -> Entries:
        """From gradients of noise documents (B k, C) to words that occur in one at least."""
        ...


def draw(
    documents: Documents,
    replaced: NDArray[np.int64],
    place: Place,
    noise: Noise,
    table: Any,
    seed: int,
) -> NoiseWords:
    """Draws them: windows of streams, or independent words."""
    if noise.independent:
        return _independent(documents, replaced, place, noise.documents, table, seed)
    lengths = np.maximum.reduceat(replaced, np.arange(0, documents.size, SHARD))
    lengths = np.maximum(noise.stream_length, 2 * lengths)
    shards, device = np.arange(documents.size) // SHARD, table.device
    groups = (torch.arange(len(lengths), device=device), place.epoch, place.number)
    words = words_of_groups(seed, Purpose.STREAM, groups, lengths, table)
    begins = windows(documents, seed, place.epoch, lengths[shards] - replaced + 1, noise.documents)
    firsts = np.concatenate([[0], np.cumsum(lengths + 1)])  # a row more than there are words
    begins = begins + to_device(firsts[shards], device)[:, None]
    ends = begins + to_device(replaced, device)[:, None]
    return Windows(words, begins, ends, _streams(lengths, device))


@dataclass(frozen=True)
class Streams:
    """Streams of one length: which words are theirs, and which rows of tables of running sums."""

    positions: Any  # (S, L)
    rows: Any  # (S, L + 1)


def _streams(lengths: NDArray[np.int64], device: Any) -> list[Streams]:
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    found = []
    for length in np.unique(lengths):
        shards = np.flatnonzero(lengths == length)
        positions = starts[shards][:, None] + np.arange(length)
        rows = (starts[shards] + shards)[:, None] + np.arange(length + 1)
        found.append(Streams(to_device(positions, device), to_device(rows, device)))
    return found


@dataclass(frozen=True)
class Windows:
    """Noise document j of document d has the words of rows begins[d, j] to before ends[d, j]."""

    words: Any  # (P,)
    begins: Any  # (B, k)
    ends: Any  # (B, k)
    streams: list[Streams]

    def rows(self, table: Any, coefficients: Any) -> Any:
        return self.numbers(table[self.words] * coefficients[:, None])

    def numbers(self, values: Any) -> Any:
        sums = values.new_zeros((self._size, values.shape[1]))
        for streams in self.streams:
            sums[streams.rows[:, 1:]] = running_sums(values[streams.positions], 1)
        return sums[self.ends] - sums[self.begins]

    def back(self, slopes: Any) -> Entries:
        changes = self._changes(slopes)
        swept = slopes.new_empty((len(self.words), slopes.shape[1]))
        covering = torch.empty_like(self.words)
        covers = self._changes_of_cover()
        for streams in self.streams:
            after = streams.rows[:, 1:].flip(1)  # a position has what ends behind it
            swept[streams.positions.flip(1)] = running_sums(changes[after], 1)
            covering[streams.positions.flip(1)] = covers[after].cumsum(1)
        covered = covering.nonzero().squeeze(1)
        return Entries(self.words[covered], covered, swept)

    @property
    def _size(self) -> int:
        return len(self.words) + sum(len(streams.rows) for streams in self.streams)

    def _changes(self, slopes: Any) -> Any:
        """What is added at the end of each window and taken away at its beginning."""
        ends, begins = self.ends.reshape(-1), self.begins.reshape(-1)
        keys, order = torch.sort(torch.cat([ends, begins]), stable=True)
        edges = torch.arange(self._size + 1, device=keys.device)
        ones = torch.ones(len(ends), dtype=slopes.dtype, device=keys.device)
        windows = torch.arange(len(ends), device=keys.device).repeat(2)
        return weighted_rows(
            slopes, windows[order], torch.cat([ones, -ones])[order], torch.searchsorted(keys, edges)
        )

    def _changes_of_cover(self) -> Any:
        """The same of numbers of windows: whole numbers, so that their order is all one."""
        ends, begins = self.ends.reshape(-1), self.begins.reshape(-1)
        return torch.bincount(ends, minlength=self._size) - torch.bincount(
            begins, minlength=self._size
        )


@dataclass(frozen=True)
class Independent:
    """Noise document j of document d has the words from starts[d k + j] on."""

    words: Any  # (P,)
    starts: Any  # (B k + 1,)
    shape: tuple[int, int]  # (B, k)

    def rows(self, table: Any, coefficients: Any) -> Any:
        sums = weighted_rows(table, self.words, coefficients, self.starts)
        return sums.reshape(*self.shape, -1)

    def numbers(self, values: Any) -> Any:
        return spans(values, self.starts).reshape(*self.shape, -1)

    def back(self, slopes: Any) -> Entries:
        sizes = self.starts.diff()
        owners = torch.repeat_interleave(sizes, output_size=len(self.words))
        return Entries(self.words, owners, slopes)


def _independent(
    documents: Documents,
    replaced: NDArray[np.int64],
    place: Place,
    noises: int,
    table: Any,
    seed: int,
) -> Independent:
    groups = (0, place.epoch, documents.ids)
    words = words_of_groups(seed, Purpose.NOISE, groups, replaced * noises, table)
    sizes = to_device(np.repeat(replaced, noises), table.device)
    return Independent(words, starts_of(sizes), (documents.size, noises))
