"""Contrastive divergence (CD-k) and its persistent form (PCD): the learners that alpha-NCE is
compared with.

The gradient is the mean over documents of <u h> in the data less <u h> after k Gibbs steps. Both
phases are sparse: only rows of W that occur in the documents or in the samples are touched. What
grows with K is the softmax over words, see `kernels.cpu.gibbs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.counts import CountBatch
from undertow.kernels.cpu import gibbs, threads
from undertow.kernels.cpu.contrast import press_towards_target
from undertow.kernels.cpu.documents import document_inputs, squash_inputs
from undertow.kernels.cpu.rows import RowGradient, document_entries, group_entries
from undertow.learn.gradient import Gradient, new_grouping, new_slots
from undertow.learn.options import Options
from undertow.learn.step import StepContext
from undertow.learn.workspace import Workspace
from undertow.model.parameters import Parameters


@dataclass(frozen=True)
class ContrastiveDivergence(Options):
    """Options of CD-k; with `persistent` the chain of a document goes on from where it was in the
    last epoch.

    `words` says how the chain draws words where words have weights. "unweighted" draws from
    softmax(W.h + b), the paper's Eq. 3, and weights the words drawn; "exact" draws from the
    weighted model, softmax(w (W.h + b + a.h)), under which words of weight near 0 soon are all that
    is drawn. Without weights the two are the same.
    """

    n_steps: int = 1
    persistent: bool = False
    words: Literal["unweighted", "exact"] = "unweighted"

    def __post_init__(self) -> None:
        _check.whole_number("n_steps", self.n_steps, at_least=1)
        _check.one_of("words", self.words, ("unweighted", "exact"))

    def begin(self, context: StepContext) -> DivergenceStep:
        """The step of a run, with its buffers and chains."""
        return DivergenceStep(self, context)


class DivergenceStep:
    """Turns minibatches into gradients.

    A persistent chain keeps its document's D. Its state is the document's hidden units, packed to
    bits: the words are drawn anew from them, so nothing else has to be remembered.
    """

    def __init__(self, options: ContrastiveDivergence, context: StepContext) -> None:
        self._options, self._context = options, context
        self._workspace = Workspace()
        self._slots = new_slots(context.parameters.words, context.threads)
        parameters = context.parameters
        self._word_model = (
            parameters  # what words are drawn from; it shares W and b with the parameters
        )
        if options.words == "unweighted":
            ones, zeros = (
                np.ones_like(parameters.word_weights),
                np.zeros_like(parameters.hidden_bias),
            )
            self._word_model = Parameters(parameters.weights, zeros, parameters.visible_bias, ones)
        self.state: dict[str, NDArray[Any]] = {}
        if options.persistent:
            bytes_per_chain = -(-context.parameters.units // 8)
            self.state["chains"] = np.zeros((context.documents, bytes_per_chain), dtype=np.uint8)
            self.state["started"] = np.zeros(context.documents, dtype=np.uint8)

    def gradient(self, batch: CountBatch, *, epoch: int, number: int) -> Gradient:
        """Positive phase, k Gibbs steps, negative phase."""
        size, units = batch.size, self._context.parameters.units
        vectors = self._workspace.array("vectors", (2 * size, units), np.float32)
        posteriors = self._workspace.array("posteriors", (size, units), np.float32)
        lengths, scores = self._posteriors("data", batch, posteriors)

        chain = self._new_chain(batch)
        sample = CountBatch(
            chain.ids, chain.starts, chain.words, np.ones(len(chain.words), dtype=np.int32)
        )
        sampled = self._workspace.array("sampled", (size, units), np.float32)
        hidden = self._first_hidden(batch, posteriors, epoch)
        for step in range(self._options.n_steps):
            if step:
                self._draw_hidden(batch.document_ids, sampled, hidden, epoch, step)
            place = gibbs.Place(self._context.seed, epoch, step)
            gibbs.draw_words(place, self._word_model, hidden, chain, self._context.threads)
            sample_lengths, sample_scores = self._posteriors("sample", sample, sampled)
        if self._options.persistent:
            self._draw_hidden(batch.document_ids, sampled, hidden, epoch, self._options.n_steps)
            self.state["chains"][batch.document_ids] = np.packbits(hidden.astype(bool), axis=1)
            self.state["started"][batch.document_ids] = 1

        share = np.float32(1.0 / size)
        np.multiply(posteriors, -share, out=vectors[:size])
        np.multiply(sampled, share, out=vectors[size:])
        rows = self._rows(batch, sample, vectors)
        all_lengths = np.concatenate([lengths, sample_lengths]).astype(np.float32)
        hidden_bias = all_lengths @ vectors
        activity = posteriors.mean(axis=0)
        sparsity = self._context.sparsity
        if sparsity.cost > 0.0:
            seen = (activity, posteriors, lengths)
            press_towards_target(
                0, units, sparsity.pressure, *seen, vectors[:size], vectors[:0], hidden_bias
            )
        gap = self._free_energy_gap(batch, sample, scores, sample_scores, lengths)
        return Gradient(
            rows=rows,
            hidden_bias=hidden_bias,
            visible_bias=None,
            learns_visible_bias=True,
            loss=gap + sparsity.penalty(activity),
            activity=activity,
        )

    def _posteriors(
        self, name: str, batch: CountBatch, out: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Writes P(h | document) to `out`; gives lengths and scores."""
        context, parameters = self._context, self._context.parameters
        lengths = self._workspace.array(f"{name} lengths", batch.size, np.float64)
        scores = self._workspace.array(f"{name} scores", batch.size, np.float64)
        documents = (
            batch.starts,
            batch.words,
            batch.counts,
            parameters.weights,
            parameters.word_weights,
        )
        threads.run(
            threads.split(document_inputs, batch.size, context.threads, *documents, out, lengths),
            context.threads,
        )
        biased = (out, lengths, parameters.hidden_bias, scores)
        threads.run(
            threads.split(squash_inputs, batch.size, context.threads, *biased), context.threads
        )
        return lengths, scores

    def _new_chain(self, batch: CountBatch) -> gibbs.Chain:
        tokens = np.add.reduceat(batch.counts, batch.starts[:-1])
        starts = np.concatenate([[0], np.cumsum(tokens)])
        return gibbs.Chain(
            batch.document_ids, starts, self._workspace.array("chain", int(starts[-1]), np.int32)
        )

    def _first_hidden(
        self, batch: CountBatch, posteriors: NDArray[np.float32], epoch: int
    ) -> NDArray[np.float32]:
        """Where the chains begin: at the data, or where persistent ones were left."""
        hidden = self._workspace.array("hidden", posteriors.shape, np.float32)
        self._draw_hidden(batch.document_ids, posteriors, hidden, epoch, 0)
        if self._options.persistent:
            going = self.state["started"][batch.document_ids] == 1
            bits = np.unpackbits(
                self.state["chains"][batch.document_ids[going]], axis=1, count=posteriors.shape[1]
            )
            hidden[going] = bits
        return hidden

    def _draw_hidden(
        self,
        ids: NDArray[np.int64],
        posteriors: NDArray[np.float32],
        hidden: NDArray[np.float32],
        epoch: int,
        step: int,
    ) -> None:
        context = self._context
        arguments = (context.seed, epoch, step, ids, posteriors, hidden)
        threads.run(
            threads.split(gibbs.draw_hidden, len(ids), context.threads, *arguments), context.threads
        )

    def _rows(
        self, batch: CountBatch, sample: CountBatch, vectors: NDArray[np.float32]
    ) -> RowGradient:
        word_weights, size = self._context.parameters.word_weights, batch.size
        most = len(batch.words) + len(sample.words)
        grouping = new_grouping(most, np.array([0, most]), self._slots, vectors)
        entries, scalars = grouping.entries, grouping.rows.scalars
        n = document_entries(
            0, size, batch.starts, batch.words, batch.counts, word_weights, 0, entries, 0
        )
        n = document_entries(
            0, size, sample.starts, sample.words, sample.counts, word_weights, size, entries, n
        )
        entries.counts[0] = n
        scalars[:size], scalars[size:] = -1.0 / size, 1.0 / size
        threads.run_together(group_entries, self._context.threads, *grouping)
        return grouping.rows

    def _free_energy_gap(
        self,
        batch: CountBatch,
        sample: CountBatch,
        scores: NDArray[np.float64],
        sample_scores: NDArray[np.float64],
        lengths: NDArray[np.float64],
    ) -> float:
        """Mean over documents of (F(document) - F(sample)) / L: what CD reports as its loss, for
        want of a real one.
        """
        parameters = self._context.parameters
        pull = (parameters.word_weights * parameters.visible_bias).astype(np.float64)
        data = np.add.reduceat(pull[batch.words] * batch.counts, batch.starts[:-1])
        drawn = np.add.reduceat(pull[sample.words], sample.starts[:-1])
        return float(np.mean((drawn + sample_scores - data - scores) / lengths))
