"""`TopicModel.fit` on a cluster: workers read, count and train, each on its part of the corpus.

What is decided once is decided here, as on one machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from undertow import _check
from undertow._errors import InvalidInput
from undertow.cluster import Cluster, Connection, Crew, connected
from undertow.corpus import Corpus, Vectorizer, as_corpus
from undertow.corpus.parts import merged, prepared
from undertow.corpus.shards import order_of, shards
from undertow.corpus.texts import columns_of, text_list, with_columns
from undertow.corpus.word_vectors import vectors_of_words
from undertow.estimators import _progress
from undertow.estimators._part_training import TrainingPart
from undertow.estimators._reading import Reading, Show
from undertow.estimators._shared_documents import SharedDocuments
from undertow.estimators._text_fit import learn_and_grow
from undertow.estimators._text_vectors import several
from undertow.estimators.travelling import device_there
from undertow.files.scratch import Scratch
from undertow.storage.checkpoint_folder import taken
from undertow.vectors.given import GivenVectors

if TYPE_CHECKING:
    from undertow.estimators.topic_model import TopicModel


@dataclass(frozen=True)
class ClusterReport:
    """How a fit on a cluster went.

    Parameters
    ----------
    workers : int
        How many there were.
    threads : int
        Of each.
    events : tuple of str
        What happened to workers, in words.
    meetings, bytes_met : int
        How often the workers' parameters were averaged, and the bytes that each worker was sent for
        it, altogether.
    """

    workers: int
    threads: int
    events: tuple[str, ...]
    meetings: int = 0
    bytes_met: int = 0


def fit(
    model: TopicModel,
    texts: Any,
    cluster: Cluster,
    others: GivenVectors | None,
    word_vectors: Any,
) -> None:
    """Fits a model; the arguments are checked as far as that is possible without a cluster."""
    _check_saving(model, cluster)
    again = bool(model.warm_start) and model.__sklearn_is_fitted__()
    if not again:
        model._begin()
    limit = _check.number_of_bytes("memory_limit", model.memory_limit)
    documents = text_list(with_columns(several(texts), {}))
    vectorizer = prepared(_own_vectorizer(model), documents)
    if getattr(vectorizer, "tokens_", False):
        raise InvalidInput("texts must be texts on a cluster, got lists of tokens: join them")
    corpus = as_corpus(documents)
    model.columns_ = columns_of(documents)
    with ExitStack() as open_:
        if cluster.checkpoint is not None:
            open_.enter_context(taken(Path(cluster.checkpoint), resume=cluster.resume))
        there = open_.enter_context(connected(cluster, model.device))
        parts = shards(corpus, there.workers)
        crew = open_.enter_context(_crew(there, parts, limit, model))
        began = time.perf_counter()
        with _reading(model) as show:
            if not again:
                vectorizer = _counted(crew, vectorizer, show)
                model.vectorizer_ = vectorizer.set_params(n_jobs=model.n_jobs)
            shared = _encoded(crew, model, show)
        seconds = time.perf_counter() - began
        model.reading_ = Reading(shared.documents, seconds, shared.bytes_on_disk)
        if others is not None:
            others.check_documents(shared.documents)
            others = others.of_rows(*order_of(corpus, parts))  # as the documents were dealt out
        try:
            _learn(model, shared, others, word_vectors)
        finally:  # also after Ctrl-C
            model.cluster_ = _report(crew, there, shared)


def _check_saving(model: TopicModel, cluster: Cluster) -> None:
    if cluster.checkpoint is not None and model.early_stopping:
        raise InvalidInput(
            "checkpoint must be left out with early_stopping, whose best parameters it does not "
            f"hold, got {os.fspath(cluster.checkpoint)!r}"
        )


def _own_vectorizer(model: TopicModel) -> Vectorizer:
    """The model's, which is undertow's."""
    found: object = model.vectorizer_
    if not isinstance(found, Vectorizer):
        raise InvalidInput(
            f"vectorizer must be a Vectorizer of undertow on a cluster, got "
            f"{model.vectorizer!r:.60}"
        )
    return found


def _crew(there: Connection, parts: Sequence[Corpus], limit: int, model: TopicModel) -> Crew:
    """Workers, each with its part of the corpus."""
    softmax = clone(model.softmax_).set_params(
        callbacks=None, device=device_there(model.softmax_.device)
    )
    options = {
        "threads": there.threads if model.n_jobs is None else model.n_jobs,
        "memory_limit": limit,
        "scratch_folder": model.scratch_folder,
    }
    return Crew(there, TrainingPart.of, lambda worker: (parts[worker], softmax, options))


@contextmanager
def _reading(model: TopicModel) -> Iterator[Show]:
    """The line that counts documents; none goes to a disk of this machine."""
    with Scratch() as nowhere, _progress.reading(model.softmax_.verbose, nowhere) as show:
        yield show


def _counted(crew: Crew, vectorizer: Vectorizer, show: Show) -> Vectorizer:
    """The vectorizer, fitted on the parts together."""
    asked = crew.put(vectorizer)
    if vectorizer.vocabulary is not None:
        return vectorizer
    crew.everyone(
        "counting words",
        "count",
        lambda worker: (asked,),
        keep=True,
        watch=lambda worker, found: show("read", found[0]),
    )
    fitted = merged(vectorizer, crew.one_by_one("adding up words", "types"))
    crew.forget()
    return fitted


def _encoded(crew: Crew, model: TopicModel, show: Show) -> SharedDocuments:
    """The counts of the documents, which stay with the workers."""
    asked = crew.put(_without_types(model.vectorizer_))
    facts = crew.everyone(
        "encoding documents",
        "encode",
        lambda worker: (asked, model.softmax_.count_transform),
        keep=True,
        watch=lambda worker, found: show("counted", found.totals.documents),
    )
    shared = SharedDocuments(crew, facts)
    if not shared.documents:
        raise InvalidInput("corpus must hold a document, got none")
    return shared


def _without_types(vectorizer: Vectorizer) -> Vectorizer:
    """All that counting the vocabulary needs: types that are not in it may be many millions."""
    light = copy(vectorizer)
    light.type_counts_ = light.type_counts_.clear()
    return light


def _learn(
    model: TopicModel, shared: SharedDocuments, others: GivenVectors | None, word_vectors: Any
) -> None:
    words = model.vectorizer_.get_feature_names_out().tolist()
    start = None if word_vectors is None else vectors_of_words(words, word_vectors)
    learn_and_grow(
        model,
        lambda: model.softmax_._fit_documents(shared, len(words), start),
        lambda: model._grow(shared, shared.texts(), others),
    )


def _report(crew: Crew, there: Connection, shared: SharedDocuments) -> ClusterReport:
    traffic = shared.traffic
    met = {"meetings": traffic.meetings, "bytes_met": traffic.bytes_each}
    return ClusterReport(crew.size, there.threads, tuple(crew.events), **met)
