"""The engine that says what is right: plain NumPy in float64, document by document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray

from undertow.counts import CountBatch, CountSource
from undertow.engines.protocol import Array, Place, Session, Start, WordLists
from undertow.engines.reference.documents import sums_of_rows
from undertow.engines.reference.session import ReferenceSession
from undertow.kernels.reference import energies, gibbs
from undertow.model.parameters import Parameters


class ReferenceEngine:
    """For models and corpora that are small: it makes arrays of documents x noise x words."""

    name = "reference"

    def begin(self, parameters: Parameters, start: Start) -> ReferenceSession:
        return ReferenceSession(parameters, start)

    def source(self, source: CountSource) -> CountSource:
        return source

    def replica(self, number: int, replicas: int) -> ReferenceEngine:
        return self

    def together(self, works: Sequence[Callable[[], None]]) -> None:
        for work in works:
            work()

    def meet(self, sessions: Sequence[Session], names: Sequence[str], words: WordLists) -> bool:
        return False

    def holding(self, arrays: Sequence[Array]) -> AbstractContextManager[None]:
        return nullcontext()

    def inputs(
        self, rows: Array, word_weights: Array, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        wide = rows.astype(np.float64), word_weights.astype(np.float64)
        sums, lengths = sums_of_rows(*wide, batch)
        return sums.astype(np.float32), lengths

    def posteriors(
        self, parameters: Parameters, batch: CountBatch
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        W, a, w = (
            array.astype(np.float64)
            for array in (parameters.weights, parameters.hidden_bias, parameters.word_weights)
        )
        sums, lengths = sums_of_rows(W, w, batch)
        x = sums + lengths[:, None] * a
        scores = np.logaddexp(0.0, x).sum(axis=1) - len(a) * np.log(2.0)
        return energies.sigmoid(x).astype(np.float32), scores

    def sample(
        self,
        parameters: Parameters,
        chances: NDArray[np.float32],
        batch: CountBatch,
        place: Place,
        seed: int,
    ) -> CountBatch:
        arrays = parameters.arrays()
        W, a, b, w = (
            arrays[name].astype(np.float64)
            for name in ("weights", "hidden_bias", "visible_bias", "word_weights")
        )
        ids = batch.document_ids
        hidden = gibbs.hidden_units(seed, *place, ids, chances.astype(np.float64))
        logits = energies.word_logits(hidden, W, a, b, w)
        tokens = np.add.reduceat(batch.counts, batch.starts[:-1])
        words = [
            gibbs.words_of(seed, *place, int(document), logits[d], int(tokens[d]))
            for d, document in enumerate(ids)
        ]
        starts = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int64)
        drawn = np.concatenate(words)
        return CountBatch(ids, starts, drawn, np.ones(len(drawn), dtype=np.int32))
