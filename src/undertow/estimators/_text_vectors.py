"""Texts as counts and as vectors: the model's own, joined with those of another encoder where it
was fitted with some.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow._errors import InvalidInput
from undertow.corpus.texts import with_columns
from undertow.estimators._documents import read_blocks
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.word_parts import COMPARED
from undertow.spool import CountSpool
from undertow.topics import Atlas
from undertow.topics.clusters import Vectors
from undertow.vectors.given import GivenVectors, given_vectors, part_of
from undertow.vectors.joining import asked, join, unit

if TYPE_CHECKING:
    from undertow.corpus import Vectorizer
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax
    from undertow.vectors import Perplexity

JOINED = ("balanced", COMPARED)  # the kinds that vectors of another encoder are joined with


class TextVectors:
    """The parts of a `TopicModel`, and what they make of texts."""

    softmax_: ReplicatedSoftmax
    vectorizer_: Vectorizer
    vectors_width_: int = 0
    atlas_: Atlas

    def counts(self, texts: Any) -> sparse.csr_array:
        """Word counts of texts; words that the vocabulary does not know are left out
        (`vectorizer_.coverage` counts them).

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.

        Returns
        -------
        sparse array (documents, words)
            Counts.

        Examples
        --------
        >>> model.counts(["moon moon zebra"]).sum(axis=1)
        array([2])
        """
        check_is_fitted(self)
        return self.vectorizer_.transform(self._documents(texts))

    def encode(
        self,
        texts: Any,
        kind: str | None = None,
        *,
        vectors: Any = None,
        n_bits: int | None = None,
    ) -> NDArray[Any]:
        """Document vectors of any kind.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        kind : {"balanced", "posterior", "soft", "activation", "strength", "code"} or None
            What they say; `ReplicatedSoftmax` explains each. None for `features`.
        vectors : array-like or None
            Of a model that was fitted with vectors, "balanced" and "strength" are joined with those
            of these texts, which they need: (documents, units + dimensions), each side of length 1.
            The other kinds are the model's own.
        n_bits : int or None
            Of codes: 32, 64, 128 or 256, where they are fewer than the units; None for one for each
            unit.

        Returns
        -------
        array (documents, dimensions)
            Vectors; of codes, bytes.

        Examples
        --------
        >>> model.encode(texts, "strength").shape, model.encode(texts, "code").shape
        ((120, 16), (120, 2))
        """
        check_is_fitted(self)
        if not self._joins(kind):
            if vectors is not None and self.vectors_width_:
                raise InvalidInput(
                    f"vectors must be left out unless the kind is "
                    f"{' or '.join(map(repr, JOINED))}, got some"
                )
            if vectors is not None:
                self._needed(vectors)  # says that none is
            return self.softmax_.encode(self.counts(texts), kind, n_bits=n_bits)
        others, counts = self._needed(vectors), self.counts(texts)
        others.check_documents(counts.shape[0])
        own = self.softmax_.encode(counts, kind, n_bits=n_bits)
        # strengths of no words are a vector, too
        own[~(counts @ self.softmax_.parameters_.word_weights > 0)] = 0.0
        return join(own, others.part(0, len(own)))

    def score(self, texts: Any, y: Any = None) -> float:
        """Split-half retrieval: how often one half of a text's words finds the other. It needs no
        labels.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        y : None
            Ignored.

        Returns
        -------
        float
            From 0 to 1.

        Examples
        --------
        >>> 0 < model.score(texts) < 1
        True
        """
        counts = self.counts(texts)
        return self.softmax_.score(counts)

    def log_likelihood(
        self,
        texts: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        random_state: Any = None,
    ) -> NDArray[np.float64]:
        """log p(text | its number of words), of the words that the vocabulary knows.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        method, n_temperatures, n_chains, random_state
            As of `ReplicatedSoftmax.log_likelihood`.

        Returns
        -------
        array (documents,)
            Log-probabilities.

        Examples
        --------
        >>> model.log_likelihood(["moon", ""]).shape
        (2,)
        """
        counts = self.counts(texts)
        return self.softmax_.log_likelihood(
            counts,
            method=method,
            n_temperatures=n_temperatures,
            n_chains=n_chains,
            random_state=random_state,
        )

    def perplexity(
        self,
        texts: Any,
        *,
        method: str = "auto",
        n_temperatures: int = 1000,
        n_chains: int = 100,
        confidence: float = 0.95,
        random_state: Any = None,
    ) -> Perplexity:
        """How well the words of texts are guessed, with intervals.

        Parameters
        ----------
        texts : texts, table or Corpus
            Any texts.
        method, n_temperatures, n_chains, confidence, random_state
            As of `ReplicatedSoftmax.perplexity`.

        Returns
        -------
        Perplexity
            The value, where it lies, and the unigram's beside it.

        Examples
        --------
        >>> model.perplexity(texts).documents
        120
        """
        counts = self.counts(texts)
        return self.softmax_.perplexity(
            counts,
            method=method,
            n_temperatures=n_temperatures,
            n_chains=n_chains,
            confidence=confidence,
            random_state=random_state,
        )

    def _joins(self, kind: str | None = None) -> bool:
        """Whether vectors of this kind, or of that of `transform`, are joined with others."""
        return (
            bool(self.vectors_width_)
            and (self.softmax_.features if kind is None else kind) in JOINED
        )

    @property
    def _n_features_out(self) -> int:
        check_is_fitted(self)
        return self.softmax_._n_features_out + (self.vectors_width_ if self._joins() else 0)

    def _documents(self, texts: Any) -> Any:
        """Texts to read; of a table, from the columns that it was fitted on."""
        return with_columns(several(texts), getattr(self, "columns_", {}))

    def _others(self, vectors: Any) -> GivenVectors | None:
        """The vectors that came with texts, if the model was fitted with some."""
        return None if vectors is None and not self.vectors_width_ else self._needed(vectors)

    def _needed(self, vectors: Any) -> GivenVectors:
        """The same, checked; an error where there are none, or where there should be none."""
        width = self.vectors_width_
        if vectors is None:
            raise InvalidInput(
                f"vectors must be given, {width:,} numbers for each text, as the model was fitted "
                f"with some, got none"
            )
        if not width:
            raise InvalidInput(
                "vectors must be left out, as the model was fitted without any, got some: "
                "fit it with vectors, or call grow_topics with them"
            )
        others = given_vectors(vectors)
        others.check_width(width, of="the model")
        return others

    def _atlas(self) -> Atlas:
        check_is_fitted(self)
        atlas: Atlas | None = getattr(self, "atlas_", None)
        if atlas is None:
            raise InvalidInput(
                "the model must hold a tree of topics, got one of an earlier version without it: "
                "call grow_topics(texts), or fit again"
            )
        return atlas

    # What documents are compared by

    @property
    def _count_transform(self) -> Any:
        return self.softmax_.count_transform

    def _own_vectors(self, damped: sparse.csr_array) -> Vectors:
        """Strengths of length 1; nan for a document without a word that counts."""
        vectors = unit(self.softmax_._encoded(damped, COMPARED))
        vectors[~((damped @ self.softmax_.parameters_.word_weights) > 0)] = np.nan
        return vectors

    def _unit_vectors(
        self, damped: sparse.csr_array, others: NDArray[Any] | None = None
    ) -> Vectors:
        """What documents are compared by: own vectors, joined with others in a model that was
        fitted so.

        Of length 1, and nan for a document without either. Without the others' part, where there
        should be one, own vectors are so long that they count for both.
        """
        own = self._own_vectors(damped)
        if not self.vectors_width_:
            return own
        if others is None:
            vectors = asked(own, np.zeros((len(own), self.vectors_width_), dtype=np.float32))
        else:
            vectors = unit(join(own, others))
        vectors[~vectors.any(axis=1)] = np.nan
        return vectors

    def _vectors_of_texts(
        self, texts: Any, others: GivenVectors | None = None
    ) -> Iterator[Vectors]:
        first = 0
        for chunk in self.vectorizer_.count_chunks(self._documents(texts)):
            last = first + chunk.counts.shape[0]
            part = part_of(others, first, last)
            yield self._unit_vectors(transformed_counts(chunk.counts, self._count_transform), part)
            first = last
        if others is not None:
            others.check_documents(first)

    def _vectors_of_counts(
        self, counts: sparse.csr_array, others: GivenVectors | None = None
    ) -> Vectors:
        width = self.softmax_.parameters_.units + self.vectors_width_
        return np.concatenate(
            [np.zeros((0, width), dtype=np.float32), *self._all_vectors(counts, others)]
        )

    def _all_vectors(
        self, counts: sparse.csr_array | CountSpool, others: GivenVectors | None = None
    ) -> Iterator[Vectors]:
        first = 0
        for block in read_blocks(counts):
            damped = (
                block
                if isinstance(counts, CountSpool)
                else transformed_counts(block, self._count_transform)
            )
            last = first + damped.shape[0]
            yield self._unit_vectors(damped, part_of(others, first, last))
            first = last


def several(texts: Any) -> Any:
    """Refuses a single text, which would be read letter by letter."""
    if isinstance(texts, (str, bytes)):
        raise InvalidInput("texts must be a list of texts, got a single text: put it into a list")
    return texts
