"""Retrieval judged by words that the question does not hold: a measure of grouping that needs no
labels.

One half of a document asks; the documents that it finds, by cosine of their vectors, should share
words with the *other* half, which the question did not contain. Shared words are weighed by idf
(cosine of tf-idf). The figure is how many times more they share than documents drawn at random: 1
is chance, whatever the corpus.

Split-half retrieval asks for one document, the other half of the same: it rewards telling documents
apart. This asks for documents about the same thing, as retrieval by label does, and follows it more
closely.

Vectors that are all alike find documents by their place alone, which is chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import checked_counts, idf_weights
from undertow.tasks import _vectors
from undertow.tasks.split_half import split_halves, splittable

Encode = Callable[[sparse.csr_array], Any]


class UnseenHalves:
    """Judges vectors without labels: do documents that one half of a text finds share words with
    its other half?

    Questions, their unseen halves, and documents to find are made once, and asked of many models.

    Parameters
    ----------
    questions, documents : sparse matrix (documents, words)
        Word counts.
    nearest : int
        How many documents each question finds; half of all documents at most.
    seed : int
        Decides how questions are split.

    Examples
    --------
    >>> from undertow.tasks import UnseenHalves
    >>> counts = sparse.csr_array([[3, 3, 0, 0], [2, 4, 0, 0], [0, 0, 3, 3], [0, 0, 4, 2]])
    >>> halves = UnseenHalves(counts, counts, nearest=2)
    """

    def __init__(self, questions: Any, documents: Any, *, nearest: int = 50, seed: int = 0) -> None:
        asked, self._documents = checked_counts(questions), checked_counts(documents)
        if asked.shape[1] != self._documents.shape[1]:
            raise InvalidInput(
                f"questions must have {self._documents.shape[1]} words, got {asked.shape[1]}"
            )
        rows = splittable(asked)
        if not len(rows):
            raise InvalidInput("questions must hold a document of at least 2 tokens, got none")
        most = max(self._documents.shape[0] // 2, 1)  # all of them would be chance
        self._nearest = min(_check.whole_number("nearest", nearest, at_least=1), most)
        self._questions, unseen = split_halves(asked[rows], seed=seed, document_ids=rows)
        weights = idf_weights(self._documents)
        self._words, self._unseen = (
            _unit_tf_idf(self._documents, weights),
            _unit_tf_idf(unseen, weights),
        )
        self._by_chance = float(
            (self._unseen @ np.asarray(self._words.mean(axis=0)).ravel()).mean()
        )
        if self._by_chance == 0.0:
            raise InvalidInput(
                "documents must share a word of positive weight with questions, got none in common"
            )

    def lift(self, encode: Encode, *, block: int = 256) -> float:
        """How many times more words the documents found share with the unseen halves than random
        documents do.

        Parameters
        ----------
        encode : callable
            Turns counts into a matrix with a row for each document.
        block : int
            Questions compared with all documents at a time.

        Returns
        -------
        float
            1 is chance.

        Examples
        --------
        >>> halves.lift(lambda counts: counts.toarray()) > 1.5
        True
        """
        asked = _vectors.unit_rows(_vectors.matrix("encode's result", encode(self._questions)))
        stored = _vectors.unit_rows(_vectors.matrix("encode's result", encode(self._documents)))
        total = 0.0
        for first in range(0, len(asked), block):
            similarity = asked[first : first + block] @ stored.T
            found = np.argpartition(-similarity, self._nearest - 1, axis=1)[:, : self._nearest]
            total += self._shared(first, found)
        return total / len(asked) / self._by_chance

    def _shared(self, first: int, found: NDArray[np.intp]) -> float:
        """Sum over questions of the mean cosine of their unseen halves with the documents found."""
        number, nearest = found.shape
        starts = np.arange(number + 1) * nearest
        mean = sparse.csr_array(
            (np.full(found.size, 1.0 / nearest), found.ravel(), starts),
            shape=(number, self._words.shape[0]),
        )
        return float((mean @ self._words).multiply(self._unseen[first : first + number]).sum())


def _unit_tf_idf(counts: sparse.csr_array, weights: NDArray[np.float64]) -> sparse.csr_array:
    """Weighted counts, every document of length 1; one without weight stays 0."""
    data = counts.data * weights[counts.indices]
    owners = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(owners, weights=data**2, minlength=counts.shape[0]))
    data /= np.where(lengths > 0, lengths, 1.0)[owners]
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
