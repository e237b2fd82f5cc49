"""Documents that lie with many workers, as fitting asks for them: `Documents` over a crew.

Samples, sums and numbers of documents are those that one machine would have, so that what is
decided by them is decided alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.counts import CountBatch, WordTotals
from undertow.estimators._documents import (
    SAMPLE_STAGE,
    held_out_rows,
    sample_size,
)
from undertow.estimators._messages import PartFacts, Place
from undertow.estimators._shared_checkpoint import checkpoint_of
from undertow.estimators._shared_training import SharedTraining, Traffic
from undertow.kernels import randomness
from undertow.topics.drift import sized
from undertow.vectors.given import part_of

if TYPE_CHECKING:
    from undertow.cluster import Crew
    from undertow.learn import Run, Settings
    from undertow.topics import Atlas
    from undertow.topics.text_sample import SampledTexts
    from undertow.vectors.given import GivenVectors


class SharedDocuments:
    """The documents of a crew whose workers have encoded their parts."""

    def __init__(
        self,
        crew: Crew,
        parts: list[PartFacts],
        left_out: NDArray[np.int64] | None = None,
        held_out: sparse.csr_array | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self.crew, self._parts = crew, parts
        self.traffic = Traffic() if traffic is None else traffic
        self._left_out = np.zeros(0, dtype=np.int64) if left_out is None else left_out
        self._held_out = held_out
        ends = np.cumsum([part.totals.documents for part in parts])
        self._firsts = np.concatenate([[0], ends[:-1]])
        self._all = int(ends[-1])
        self._sample: tuple[int, sparse.csr_array] | None = None

    @property
    def documents(self) -> int:
        """All of them, also those that are held out."""
        return self._all

    @property
    def size(self) -> int:
        return self._all - len(self._left_out)

    @property
    def rows(self) -> int:
        return self.size if self._renumbered else self._all

    @property
    def bytes_on_disk(self) -> int:
        """What the counts take there, of all workers."""
        return sum(part.bytes_on_disk for part in self._parts)

    @property
    def _renumbered(self) -> bool:
        """Documents in memory are numbered without those that are held out, those on disk with
        them; so it is on one machine.
        """
        return all(part.held for part in self._parts)

    def totals(self) -> WordTotals:
        total = self._parts[0].totals
        for part in self._parts[1:]:
            total += part.totals
        if self._renumbered and self._held_out is not None:
            out = WordTotals.of(self._held_out)
            frequencies = total.document_frequencies - out.document_frequencies
            total = WordTotals(self.size, frequencies, total.tokens - out.tokens)
        return total

    def source(self, word_weights: NDArray[np.float64]) -> SharedSource:
        return SharedSource(self.crew, self._places(), word_weights, self.traffic)

    def _places(self) -> list[Place]:
        return [Place(int(first), self._left_out, self._renumbered) for first in self._firsts]

    def sample(self, seed: int) -> sparse.csr_array:
        if self._sample is None or self._sample[0] != seed:
            self._sample = (seed, self.counts_of(self._sampled(seed)))
        return self._sample[1]

    def _sampled(self, seed: int) -> NDArray[np.int64]:
        entries, stage = sum(part.entries for part in self._parts), SAMPLE_STAGE
        purpose, out = randomness.Purpose.HOLD_OUT, len(self._left_out)
        if not self._renumbered:
            size = sample_size(entries, self._all) + out
            rows = randomness.lowest(seed, purpose, stage, self._all, size)
            return np.setdiff1d(rows, self._left_out, assume_unique=True)
        entries -= 0 if self._held_out is None else self._held_out.nnz
        size = sample_size(entries, self.size)
        chosen = randomness.lowest(seed, purpose, stage, self.size, size)
        kept = np.setdiff1d(np.arange(self._all), self._left_out, assume_unique=True)
        return kept[chosen]

    def hold_out(self, fraction: float, seed: int) -> tuple[SharedDocuments, sparse.csr_array]:
        rows = held_out_rows(self._all, fraction, seed)
        held_out = self.counts_of(rows)
        shared = SharedDocuments(self.crew, self._parts, rows, held_out, self.traffic)
        return shared, held_out

    # Questions that go to those who have the documents

    def counts_of(self, rows: NDArray[np.int64]) -> sparse.csr_array:
        """The counts of some documents of the whole, in order."""
        parts = self.crew.one_by_one("reading a sample", "rows", self._split(rows))
        return sparse.csr_array(sparse.vstack(list(parts), format="csr"))

    def texts(self) -> SampledTexts:
        """The sample of texts that topics are described by."""
        from undertow.topics.text_sample import SampledTexts, sampled_rows  # they need polars

        rows = sampled_rows(self._all)
        found = list(self.crew.one_by_one("reading texts", "texts", self._split(rows)))
        ids = [one for part, _ in found for one in part]
        return SampledTexts(rows, ids, [text for _, part in found for text in part])

    def with_sizes(self, atlas: Atlas, model: Any, others: GivenVectors | None) -> Atlas:
        """The tree, with all documents counted into its leaves by a model that travels."""
        asked = self.crew.put((model, atlas))

        def given(worker: int) -> tuple[Any, ...]:
            first, size = self._firsts[worker], self._parts[worker].totals.documents
            return asked, part_of(others, first, first + size)

        sizes = self.crew.everyone("counting documents into topics", "leaf_sizes", given)
        return sized(atlas, sum(sizes), self._all)

    def _split(self, rows: NDArray[np.int64]) -> Callable[[int], tuple[Any, ...]]:
        """What each worker has of some rows of the whole, as rows of its own."""
        cuts = np.searchsorted(rows, [*self._firsts, self._all])
        return lambda worker: (rows[cuts[worker] : cuts[worker + 1]] - self._firsts[worker],)


class SharedSource:
    """Minibatches that lie with many workers, who train on them themselves."""

    def __init__(
        self, crew: Crew, places: list[Place], word_weights: NDArray[np.float64], traffic: Traffic
    ) -> None:
        self.crew, self.places, self.word_weights = crew, places, word_weights
        self.traffic = traffic
        self.settings: Settings | None = None
        weights = crew.put(word_weights)
        facts = crew.everyone(
            "looking at documents", "source_facts", lambda worker: (places[worker], weights)
        )
        self.parts = [documents for documents, _ in facts]
        self.documents = sum(self.parts)
        self.longest = max(longest for _, longest in facts)
        self.vocabulary_size = len(word_weights)
        self.training: SharedTraining | None = None

    def batches(
        self, *, seed: int, epoch: int, batch_size: int, first_batch: int = 0
    ) -> Iterator[CountBatch]:
        """There are none here: `train_epoch` takes their place."""
        raise NotImplementedError("documents of a cluster stay where they are")

    def train_epoch(self, run: Run, on_batch: Callable[[Run], None] | None) -> None:
        """The rest of the epoch that the run is in; afterwards the run here stands where the
        workers do.
        """
        if self.training is None:
            self.training = SharedTraining(self, run, checkpoint_of(self, run))
        self.training.epoch(run, on_batch)
