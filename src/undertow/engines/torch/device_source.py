"""Counts that lie on a card: minibatches name their documents, and a stretch takes the words of all
of them at once.

The order of an epoch is drawn on the device and fetched once. What the host has to know of a
document is its length, and how many different words it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from undertow.counts import CountBatch, CountSource, CsrSource
from undertow.counts.minibatches import take_documents
from undertow.engines.torch.documents import to_device
from undertow.engines.torch.philox import philox
from undertow.engines.torch.stretch_layout import Documents, uploaded
from undertow.kernels.randomness import Purpose

SHARE = 0.3  # of the card's free memory that counts may take: the rest is for what learns


def on_device(source: CountSource, device: torch.device) -> CountSource:
    """The same documents on a card, where they are held in memory and there is room for them."""
    if not isinstance(source, CsrSource):
        return source
    held = source.held()
    free, _ = torch.cuda.mem_get_info(device)
    if 8 * len(held.words) + 40 * len(held.rows) > SHARE * free:
        return source
    return DeviceSource(source, device)


class DeviceSource:
    """As the source that it is made from, in the same order."""

    def __init__(self, source: CsrSource, device: torch.device) -> None:
        self._source = source
        self.held = held = source.held()
        before = np.concatenate([[0], np.cumsum(held.counts, dtype=np.int64)])
        self.tokens: NDArray[np.int64] = np.diff(before[held.starts])
        self.entries = np.diff(held.starts)
        self.starts = to_device(held.starts.astype(np.int64, copy=False), device)
        self.words = to_device(held.words.astype(np.int32, copy=False), device)
        self.counts = to_device(held.counts.astype(np.int32, copy=False), device)
        self._ids = to_device(held.rows.astype(np.int64) + held.first_id, device)

    @property
    def lies_on(self) -> torch.device:
        """The device with its number."""
        found: torch.device = self.words.device
        return found

    @property
    def vocabulary_size(self) -> int:
        return self._source.vocabulary_size

    @property
    def documents(self) -> int:
        return self._source.documents

    @property
    def longest(self) -> int:
        return self._source.longest

    def batches(
        self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0
    ) -> Iterator[CountBatch]:
        """The minibatches of an epoch; their words stay on the device until somebody looks."""
        order = self._order(seed, epoch)
        on_host = order.cpu().numpy()
        for first in range(first_batch * batch_size, len(on_host), batch_size):
            last = min(first + batch_size, len(on_host))
            yield cast(CountBatch, DeviceBatch(self, order, on_host, first, last))

    def _order(self, seed: int, epoch: int) -> Tensor:
        """As `kernels.randomness.permutation`: by a number drawn for each document."""
        bits = philox(seed, Purpose.SHUFFLE, 0, epoch, self._ids, torch.zeros_like(self._ids))
        keys = ((bits[0] - 2**31) << 32) | bits[1]  # signed numbers that sort as unsigned ones do
        return self._ids[torch.argsort(keys, stable=True)]


@dataclass(frozen=True)
class DeviceBatch:
    """Documents of a source by their places in the order of an epoch."""

    source: DeviceSource
    order: Tensor
    on_host: NDArray[np.int64]
    first: int
    last: int

    @property
    def document_ids(self) -> NDArray[np.int64]:
        """Row numbers of the matrix, counted from its first id on."""
        return self.on_host[self.first : self.last]

    @property
    def rows(self) -> NDArray[np.int64]:
        """Row numbers of the matrix."""
        return self.document_ids - self.source.held.first_id

    @property
    def size(self) -> int:
        """Number of documents."""
        return self.last - self.first

    @cached_property
    def tokens(self) -> int:
        """Number of tokens, repeated words counted."""
        return int(self.source.tokens[self.rows].sum())

    def part(self, first: int, last: int) -> CountBatch:
        """A run of its documents."""
        return self._taken.part(first, last)

    @property
    def starts(self) -> NDArray[np.int64]:
        """As of a `CountBatch`."""
        return self._taken.starts

    @property
    def words(self) -> NDArray[np.int32]:
        """As of a `CountBatch`."""
        return self._taken.words

    @property
    def counts(self) -> NDArray[np.int32]:
        """As of a `CountBatch`."""
        return self._taken.counts

    @cached_property
    def _taken(self) -> CountBatch:
        held = self.source.held
        return take_documents(self.document_ids, self.rows, held.starts, held.words, held.counts)


def documents_of_stretch(
    batches: Sequence[Any], numbers: NDArray[np.int64], device: torch.device
) -> Documents:
    """The documents of all minibatches, from where they lie."""
    sizes = np.array([batch.size for batch in batches])
    here = torch.empty(0, device=device).device  # "cuda" is one of "cuda:0", "cuda:1" and so on
    if all(isinstance(batch, DeviceBatch) and batch.source.lies_on == here for batch in batches):
        return _gathered(batches, sizes, numbers)
    lengths = [np.diff(batch.starts) for batch in batches]
    starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    counts = np.concatenate([batch.counts for batch in batches])
    before = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    tokens = np.diff(before[starts])
    words = np.concatenate([batch.words for batch in batches])
    ids = np.concatenate([batch.document_ids for batch in batches])
    return Documents(
        uploaded(ids, device),
        uploaded(starts, device),
        uploaded(words.astype(np.int32), device),
        uploaded(counts.astype(np.int32), device),
        uploaded(tokens, device),
        sizes,
        tokens,
        numbers,
    )


def _gathered(
    batches: Sequence[DeviceBatch], sizes: NDArray[np.int64], numbers: NDArray[np.int64]
) -> Documents:
    """Taken out of the matrix on the device."""
    source = batches[0].source
    ids = torch.cat([batch.order[batch.first : batch.last] for batch in batches])
    rows = ids - source.held.first_id
    on_host = np.concatenate([batch.rows for batch in batches])
    begins = source.starts[rows]
    lengths = source.starts[rows + 1] - begins
    starts = torch.zeros(len(rows) + 1, dtype=torch.int64, device=rows.device)
    torch.cumsum(lengths, 0, out=starts[1:])
    entries = int(source.entries[on_host].sum())
    shift = torch.repeat_interleave(begins - starts[:-1], lengths, output_size=entries)
    places = shift + torch.arange(entries, device=rows.device)
    counts, tokens = source.counts[places], source.tokens[on_host]
    on_device = uploaded(tokens, rows.device)
    return Documents(ids, starts, source.words[places], counts, on_device, sizes, tokens, numbers)
