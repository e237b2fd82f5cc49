"""Texts as an index needs them: what the model takes in, unit vectors, and which topics are on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.counts.batch import CountBatch
from undertow.vectors.features import inputs_in_numpy, mean_inputs, strengths_of
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.estimators import TopicModel
    from undertow.model import Parameters


@dataclass(frozen=True)
class Encoded:
    """Some texts, a row each.

    Vectors are the model's strengths, each of length 1: of all kinds they retrieve best. `known`
    says which texts have a word that the model goes by; the others have a vector that means
    nothing.
    """

    batch: CountBatch  # words and counts, as the model takes them in
    known: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    on: NDArray[np.bool_]  # posteriors above 1/2

    @classmethod
    def of(cls, model: TopicModel, counts: sparse.csr_array) -> Encoded:
        """Word counts of many texts. The estimator would do the same, but checks for milliseconds
        what was counted.
        """
        from undertow.engines import find_engine
        from undertow.estimators.model_inputs import transformed_counts
        from undertow.vectors.encoding import inputs

        softmax = model.softmax_
        batch = CountBatch.from_csr(transformed_counts(counts, softmax.count_transform))
        engine = find_engine(softmax.engine, threads=softmax.n_jobs, device=softmax.device)
        seen = inputs(softmax.parameters_, batch, engine=engine)
        return cls._of_inputs(softmax.parameters_, batch, softmax.typical_length_, *seen)

    @classmethod
    def of_questions(
        cls, parameters: Parameters, batch: CountBatch, typical_length: float
    ) -> Encoded:
        """Damped counts of questions and other few texts, without anything compiled."""
        seen = inputs_in_numpy(parameters, batch)
        return cls._of_inputs(parameters, batch, typical_length, *seen)

    @classmethod
    def _of_inputs(
        cls,
        parameters: Parameters,
        batch: CountBatch,
        typical_length: float,
        sums: NDArray[np.float32],  # W.u; it is written over
        lengths: NDArray[np.float64],
    ) -> Encoded:
        """What hidden units see of texts is computed once: units that are on and strengths follow.

        A posterior is above 1/2 where its argument is above 0.
        """
        bias = parameters.hidden_bias
        on = sums + lengths[:, None].astype(np.float32) * bias > 0
        vectors = unit(strengths_of(mean_inputs(sums, lengths, bias), typical_length))
        return cls(batch, (lengths > 0) & vectors.any(axis=1), vectors, on)

    @property
    def codes(self) -> NDArray[np.uint8]:
        """`on` as packed bits."""
        return np.packbits(self.on, axis=1)

    def words(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The columns of a text's words, and how often each counts."""
        own = slice(self.batch.starts[row], self.batch.starts[row + 1])
        return self.batch.words[own], self.batch.counts[own]
