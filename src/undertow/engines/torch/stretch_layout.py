"""What a stretch of steps draws and how it is laid out, on the device: all that does not depend on
the parameters, so that it is done for many steps at once.

A step has a minibatch of `batch` documents at most; document d of a stretch is document d % batch
of step d // batch. A shard (32 documents) has a noise stream, of which row r of step s is element
s * rows + r. Entries are what the gradient of W is made of: a word, and the row of the vectors that
it pulls at. They are sorted by step and word, and cut into chunks that one program sums.

Nothing here waits for the device: sizes that only the device knows are bounded beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from undertow.engines.torch import triton_draws as draws
from undertow.engines.torch import triton_layout as kernels
from undertow.kernels.randomness import SHARD

CHUNK = 64  # entries of a word that one program sums
PART = 64  # positions of a noise stream that one program leads gradients back to
LANES = 32  # entries of a document that a program lays out at once: a warp
DRAWN = 256  # numbers that a program draws
SPAN = 1024  # entries that a program lays out


def uploaded(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array on the device, without waiting for the device."""
    tensor = torch.from_numpy(array)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


@dataclass(frozen=True)
class Documents:
    """The documents of a stretch, on the device but for what sizes are bounded by."""

    ids: Tensor  # (n,) int64
    starts: Tensor  # (n + 1,) int64
    words: Tensor  # (E,) int32
    counts: Tensor  # (E,) int32
    tokens: Tensor  # (n,) int64
    sizes: NDArray[np.int64]  # (S,) documents of every step
    lengths: NDArray[np.int64]  # (n,) tokens, on the host
    numbers: NDArray[np.int64]  # (S,) of the minibatches in their epoch


