"""The systems whose topics are judged: each finds the words of n topics and a topic for every
document.

They run in `benchmarks.topic_work`, one process for a system and a seed. Peers have their library's
defaults or what was better on 20 Newsgroups: NMF and LSA see tf-idf of presence (instead of counts:
NMF at 20 and 50 topics NPMI .419 and .402 instead of .395 and .347, NMI .384 and .398 instead of
.354 and .368), k-means starts three times, and BERTopic's recipe takes square roots (its
`reduce_frequent_words`; NPMI .375 instead of .226 at 20 topics).
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from benchmarks import memory, topic_words

STARTS = 3  # of k-means
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """What a system is asked for."""

    folder: Path
    sizes: tuple[int, ...]  # numbers of topics
    seed: int
    sweeps: int  # of LDA
    units: int  # of our model
    epochs: Any  # of our model

    def counts(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.load_npz(self.folder / "counts.npz"))

    def words(self) -> dict[str, int]:
        words = json.loads((self.folder / "words.json").read_text())["words"]
        return {word: column for column, word in enumerate(words)}

    def strengths(self) -> NDArray[np.float32]:
        """Vectors that `undertow` has left."""
        vectors: NDArray[np.float32] = np.load(self.folder / f"strengths-{self.seed}.npy")
        return vectors


@dataclass(frozen=True)
class Found:
    """Topics, best words first, and the topic of each document; seconds are those from the texts or
    counts on.
    """

    n: int
    words: list[list[int]]
    groups: Groups
    seconds: float
    peak_mib: float = 0.0  # where another process has made the vectors: of that one
    shown: list[dict[str, Any]] = field(default_factory=list)  # topics as they are listed to people


@dataclass(frozen=True)
class Shared:
    """What vectors cost that are made once, for all numbers of topics."""

    seconds: float
    peak_mib: float = 0.0


class LeftOut(Exception):
    """Why a system cannot be judged here."""


Run = Callable[[Task], Iterator[Found]]


def undertow(task: Task) -> Iterator[Found]:
    """A tree of topics: one training, any number of topics. Leaves strengths for those that start
    from them.
    """
    model, texts, seconds = _fitted(task, task.units)
    np.save(task.folder / f"strengths-{task.seed}.npy", model.encode(texts, "strength"))
    spent = Shared(seconds, memory.peak_mib())
    (task.folder / f"fit-{task.seed}.json").write_text(json.dumps(asdict(spent)))
    if not hasattr(model, "transform_topics"):
        raise LeftOut("TopicModel has no transform_topics yet")
    columns = task.words()
    for n in task.sizes:
        began = time.perf_counter()
        topics = model.topics(n=n)
        groups = np.asarray(model.transform_topics(texts, n=n)).argmax(axis=1)
        words = [
            [columns[word.word] for word in topic.words[: topic_words.TOP]] for topic in topics
        ]
        shown = [
            {
                "name": topic.name,
                "share": topic.share,
                "words": [w.word for w in topic.words[: topic_words.TOP]],
            }
            for topic in topics
        ]
        yield Found(n, words, groups, seconds + time.perf_counter() - began, shown=shown)


def hidden_units(task: Task) -> Iterator[Found]:
    """A model with as many units as topics are asked for; a document's topic is its strongest
    unit.
    """
    columns = task.words()
    for n in task.sizes:
        model, texts, seconds = _fitted(task, n)
        began = time.perf_counter()
        listed = (
            model.units(n_words=topic_words.TOP)
            if hasattr(model, "units")
            else model.topics(topic_words.TOP)
        )
        groups = model.encode(texts, "strength").argmax(axis=1)
        words = [[columns[weight.word] for weight in unit.up] for unit in listed]
        yield Found(n, words, groups, seconds + time.perf_counter() - began)


def nmf(task: Task) -> Iterator[Found]:
    """scikit-learn's NMF; a document's topic is its largest part, parts times the lengths of their
    components.
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    weighted = _tf_idf(task.counts())
    for n in task.sizes:
        began = time.perf_counter()
        model = NMF(n, random_state=task.seed)
        parts = model.fit_transform(weighted) * np.linalg.norm(model.components_, axis=1)
        yield Found(
            n,
            topic_words.best(model.components_),
            parts.argmax(axis=1),
            time.perf_counter() - began,
        )


def lda(task: Task) -> Iterator[Found]:
    """tomotopy's LDA by collapsed Gibbs sampling; a document's topic is the one with the largest
    share.
    """
    import tomotopy

    from benchmarks.peers.tomotopy_lda import tokens

    warnings.filterwarnings(
        "ignore", message="The training result may differ"
    )  # several workers: we know
    texts = tokens(task.counts())
    for n in task.sizes:
        began = time.perf_counter()
        model = tomotopy.LDAModel(k=n, seed=task.seed)
        known = np.array([bool(words) and model.add_doc(words) is not None for words in texts])
        model.train(task.sweeps)
        groups = np.zeros(len(texts), dtype=np.int64)
        groups[known] = [int(np.argmax(document.get_topic_dist())) for document in model.docs]
        words = [
            [int(name[1:]) for name, _ in model.get_topic_words(topic, top_n=topic_words.TOP)]
            for topic in range(n)
        ]
        yield Found(n, words, groups, time.perf_counter() - began)


def lsa(task: Task) -> Iterator[Found]:
    """k-means on scikit-learn's LSA of 128 components; words by p1 log(p1 / p)."""
    yield from _on_lsa(task, unit=False)


