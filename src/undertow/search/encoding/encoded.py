"""Texts as an index needs them: what the model takes in, unit vectors, and codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from undertow.counts.batch import CountBatch
from undertow.vectors.codes import Codes, seen_as_code
from undertow.vectors.features import inputs_in_numpy

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
    bits: NDArray[np.bool_]  # of codes

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
        by = softmax.typical_length_, softmax.codes_
        return cls._of_inputs(softmax.parameters_, batch, *by, *seen)

    @classmethod
    def of_questions(
        cls, parameters: Parameters, batch: CountBatch, typical_length: float, codes: Codes | None
    ) -> Encoded:
        """Damped counts of questions and other few texts, without anything compiled."""
        seen = inputs_in_numpy(parameters, batch)
        return cls._of_inputs(parameters, batch, typical_length, codes, *seen)

    @classmethod
    def _of_inputs(
        cls,
        parameters: Parameters,
        batch: CountBatch,
        typical_length: float,
        codes: Codes | None,
        sums: NDArray[np.float32],  # W.u; it is written over
        lengths: NDArray[np.float64],
    ) -> Encoded:
        """What hidden units see of texts is computed once: strengths and codes follow."""
        by = parameters.hidden_bias, typical_length, codes
        vectors, bits = seen_as_code(sums, lengths, *by)
        return cls(batch, (lengths > 0) & vectors.any(axis=1), vectors, bits)

    @property
    def codes(self) -> NDArray[np.uint8]:
        """`bits`, packed into bytes."""
        return np.packbits(self.bits, axis=1)

    def words(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The columns of a text's words, and how often each counts."""
        own = slice(self.batch.starts[row], self.batch.starts[row + 1])
        return self.batch.words[own], self.batch.counts[own]