@dataclass(frozen=True)
class Shape:
    """What arrays are sized by; larger is no harm."""

    batch: int
    steps: int
    noise: int  # k
    rows: int  # of the noise streams of a step
    longest: int  # the longest stream of a shard
    entries: int  # distinct words of all documents
    largest: int  # entries and rows of the largest step

    @property
    def shards(self) -> int:
        """Of a step."""
        return -(-self.batch // SHARD)

    @property
    def parts(self) -> int:
        """Of the longest stream."""
        return -(-self.longest // PART)

    @property
    def shared_chunks(self) -> int:
        """Chunks of a step, at most, of words that have several. Rows of streams that no window
        covers are of no word, and come last: there may be more of them than `largest` says.
        """
        return 2 * self.largest // CHUNK + 2

    @property
    def pieces(self) -> int:
        """Entries of documents and of streams."""
        return self.entries + self.steps * self.rows

    @property
    def elements(self) -> int:
        """Of the longest arrays, which set how much memory a stretch takes."""
        return self.pieces + self.steps * self.shards * self.parts

    def holds(self, other: Shape) -> bool:
        """Whether arrays of this shape do for another stretch."""
        return (self.batch, self.noise) == (other.batch, other.noise) and all(
            getattr(self, name) >= getattr(other, name)
            for name in ("steps", "rows", "longest", "entries", "largest")
        )

    def with_some_to_spare(self) -> Shape:
        """A quarter more, so that the next stretch is not too large again."""
        return Shape(
            self.batch,
            self.steps,
            self.noise,
            self.rows + self.rows // 4,
            self.longest + self.longest // 4,
            self.entries + self.entries // 4,
            self.largest + self.largest // 4,
        )


def shape_of(
    documents: Documents, batch: int, noise: int, level: float, stream_length: int
) -> Shape:
    """The least that this stretch takes. `level` is the lowest share that a document keeps."""
    lengths = documents.lengths
    kept = np.minimum(np.ceil(level * lengths - 1e-9).astype(np.int64), lengths - 1)
    firsts = np.concatenate([[0], np.cumsum(documents.sizes)[:-1]])
    begins = np.concatenate(
        [np.arange(f, f + n, SHARD) for f, n in zip(firsts, documents.sizes, strict=True)]
    )
    streams = np.maximum(stream_length, 2 * np.maximum.reduceat(lengths - kept, begins)) + 1
    of_step = np.repeat(np.arange(len(firsts)), -(-documents.sizes // SHARD))
    rows = int(np.bincount(of_step, weights=streams).max())
    rows += -(-batch // SHARD)  # one for each shard that has no documents
    tokens = int(np.add.reduceat(lengths, firsts).max())  # no fewer than distinct words
    entries = int(documents.words.shape[0])
    return Shape(batch, len(firsts), noise, rows, int(streams.max()), entries, tokens + rows)


class Layout:
    """The arrays that the kernels of a step read, for all steps of a stretch."""

    def __init__(self, shape: Shape, vocabulary: int, device: torch.device) -> None:
        self.shape, self._vocabulary, self._device = shape, vocabulary, device
        size, groups = shape.steps * shape.batch, shape.steps * shape.shards
        windows, pieces = size * shape.noise, shape.pieces
        self.sizes = self._new(shape.steps, torch.int32)
        self.starts = self._new(size + 1, torch.int64)
        self.words = self._new(shape.entries, torch.int32)
        self.rest_counts = self._new(pieces, torch.float32)
        self.kept_counts = self._new(pieces, torch.float32)
        self.replaced = self._new(size, torch.int32)
        self.begins = self._new(windows, torch.int32)
        self.noise_lengths = self._new(windows, torch.float32)
        self.order = self._new(windows, torch.int32)
        self.nearest = self._new(groups * shape.parts * 2, torch.int32)
        self.stream = self._new(shape.steps * shape.rows, torch.int32)
        self.first_rows = self._new(groups, torch.int64)
        self.lengths = self._new(groups, torch.int32)
        self.entry_rows = self._new(pieces, torch.int32)
        self.entry_rest = self._new(pieces, torch.float32)
        self.entry_kept = self._new(pieces, torch.float32)
        self.chunk_starts = self._new(pieces + 2, torch.int32)
        self.chunk_words = self._new(pieces + 2, torch.int32)
        self.opens = self._new(pieces + 2, torch.int8)
        self.first_chunks = self._new(shape.steps + 1, torch.int32)
        self.frequent = self._new(pieces + 1, torch.int32)
        self.frequent_chunks = self._new(pieces + 1, torch.int32)
        self.first_frequent = self._new(shape.steps + 1, torch.int32)
        self.slots = self._new(pieces + 2, torch.int32)

    def _new(self, size: int, dtype: torch.dtype) -> Tensor:
        return torch.zeros(size, dtype=dtype, device=self._device)

    @cached_property
    def _groups(self) -> Tensor:
        """(n,) The shard of every document, counted through all steps."""
        shape = self.shape
        d = torch.arange(shape.steps * shape.batch, device=self._device)
        return (d // shape.batch) * shape.shards + d % shape.batch // SHARD

    def fill(
        self,
        documents: Documents,
        level: float | tuple[float, float],
        stream_length: int,
        key: tuple[int, int],
        table: Tensor,
        word_weights: Tensor,
        flags: Tensor,
    ) -> None:
        """Draws everything for these documents; `key` is the run's seed and the epoch. Sets the
        flags of all words whose rows some step moves.
        """
        places = self._place(documents)
        ids, kept = self._keep(documents, places, level, key)
        self._draw_streams(documents.numbers, stream_length, key, table)
        self._draw_windows(ids, key, word_weights)
        self._sort_windows()
        keys = self._sort_entries(documents, kept, word_weights)
        self._cut(keys, flags)

    def _place(self, documents: Documents) -> Tensor:
        """Where the documents of every step are among `batch` each; the last has fewer."""
        shape, device = self.shape, self._device
        steps = len(documents.sizes)
        sizes = np.zeros(shape.steps, dtype=np.int32)
        sizes[:steps] = documents.sizes
        self.sizes.copy_(uploaded(sizes, device))
        if (documents.sizes[:-1] == shape.batch).all():  # as it nearly always is
            return torch.arange(len(documents.lengths), device=device)
        places = np.concatenate(
            [s * shape.batch + np.arange(n) for s, n in enumerate(documents.sizes)]
        )
        return uploaded(places, device)

    def _keep(
        self,
        documents: Documents,
        places: Tensor,
        level: float | tuple[float, float],
        key: tuple[int, int],
    ) -> tuple[Tensor, Tensor]:
        """The ids of documents, and how many of every word's tokens each keeps."""
        shape, n = self.shape, len(documents.lengths)
        size = shape.steps * shape.batch
        levels: float | Tensor
        if isinstance(level, tuple):
            shares = torch.empty(n, dtype=torch.float64, device=self._device)
            draws.draw_shares[(-(-n // DRAWN),)](documents.ids, shares, n, *key, BLOCK=DRAWN)
            # not in the kernel, which is given numbers in single precision
            levels = level[0] + (level[1] - level[0]) * shares
        else:
            levels = level
        wanted = torch.ceil(levels * documents.tokens.double() - 1e-9).long()
        to_keep = torch.minimum(wanted, documents.tokens - 1)
        parts = (documents.ids, documents.starts, documents.counts, documents.tokens)
        kept = draws.kept_of(*parts, to_keep, *key)
        ids = torch.zeros(size, dtype=torch.int64, device=self._device)
        ids[places] = documents.ids
        self.replaced.zero_()
        self.replaced[places] = (documents.tokens - to_keep).int()
        entries = torch.zeros(size, dtype=torch.int64, device=self._device)
        entries[places] = documents.starts[1:] - documents.starts[:-1]
        torch.cumsum(entries, 0, out=self.starts[1:])  # the first is 0 from the beginning
        return ids, kept

    def _draw_streams(
        self,
        numbers: NDArray[np.int64],
        stream_length: int,
        key: tuple[int, int],
        table: Tensor,
    ) -> None:
        """The noise words; places without one hold the vocabulary's size."""
        shape = self.shape
        longest = torch.zeros_like(self.lengths)
        longest.scatter_reduce_(0, self._groups, self.replaced, "amax")
        filled = (torch.arange(shape.shards, device=self._device) * SHARD)[None, :]
        filled = (filled < self.sizes[:, None]).reshape(-1)
        streams = torch.clamp(2 * longest, min=stream_length)
        self.lengths.copy_(torch.where(filled, streams, 0))
        rows = self.lengths.long().view(shape.steps, -1) + 1
        begins = torch.cumsum(rows, 1) - rows
        begins += torch.arange(shape.steps, device=self._device)[:, None] * shape.rows
        self.first_rows.copy_(begins.view(-1))
        self.stream.fill_(self._vocabulary)
        of_steps = np.zeros(shape.steps, dtype=np.int32)
        of_steps[: len(numbers)] = numbers
        grid = (shape.steps * shape.shards, -(-shape.longest // (2 * DRAWN)))
        draws.draw_streams[grid](
            self.stream, table, len(table), self.first_rows, self.lengths,
            uploaded(of_steps, self._device), shape.shards, *key, BLOCK=DRAWN,
        )  # fmt: skip

    def _draw_windows(self, ids: Tensor, key: tuple[int, int], word_weights: Tensor) -> None:
        """Where windows begin, and their weighted lengths."""
        shape = self.shape
        size = shape.steps * shape.batch
        draws.draw_windows[(-(-size * shape.noise // DRAWN),)](
            ids, self.replaced, self.lengths, self.begins, size, *key, shape.batch,
            K=shape.noise, BLOCK=DRAWN,
        )  # fmt: skip
        sums = torch.empty(shape.steps * shape.rows + 1, dtype=torch.float64, device=self._device)
        draws.sum_lengths[(shape.steps * shape.shards,)](
            self.stream, word_weights, self.first_rows, self.lengths, sums, BLOCK=DRAWN
        )
        draws.measure_windows[(-(-size * shape.noise // DRAWN),)](
            self.begins, self.replaced, self.first_rows, sums, self.noise_lengths, size,
            shape.batch, shape.shards, K=shape.noise, BLOCK=DRAWN,
        )  # fmt: skip

    def _sort_windows(self) -> None:
        """By where they begin, and which of them may cover a part of a stream."""
        shape, device = self.shape, self._device
        groups, wide = shape.steps * shape.shards, shape.longest + PART
        dtype = torch.int32 if groups * wide < 2**31 else torch.int64
        owners = torch.repeat_interleave(self._groups.to(dtype) * wide, shape.noise)
        keys, order = torch.sort(owners + self.begins, stable=True)
        self.order.copy_(order)
        longest = torch.zeros(groups, dtype=torch.int32, device=device)
        longest.scatter_reduce_(0, self._groups, self.replaced, "amax")
        parts = torch.arange(shape.parts, device=device, dtype=dtype) * PART
        lowest = torch.clamp(parts[None, :] - longest[:, None] + 1, min=0)
        bounds = torch.stack([lowest, (parts + PART).expand_as(lowest)], dim=-1)
        bounds += (torch.arange(groups, device=device, dtype=dtype) * wide)[:, None, None]
        self.nearest.copy_(torch.searchsorted(keys, bounds, out_int32=True).reshape(-1))

    def _covering(self) -> Tensor:
        """How many windows cover every row of the streams."""
        shape = self.shape
        size = shape.steps * shape.batch
        changes = torch.zeros(shape.steps * shape.rows + 1, dtype=torch.int32, device=self._device)
        kernels.cover[(-(-size * shape.noise // DRAWN),)](
            self.begins, self.replaced, self.first_rows, changes, size, shape.batch,
            shape.shards, K=shape.noise, BLOCK=DRAWN,
        )  # fmt: skip
        return torch.cumsum(changes, 0, dtype=torch.int32)

    def _sort_entries(self, documents: Documents, kept: Tensor, word_weights: Tensor) -> Tensor:
        """Entries by step and word; rows of streams that no window covers come last in a step."""
        shape, device, wide = self.shape, self._device, self._vocabulary + 1
        entries, streams = len(documents.words), shape.steps * shape.rows
        n = entries + streams
        narrow = shape.steps * wide < 2**31
        keys = torch.empty(n, dtype=torch.int32 if narrow else torch.int64, device=device)
        rows = torch.empty(n, dtype=torch.int32, device=device)
        self.words[:entries] = documents.words
        kernels.place_documents[(shape.steps * shape.batch,)](
            self.starts, self.words, documents.counts, kept, word_weights, self.rest_counts,
            self.kept_counts, keys, rows, shape.batch, wide, BLOCK=LANES, num_warps=1,
        )  # fmt: skip
        kernels.place_streams[(-(-streams // SPAN),)](
            self.stream, self._covering(), word_weights, self.rest_counts[entries:],
            self.kept_counts[entries:], keys[entries:], rows[entries:], streams, shape.batch,
            shape.rows, self._vocabulary, BLOCK=SPAN,
        )  # fmt: skip
        keys, order = torch.sort(keys, stable=True)
        self._new_words = torch.empty(n, dtype=torch.int32, device=device)
        kernels.take_entries[(-(-n // SPAN),)](
            order, keys, rows, self.rest_counts, self.kept_counts, self.entry_rows,
            self.entry_rest, self.entry_kept, self._new_words, n, BLOCK=SPAN,
        )  # fmt: skip
        return keys

    def _cut(self, keys: Tensor, flags: Tensor) -> None:
        """Chunks of the sorted entries, which words have several, and which words there are."""
        n, device, shape, wide = len(keys), self._device, self.shape, self._vocabulary + 1
        grid = (-(-n // SPAN),)
        words = torch.cumsum(self._new_words, 0, dtype=torch.int32)
        word_starts = torch.full((n + 1,), n, dtype=torch.int32, device=device)
        kernels.begin_words[grid](words, word_starts, n, BLOCK=SPAN)
        begins = torch.empty(n, dtype=torch.int32, device=device)
        shared = torch.empty(n, dtype=torch.int64, device=device)
        kernels.begin_chunks[grid](words, word_starts, begins, shared, n, CHUNK=CHUNK, BLOCK=SPAN)
        chunks = torch.cumsum(begins, 0, dtype=torch.int32)
        shared = torch.cumsum(shared, 0)
        self.chunk_starts.fill_(n)
        self.chunk_words.fill_(self._vocabulary)
        self.opens.fill_(1)
        kernels.cut[grid](
            keys, words, word_starts, chunks, shared, self.chunk_starts, self.chunk_words,
            self.opens, self.slots, self.frequent, self.frequent_chunks, flags, n, wide,
            shape.shared_chunks, CHUNK=CHUNK, BLOCK=SPAN,
        )  # fmt: skip
        bounds = torch.arange(shape.steps + 1, device=device, dtype=keys.dtype) * wide
        # how many chunks, and words with several, come before each step
        before = torch.searchsorted(keys, bounds) - 1
        some, before = before >= 0, before.clamp(min=0)
        self.first_chunks.copy_(torch.where(some, chunks[before], 0))
        self.first_frequent.copy_(torch.where(some, shared[before] & 0xFFFFFFFF, 0))
