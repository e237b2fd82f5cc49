"""The engine of this machine's cores: kernels compiled by numba, on threads of our own.

Threads never change a result. `kernels.cpu` has the kernels; this package puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch, CountSource
from undertow.engines.cpu.meeting import meet
from undertow.engines.cpu.session import CpuSession
from undertow.engines.protocol import Array, Place, Session, Start, WordLists
from undertow.kernels.cores import thread_count
from undertow.kernels.cpu import gibbs, pool
from undertow.kernels.cpu.documents import document_inputs, squash_inputs
from undertow.kernels.cpu.splitting import split
from undertow.model.parameters import Parameters

DOCUMENTS_PER_TASK = 32


class CpuEngine:
    """Computes on so many threads; None for one per core.

    `team`: the number of the team that takes the steps of a replica; else the pool takes them.
    """

    name = "cpu"

    def __init__(self, threads: int | None = None, *, team: int | None = None) -> None:
        self.threads, self._team = thread_count(threads), team

    def begin(self, parameters: Parameters, start: Start) -> CpuSession:
        return CpuSession(parameters, start, self.threads, self._team)

    def source(self, source: CountSource) -> CountSource:
        return source

    def replica(self, number: int, replicas: int) -> CpuEngine:
        """One thread, or a team where there are more threads than replicas. Replicas wait for
        nobody while they take their steps.
        """
        return CpuEngine(max(self.threads // replicas, 1), team=number)

    def together(self, works: Sequence[Callable[[], None]]) -> None:
        pool.run([(work, ()) for work in works], self.threads)

    def meet(self, sessions: Sequence[Session], names: Sequence[str], words: WordLists) -> bool:
        held = [session.arrays() for session in sessions]
        return meet([[arrays[name] for arrays in held] for name in names], words, self.threads)

    def holding(self, arrays: Sequence[Array]) -> AbstractContextManager[None]:
        return nullcontext()

    def inputs(
        self, rows: Array, word_weights: Array, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        sums = np.empty((batch.size, rows.shape[1]), dtype=np.float32)
        lengths = np.empty(batch.size)
        documents = (batch.starts, batch.words, batch.counts, rows, word_weights)
        self._run(document_inputs, batch.size, *documents, sums, lengths)
        return sums, lengths

    def posteriors(
        self, parameters: Parameters, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        on, lengths = self.inputs(parameters.weights, parameters.word_weights, batch)
        scores = np.empty(batch.size)
        self._run(squash_inputs, batch.size, on, lengths, parameters.hidden_bias, scores)
        return on, scores

    def sample(
        self,
        parameters: Parameters,
        chances: NDArray[np.float32],
        batch: CountBatch,
        place: Place,
        seed: int,
    ) -> CountBatch:
        ids, words = batch.document_ids, np.empty(int(batch.starts[-1]), dtype=np.int32)
        hidden = np.empty(chances.shape, dtype=np.float32)
        gibbs.draw_hidden(0, batch.size, seed, *place, ids, chances, hidden)
        chain = gibbs.Chain(ids, batch.starts, words)
        gibbs.draw_words(gibbs.Place(seed, *place), parameters, hidden, chain, self.threads)
        return CountBatch(ids, batch.starts, words, np.ones(len(words), dtype=np.int32))

    def _run(self, kernel: Callable[..., Any], items: int, *arguments: Any) -> None:
        tasks = split(kernel, items, self.threads, *arguments, least=DOCUMENTS_PER_TASK)
        pool.run(tasks, self.threads)