def unit_lsa(task: Task) -> Iterator[Found]:
    """The same on vectors of length 1: other clusters, better by labels and worse by words."""
    yield from _on_lsa(task, unit=True)


def _on_lsa(task: Task, *, unit: bool) -> Iterator[Found]:
    from sklearn.decomposition import TruncatedSVD

    counts = task.counts()
    began = time.perf_counter()
    weighted = _tf_idf(counts)
    components = min(128, *(size - 1 for size in counts.shape))
    vectors = TruncatedSVD(components, random_state=task.seed).fit_transform(weighted)
    shared = Shared(time.perf_counter() - began)
    vectors = _unit(vectors) if unit else vectors
    yield from _clustered(task, counts, vectors, shared, topic_words.by_share)


def strengths(task: Task) -> Iterator[Found]:
    """k-means on our strengths, unit vectors; words by p1 log(p1 / p)."""
    vectors = _unit(task.strengths())
    yield from _clustered(task, task.counts(), vectors, _fit_cost(task), topic_words.by_share)


def bertopic(task: Task) -> Iterator[Found]:
    """BERTopic's recipe with k-means, which it offers for topics without outliers, on the same
    vectors: c-TF-IDF.
    """
    yield from _clustered(
        task, task.counts(), _unit(task.strengths()), _fit_cost(task), topic_words.by_class_tf_idf
    )


def bertopic_hdbscan(task: Task) -> Iterator[Found]:
    """BERTopic's recipe with HDBSCAN, on the same vectors."""
    from benchmarks import topic_hdbscan

    counts, vectors, cost = task.counts(), _unit(task.strengths()), _fit_cost(task)
    began = time.perf_counter()
    clusters = topic_hdbscan.clusters(vectors, task.seed)
    if clusters.max() < 1:
        raise LeftOut("HDBSCAN finds no clusters")
    shared = cost.seconds + time.perf_counter() - began
    for n in task.sizes:
        began = time.perf_counter()
        groups = topic_hdbscan.merged(counts, clusters, n)
        inside = groups >= 0
        top = topic_words.by_class_tf_idf(counts[inside], groups[inside], int(groups.max()) + 1)
        placed = topic_hdbscan.with_outliers(vectors, groups)
        yield Found(n, top, placed, shared + time.perf_counter() - began, cost.peak_mib)


def _clustered(
    task: Task,
    counts: sparse.csr_array,
    vectors: NDArray[Any],
    shared: Shared,
    words: Callable[[sparse.csr_array, Groups, int], list[list[int]]],
) -> Iterator[Found]:
    """Groups by k-means, for each number of topics; `shared` was spent on vectors once."""
    from sklearn.cluster import KMeans

    for n in task.sizes:
        began = time.perf_counter()
        groups = (
            KMeans(n, n_init=STARTS, random_state=task.seed).fit_predict(vectors).astype(np.int64)
        )
        top = words(counts, groups, n)
        yield Found(n, top, groups, shared.seconds + time.perf_counter() - began, shared.peak_mib)


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = vectors / np.where(lengths > 0, lengths, 1)
    return unit


def _tf_idf(counts: sparse.csr_array) -> Any:
    """Of presence: how often a word occurs in a document is not looked at."""
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer().fit_transform(counts > 0).astype(np.float32)


def _fitted(task: Task, units: int) -> tuple[Any, pl.Series, float]:
    """A model, the texts that it has learned from, and the seconds that it took, counting
    included.
    """
    from undertow import TopicModel

    settings = json.loads((task.folder / "words.json").read_text())["vectorizer"]
    texts = pl.read_parquet(task.folder / "texts.parquet")["text"]
    settings |= {"ngram_range": tuple(settings["ngram_range"])}
    untrained = TopicModel(units, **settings, max_epochs=task.epochs, random_state=task.seed)
    _compile()
    began = time.perf_counter()
    model = untrained.fit(texts)
    return model, texts, time.perf_counter() - began


def _compile() -> None:
    """So that what numba compiles at a first fit is not in the seconds."""
    from undertow import ReplicatedSoftmax

    made_up = np.random.default_rng(0).poisson(0.5, (100, 20)).astype(np.int32)
    ReplicatedSoftmax(8, max_epochs=1).fit(sparse.csr_array(made_up)).encode(
        sparse.csr_array(made_up), "strength"
    )


def _fit_cost(task: Task) -> Shared:
    return Shared(**json.loads((task.folder / f"fit-{task.seed}.json").read_text()))


@dataclass(frozen=True)
class Entry:
    """How a system is run, the library that it needs, and whether it starts from what `undertow`
    has left.
    """

    run: Run
    needs: str | None = None
    on_strengths: bool = False
    seeds: int | None = None  # at most, where it takes long


UNDERTOW = "undertow"
SYSTEMS = {
    UNDERTOW: Entry(undertow),
    "hidden units": Entry(hidden_units, seeds=1),
    "strengths + k-means": Entry(strengths, on_strengths=True),
    "BERTopic's recipe, k-means": Entry(bertopic, on_strengths=True),
    "BERTopic's recipe, HDBSCAN": Entry(bertopic_hdbscan, on_strengths=True),
    "NMF": Entry(nmf),
    "LDA": Entry(lda, needs="tomotopy", seeds=1),
    "LSA + k-means": Entry(lsa),
    "LSA + k-means, unit vectors": Entry(unit_lsa),
}
