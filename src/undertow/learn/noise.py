"""The noise of a minibatch: as windows of one stream of words, or drawn independently. Both are exact.

Each kind draws its words, sums their rows of W, and leads gradients back to the words. Windows cost M + B k vectors
of H a minibatch instead of B k (D - D_r): only documents of one minibatch share words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.kernels.cpu import partial_noise, threads, windows
from undertow.kernels.cpu.alias import AliasTable
from undertow.kernels.cpu.contrast import NoiseTable
from undertow.kernels.cpu.documents import document_inputs
from undertow.kernels.cpu.rows import Entries, document_entries, stream_entries
from undertow.learn.step import StepContext
from undertow.learn.workspace import Workspace


class Noise(Protocol):
    """What a step asks of the noise of a minibatch, in this order."""

    words: int  # how many noise words there are
    vectors: int  # how many gradient vectors they share

    def draw(
        self, batch: CountBatch, replaced: NDArray[np.int64], *, epoch: int, number: int
    ) -> Iterator[threads.Task]:
        """Tasks that draw the words that replace `replaced` tokens of each document."""
        ...

    def sum_inputs(self, gains: NDArray[np.float64] | None) -> Iterator[threads.Task]:
        """Tasks that sum rows of W, word weights and gains."""
        ...

    def table(self) -> NoiseTable:
        """These sums."""
        ...

    def buffer(self, noises: int, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Where the gradients of the noise documents' inputs go."""
        ...

    def add_entries(self, entries: Entries, count: int, *, first_vector: int) -> int:
        """Appends the noise words to the entries of W's gradient."""
        ...

    def vectors_of_words(self, noise_vectors: NDArray[np.float32], out: NDArray[np.float32]) -> Iterator[threads.Task]:
        """Tasks that turn gradients of noise documents into those of their words."""
        ...

    def scalars_of_words(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for one number per noise document."""
        ...


class WindowNoise:
    """Noise j of a document is a window of one stream of M words, at a uniformly random place."""

    def __init__(
        self, n_noise: int, stream_length: int, table: AliasTable, context: StepContext, workspace: Workspace
    ) -> None:
        self._n_noise, self._least_length = n_noise, stream_length
        self._alias, self._context, self._workspace = table, context, workspace

    def draw(
        self, batch: CountBatch, replaced: NDArray[np.int64], *, epoch: int, number: int
    ) -> Iterator[threads.Task]:
        # Twice the longest window, so that even the longest document sees different windows.
        self.words = self.vectors = max(self._least_length, 2 * int(replaced.max()))
        array, n_threads = self._workspace.array, self._context.threads
        self._stream = array("stream", self.words, np.int32)
        self._begins = array("begins", (batch.size, self._n_noise), np.int64)
        self._ends = array("ends", (batch.size, self._n_noise), np.int64)
        seed = self._context.seed
        stream = (seed, epoch, number, self._alias, self._stream)
        places = (seed, epoch, batch.document_ids, replaced, self.words, self._begins, self._ends)
        yield from threads.split(partial_noise.draw_stream, (self.words + 1) // 2, n_threads, *stream)
        yield from threads.split(partial_noise.draw_windows, batch.size, n_threads, *places)

    def sum_inputs(self, gains: NDArray[np.float64] | None) -> Iterator[threads.Task]:
        parameters, array = self._context.parameters, self._workspace.array
        units, rows = parameters.units, self.words + 1
        self._inputs = array("prefix inputs", (rows, units), np.float32)
        self._lengths = array("prefix lengths", rows, np.float64)
        self._gains = array("prefix gains", rows, np.float64)
        for block in range(-(-units // windows.COLUMNS)):
            columns = (block, block + 1, self._stream, parameters.weights, parameters.word_weights, self._inputs)
            yield windows.prefix_rows, columns
        yield windows.prefix_scalars, (self._stream, parameters.word_weights, self._lengths)
        yield self._sort, ()
        if gains is None:
            self._gains[:] = 0.0
        else:
            yield windows.prefix_scalars, (self._stream, gains, self._gains)

    def table(self) -> NoiseTable:
        return NoiseTable(self._inputs, self._lengths, self._gains, self._begins, self._ends, self._places)

    def buffer(self, noises: int, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return self._workspace.array("noise vectors", (noises, vectors.shape[1]), np.float32)

    def add_entries(self, entries: Entries, count: int, *, first_vector: int) -> int:
        covering = self._workspace.array("covering", self.words + 1, np.int64)
        windows.cover(self._begins.ravel(), self._ends.ravel(), covering)
        word_weights = self._context.parameters.word_weights
        return int(stream_entries(self._stream, covering, word_weights, first_vector, entries, count))

    def vectors_of_words(self, noise_vectors: NDArray[np.float32], out: NDArray[np.float32]) -> Iterator[threads.Task]:
        for block in range(-(-out.shape[1] // windows.COLUMNS)):
            orders = (self._begin_offsets, self._end_offsets, self._by_end)
            yield windows.sweep_rows, (block, block + 1, noise_vectors, *orders, out)

    def scalars_of_words(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        changes = np.zeros(self.words + 1)
        np.add.at(changes, self._begins.ravel(), factors)
        np.subtract.at(changes, self._ends.ravel(), factors)
        return np.cumsum(changes)[:-1]

    def _sort(self) -> None:
        """The order in which the sweep from right to left meets the windows, and the gradients' places in that
        order.
        """
        array, count = self._workspace.array, self._begins.size
        self._begin_offsets = array("begin offsets", self.words + 2, np.int64)
        self._end_offsets = array("end offsets", self.words + 2, np.int64)
        self._by_end = array("by end", count, np.int32)
        self._places = array("places", self._begins.shape, np.int32)
        by_begin = array("by begin", count, np.int32)
        windows.sort_windows(self._begins.ravel(), self._begin_offsets, by_begin)
        windows.sort_windows(self._ends.ravel(), self._end_offsets, self._by_end)
        windows.place_windows(by_begin, self._by_end, self._places.ravel())


class IndependentNoise:
    """Every noise document has words of its own: the reference that windows are compared with."""

    def __init__(
        self, n_noise: int, stream_length: int, table: AliasTable, context: StepContext, workspace: Workspace
    ) -> None:
        self._n_noise = n_noise  # stream_length has no meaning here
        self._alias, self._context, self._workspace = table, context, workspace

    def draw(
        self, batch: CountBatch, replaced: NDArray[np.int64], *, epoch: int, number: int
    ) -> Iterator[threads.Task]:
        self._starts = np.concatenate([[0], np.cumsum(np.repeat(replaced, self._n_noise))])
        self.words, self.vectors = int(self._starts[-1]), batch.size * self._n_noise
        self._noise = self._workspace.array("noise words", self.words, np.int32)
        offsets = self._starts[: -1 : self._n_noise]
        arguments = (self._context.seed, epoch, batch.document_ids, replaced, offsets, self._n_noise, self._alias)
        draw = partial_noise.draw_independent
        yield from threads.split(draw, batch.size, self._context.threads, *arguments, self._noise)

    def sum_inputs(self, gains: NDArray[np.float64] | None) -> Iterator[threads.Task]:
        parameters, array = self._context.parameters, self._workspace.array
        self._inputs = array("noise inputs", (self.vectors + 1, parameters.units), np.float32)
        self._lengths = array("noise lengths", self.vectors + 1, np.float64)
        self._inputs[-1], self._lengths[-1] = 0.0, 0.0  # what a window subtracts: here, nothing
        self._gains = np.zeros(self.vectors + 1)
        if gains is not None:
            self._gains[:-1] = np.add.reduceat(gains[self._noise], self._starts[:-1])
        self._ones = np.ones(self.words, dtype=np.int32)
        documents = (self._starts, self._noise, self._ones, parameters.weights, parameters.word_weights)
        tasks = threads.split(
            document_inputs, self.vectors, self._context.threads, *documents, self._inputs, self._lengths
        )
        yield from tasks

    def table(self) -> NoiseTable:
        ends = np.arange(self.vectors).reshape(-1, self._n_noise)
        return NoiseTable(
            self._inputs, self._lengths, self._gains, np.full_like(ends, self.vectors), ends, ends.astype(np.int32)
        )

    def buffer(self, noises: int, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return vectors  # a noise word's gradient is its document's

    def add_entries(self, entries: Entries, count: int, *, first_vector: int) -> int:
        weights = self._context.parameters.word_weights
        added = document_entries(self._starts, self._noise, self._ones, weights, first_vector, entries, count)
        return int(added)

    def vectors_of_words(self, noise_vectors: NDArray[np.float32], out: NDArray[np.float32]) -> Iterator[threads.Task]:
        yield from ()

    def scalars_of_words(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        return factors
