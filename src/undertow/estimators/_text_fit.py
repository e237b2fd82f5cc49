"""`TopicModel.fit` on this machine: read, count, train, grow topics."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from scipy import sparse

from undertow import _check
from undertow.corpus.texts import Watched, columns_of, with_columns
from undertow.corpus.word_vectors import vectors_of_words
from undertow.estimators import _progress
from undertow.estimators._reading import Reading, read_counts
from undertow.estimators._text_vectors import several
from undertow.estimators.model_inputs import transformed_counts
from undertow.files.scratch import Scratch
from undertow.spool import CountSpool
from undertow.topics.text_sample import TextSample
from undertow.vectors.given import GivenVectors

if TYPE_CHECKING:
    from undertow.estimators._saving import Saving
    from undertow.estimators.topic_model import TopicModel


def fit(
    model: TopicModel,
    texts: Any,
    others: GivenVectors | None,
    word_vectors: Any,
    saving: Saving | None,
) -> None:
    """Fits a model, and saves its training if it is to be saved."""
    again = bool(model.warm_start) and model.__sklearn_is_fitted__()
    if not again:
        model._begin()
    documents = with_columns(several(texts), {})
    model.columns_ = columns_of(documents)
    limit = _check.number_of_bytes("memory_limit", model.memory_limit)
    sample = TextSample()
    with Scratch(model.scratch_folder) as scratch:
        watched = Watched(documents, sample.see)
        counts = _read(model, watched, limit, scratch, anew=not again)
        check_rows(others, model.reading_.documents)
        words = model.vectorizer_.get_feature_names_out().tolist()
        start = None if word_vectors is None else vectors_of_words(words, word_vectors)
        if saving is not None:
            saving.for_texts(words)

        def learn() -> None:
            if isinstance(counts, CountSpool):
                model.softmax_._fit_spool(counts, start, saving)
            else:
                model.softmax_._fit_held(counts, start, saving)

        learn_and_grow(model, learn, lambda: model._grow(counts, sample.close(), others))


def learn_and_grow(
    model: TopicModel, learn: Callable[[], object], grow: Callable[[], object]
) -> None:
    """Trains, grows the topics and plants the seeds."""
    try:
        learn()
    except KeyboardInterrupt:
        # what was learned so far has topics too; a second one leaves them out
        if getattr(model.softmax_, "_run_state", {}).get("steps", 0):
            grow()
            model._plant(model.seeds)
        raise
    with _progress.growing(model.softmax_.verbose):
        grow()
    model._plant(model.seeds)


def _read(
    model: TopicModel, texts: Any, limit: int, scratch: Scratch, *, anew: bool
) -> sparse.csr_array | CountSpool:
    """The counts of texts, in memory or in the scratch folder."""
    began = time.perf_counter()
    transform = partial(transformed_counts, count_transform=model.softmax_.count_transform)
    with _progress.reading(model.softmax_.verbose, scratch) as show, scratch.worded():
        counts = read_counts(
            model.vectorizer_,
            texts,
            transform,
            at_most=limit,
            scratch=scratch,
            show=show,
            anew=anew,
        )
    on_disk = counts.bytes_on_disk if isinstance(counts, CountSpool) else 0
    documents = counts.documents if isinstance(counts, CountSpool) else counts.shape[0]
    model.reading_ = Reading(documents, time.perf_counter() - began, on_disk)
    return counts


def check_rows(others: GivenVectors | None, documents: int) -> None:
    """Refuses given vectors that are not one for each document."""
    if others is not None:
        others.check_documents(documents)
