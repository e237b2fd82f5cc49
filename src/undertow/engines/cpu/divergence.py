"""CD and PCD on the CPU: what the hidden units see, Gibbs steps, and the gradient of both phases.

Both phases are sparse: only rows of W that occur in the documents or in the samples are touched.
What grows with K is the softmax over words, see `kernels.cpu.gibbs`; where words move by
Metropolis-Hastings (`kernels.cpu.metropolis`), nothing does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.engines.cpu.gradient import CpuGradient, Slots, new_grouping, workers_for
from undertow.engines.cpu.offers import Offers
from undertow.engines.cpu.workspace import Workspace
from undertow.engines.protocol import Place, Pressure, Start
from undertow.kernels.cpu import contrast as kernels
from undertow.kernels.cpu import gibbs as chain_kernels
from undertow.kernels.cpu import metropolis, pool
from undertow.kernels.cpu.documents import document_inputs, squash_inputs
from undertow.kernels.cpu.rows import RowGradient, document_entries, group_entries
from undertow.kernels.cpu.splitting import split
from undertow.model.parameters import Parameters


@dataclass(frozen=True)
class Seen:
    """Documents, or samples of as many tokens, and what the hidden units see of them."""

    batch: CountBatch
    posteriors: NDArray[np.float32]  # (B, H)
    lengths: NDArray[np.float64]  # (B,)
    scores: NDArray[np.float64]  # (B,)


@dataclass(frozen=True)
class Chains:
    """Where persistent chains were left: hidden units packed to bits, and which documents have
    any.
    """

    started: NDArray[np.uint8]  # (N,)
    hidden: NDArray[np.uint8]  # (N, H / 8)


class Divergence:
    """The phases of a session, and the arrays that they share."""

    def __init__(self, parameters: Parameters, start: Start, slots: Slots, threads: int) -> None:
        self._parameters, self._seed = parameters, start.seed
        self._offers = Offers(start)
        self._slots, self._threads = slots, threads
        self._workspace = Workspace()
        # The same rows of W, for words that all weigh alike.
        self._unweighted = Parameters(
            parameters.weights,
            np.zeros_like(parameters.hidden_bias),
            parameters.visible_bias,
            np.ones_like(parameters.word_weights),
        )

    def see(self, batch: CountBatch, name: str = "data") -> Seen:
        """P(h | document), lengths and scores."""
        parameters, size = self._parameters, batch.size
        on = self._workspace.array(f"{name} posteriors", (size, parameters.units), np.float32)
        lengths = self._workspace.array(f"{name} lengths", size, np.float64)
        scores = self._workspace.array(f"{name} scores", size, np.float64)
        rows = (parameters.weights, parameters.word_weights)
        documents = (batch.starts, batch.words, batch.counts, *rows, on, lengths)
        pool.run(split(document_inputs, size, self._threads, *documents), self._threads)
        biased = (on, lengths, parameters.hidden_bias, scores)
        pool.run(split(squash_inputs, size, self._threads, *biased), self._threads)
        return Seen(batch, on, lengths, scores)

    def gibbs(
        self, seen: Seen, place: Place, *, steps: int, weighted: bool, chains: Chains | None
    ) -> Seen:
        """Words and hidden units in turn, from the documents on or from where chains were left."""
        batch, epoch = seen.batch, place.epoch
        chain = self._new_chain(batch)
        ones = np.ones(len(chain.words), dtype=np.int32)
        words = CountBatch(chain.ids, chain.starts, chain.words, ones)
        hidden = self._workspace.array("hidden", seen.posteriors.shape, np.float32)
        self._draw_hidden(batch.document_ids, seen.posteriors, hidden, epoch, 0)
        if chains is not None:
            _go_on(chains, batch.document_ids, hidden)
        sample = seen
        for step in range(steps):
            if step:
                self._draw_hidden(batch.document_ids, sample.posteriors, hidden, epoch, step)
            chain_kernels.draw_words(
                chain_kernels.Place(self._seed, epoch, step),
                self._parameters if weighted else self._unweighted,
                hidden,
                chain,
                self._threads,
            )
            sample = self.see(words, "sample")
        if chains is not None:
            self._draw_hidden(batch.document_ids, sample.posteriors, hidden, epoch, steps)
            chains.hidden[batch.document_ids] = np.packbits(hidden.astype(bool), axis=1)
            chains.started[batch.document_ids] = 1
        return sample

    def walk(self, seen: Seen, place: Place, *, steps: int, proposals: int, weighted: bool) -> Seen:
        """The same with words that move from where they are: first from the documents' own."""
        batch, sample, epoch = seen.batch, seen, place.epoch
        ids, chain = batch.document_ids, self._new_chain(batch)
        chain.words[:] = np.repeat(batch.words, batch.counts)
        words = CountBatch(ids, chain.starts, chain.words, np.ones_like(chain.words))
        hidden = self._workspace.array("hidden", seen.posteriors.shape, np.float32)
        model = self._offers.beside(self._parameters if weighted else self._unweighted)
        for step in range(steps):
            self._draw_hidden(ids, sample.posteriors, hidden, epoch, step)
            place_of_draws = (self._seed, epoch, step, proposals)
            given = (*place_of_draws, model, hidden, ids, chain.starts, chain.words)
            tasks = split(metropolis.move_words, batch.size, self._threads, *given)
            pool.run(tasks, self._threads)
            sample = self.see(words, "sample")
        return sample

    def difference(self, seen: Seen, sample: Seen, pressure: Pressure) -> CpuGradient:
        """The mean over documents of <u h> in the samples less <u h> in the data."""
        size, units = seen.posteriors.shape
        vectors = self._workspace.array("vectors", (2 * size, units), np.float32)
        share = np.float32(1.0 / size)
        np.multiply(seen.posteriors, -share, out=vectors[:size])
        np.multiply(sample.posteriors, share, out=vectors[size:])
        factored = self._factored(seen.batch, sample.batch, vectors)
        lengths = np.concatenate([seen.lengths, sample.lengths]).astype(np.float32)
        hidden_bias = lengths @ vectors
        activity = seen.posteriors.mean(axis=0)
        penalty = 0.0
        if pressure.cost > 0.0:
            kernels.press_towards_target(
                0,
                units,
                kernels.Pressure(pressure.target, pressure.cost),
                activity,
                seen.posteriors,
                seen.lengths,
                vectors[:size],
                vectors[:0],
                hidden_bias,
            )
            excess = np.square(activity - pressure.target, dtype=np.float64)
            penalty = pressure.cost * float(excess.sum())
        return CpuGradient(
            factored=factored,
            hidden_bias=hidden_bias,
            visible_bias=None,
            learns_visible_bias=True,
            words=self._parameters.words,
            loss=self._free_energy_gap(seen, sample) + penalty,
            activity=activity,
        )

    def _new_chain(self, batch: CountBatch) -> chain_kernels.Chain:
        """A chain of as many tokens as each document has, not drawn yet."""
        tokens = np.add.reduceat(batch.counts, batch.starts[:-1])
        starts = np.concatenate([[0], np.cumsum(tokens)])
        words = self._workspace.array("chain", int(starts[-1]), np.int32)
        return chain_kernels.Chain(batch.document_ids, starts, words)

    def _draw_hidden(
        self,
        ids: NDArray[np.int64],
        posteriors: NDArray[np.float32],
        hidden: NDArray[np.float32],
        epoch: int,
        step: int,
    ) -> None:
        arguments = (self._seed, epoch, step, ids, posteriors, hidden)
        tasks = split(chain_kernels.draw_hidden, len(ids), self._threads, *arguments)
        pool.run(tasks, self._threads)

    def _factored(
        self, batch: CountBatch, sample: CountBatch, vectors: NDArray[np.float32]
    ) -> RowGradient:
        word_weights, size = self._parameters.word_weights, batch.size
        most = len(batch.words) + len(sample.words)
        workers = workers_for(size, self._threads)
        grouping = new_grouping(most, np.array([0, most]), self._slots.of(workers), vectors)
        entries, scalars = grouping.entries, grouping.rows.scalars
        n = 0
        for first_vector, part in ((0, batch), (size, sample)):
            rows = (part.starts, part.words, part.counts, word_weights)
            n = document_entries(0, size, *rows, first_vector, entries, n)
        entries.counts[0] = n
        scalars[:size], scalars[size:] = -1.0 / size, 1.0 / size
        pool.run_program(group_entries, workers, *grouping)
        return grouping.rows

    def _free_energy_gap(self, seen: Seen, sample: Seen) -> float:
        """Mean over documents of (F(document) - F(sample)) / L: what CD reports as its loss, for
        want of a real one.
        """
        parameters, data = self._parameters, seen.batch
        pull = (parameters.word_weights * parameters.visible_bias).astype(np.float64)
        given = np.add.reduceat(pull[data.words] * data.counts, data.starts[:-1])
        drawn = np.add.reduceat(pull[sample.batch.words], sample.batch.starts[:-1])
        return float(np.mean((drawn + sample.scores - given - seen.scores) / seen.lengths))


def _go_on(chains: Chains, ids: NDArray[np.int64], hidden: NDArray[np.float32]) -> None:
    """Hidden units of documents that have a chain, as it was left."""
    going = chains.started[ids] == 1
    hidden[going] = np.unpackbits(chains.hidden[ids[going]], axis=1, count=hidden.shape[1])
