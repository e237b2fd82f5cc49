"""The tree of topics behind `TopicModel`: grown after training, kept up to date, and stored."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from undertow._errors import InvalidInput, ModelFileError
from undertow.corpus.texts import Watched
from undertow.estimators._documents import read_rows
from undertow.estimators._shared_documents import SharedDocuments
from undertow.estimators._topic_curation import TopicCuration
from undertow.estimators.model_inputs import transformed_counts
from undertow.estimators.travelling import travelling
from undertow.spool import CountSpool
from undertow.topics import Atlas, Drift, drift, stored_atlas
from undertow.topics.clusters import Vectors
from undertow.topics.curation import Curation
from undertow.topics.grow import Sample, grow
from undertow.topics.text_sample import SampledTexts, TextSample, sampled_rows
from undertow.vectors.given import GivenVectors, given_vectors, stored_width

if TYPE_CHECKING:
    from undertow.storage import StoredModel

logger = logging.getLogger("undertow")


class TopicGrowth(TopicCuration):
    """The tree of topics, grown: `atlas_` holds it; a model of an earlier version has none."""

    drift_: Drift | None

    def _grow(
        self,
        counts: sparse.csr_array | CountSpool | SharedDocuments,
        texts: SampledTexts | None,
        others: GivenVectors | None = None,
    ) -> None:
        """Grows the tree from a sample of the documents that were trained on, and counts all of
        them into it.
        """
        softmax, self.vectors_width_ = self.softmax_, 0 if others is None else others.width
        documents = _number_of(counts)
        rows = sampled_rows(documents)
        if isinstance(counts, SharedDocuments):
            damped = counts.counts_of(rows)
        elif isinstance(counts, CountSpool):
            damped = read_rows(counts, rows)
        else:
            damped = transformed_counts(counts[rows], softmax.count_transform)
        vectors = self._unit_vectors(damped, None if others is None else others.take(rows))
        sample = Sample(vectors, damped, texts, documents, self.vectors_width_)
        atlas = grow(sample, self.vectorizer_, seed=softmax._seed, threads=softmax.n_jobs)
        if documents > len(rows):
            atlas = self._with_sizes(atlas, counts, others)
        self.atlas_, self.curation_, self.drift_ = atlas, Curation(), None

    def _with_sizes(
        self,
        atlas: Atlas,
        counts: sparse.csr_array | CountSpool | SharedDocuments,
        others: GivenVectors | None,
    ) -> Atlas:
        """The tree with all documents counted into it, where they lie."""
        if isinstance(counts, SharedDocuments):
            return counts.with_sizes(atlas, travelling(self), others)
        return drift.with_sizes(atlas, self._all_vectors(counts, others), self.softmax_.n_jobs)

    def _take_in(
        self,
        counts: sparse.csr_array,
        before: Vectors,
        texts: SampledTexts,
        others: GivenVectors | None = None,
    ) -> None:
        """After `partial_fit`: the tree follows the parameters, and the new documents are counted
        into it.
        """
        if not hasattr(self, "atlas_"):
            self._grow(counts, texts, others)
            return
        new = drift.NewDocuments(before, self._vectors_of_counts(counts, others), counts)
        words = tuple(str(word) for word in self.vectorizer_.get_feature_names_out())
        softmax = self.softmax_
        self.atlas_, self.drift_ = drift.updated(
            self.atlas_, new, words, seed=softmax._seed, threads=softmax.n_jobs
        )

    def _plant(self, seeds: Mapping[str, Sequence[str]] | None) -> None:
        for name, words in (seeds or {}).items():
            if self.seed_topic(name, words) is None:
                logger.warning(
                    "the seed %r makes no topic: its words stand out in no part of the corpus", name
                )

    def grow_topics(self, texts: Any, *, vectors: Any = None) -> Self:
        """Grows the tree of topics anew from these texts, without training: for a model of an
        earlier version, say.

        Curation is applied to the new tree, as far as its topics are found again.

        Parameters
        ----------
        texts : texts, table or Corpus
            The texts to grow it from.
        vectors : array-like or None
            As in `fit`: the tree is grown from joined vectors, and without from the model's own,
            whatever the model was fitted with.

        Returns
        -------
        self
            The model.

        Examples
        --------
        >>> [topic.documents for topic in model.grow_topics(texts[:60]).topics(2)]
        [30, 30]
        """
        check_is_fitted(self)
        others = None if vectors is None else given_vectors(vectors)
        before = getattr(self, "curation_", Curation())
        kept = TextSample()
        counts = self.vectorizer_.transform(Watched(self._documents(texts), kept.see))
        if others is not None:
            others.check_documents(counts.shape[0])
        self._grow(counts, kept.close(), others)
        if before.actions:
            self.apply_curation(before)
        return self

    # Files

    def _stored_topics(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        atlas: Atlas | None = getattr(self, "atlas_", None)
        if atlas is None:
            return {}, {}
        vocabulary = [str(word) for word in self.vectorizer_.get_feature_names_out()]
        facts = {
            "topics": stored_atlas.plain(atlas, vocabulary),
            "curation": self.curation_.plain(),
        }
        return facts, stored_atlas.arrays_of(atlas)

    def _restore_topics(self, stored: StoredModel, path: str | os.PathLike[str]) -> None:
        try:
            self.vectors_width_ = stored_width(stored.training)
            if not stored.topics or stored.vocabulary is None:
                return
            self.atlas_ = stored_atlas.restored(
                stored.training.get("topics"),
                stored.topics,
                stored.vocabulary,
                stored.parameters.units,
                self.vectors_width_,
            )
            self.curation_ = Curation.from_plain(
                stored.training.get("curation", {"actions": []}), "curation"
            )
        except InvalidInput as error:
            raise ModelFileError(f"{path} must hold a sound tree of topics: {error}") from error
        self.drift_ = None


def _number_of(counts: sparse.csr_array | CountSpool | SharedDocuments) -> int:
    """How many documents there are."""
    if isinstance(counts, (CountSpool, SharedDocuments)):
        return counts.documents
    return int(counts.shape[0])
