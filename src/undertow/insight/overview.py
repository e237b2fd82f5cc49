"""A whole collection at a glance: the map of its documents, their topics, labels and times, and topics over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow.insight import layout
from undertow.insight.over_time import TopicsOverTime, over_time
from undertow.kernels import randomness

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel
    from undertow.search import Index

MOST_DOCUMENTS = 200_000
TYPICAL = 20  # documents of each topic
SEED = 0

Progress = Callable[[int, int], None]  # told how much is done, of how much


@dataclass(frozen=True)
class Overview:
    """n documents, in the order of the index or corpus; all of them, or a sample of 200,000 where there are more.

    Everything is of these n documents. `ids[i]` is in row i of every array.
    """

    ids: list[str]
    positions: NDArray[np.float32]  # (n, 2) each within [0, 1]; nan for a document without a word that is known
    topics: NDArray[np.int32]  # (n,) the strongest topic of those on in a document, -1 for none
    labels: tuple[str, ...]  # in alphabetical order; none where there is no column of labels
    label_of: NDArray[np.int32]  # (n,) number of the document's label, -1 for none
    times: NDArray[np.float64] | None  # (n,) nan where missing; None where there is no column of times
    time_kind: str | None  # "date": seconds since 1970 in UTC; "number": plain numbers; None as `times`
    activity: NDArray[np.float64]  # (H,) share of the documents that switch a topic on (posterior above 1/2)
    typical: NDArray[np.int32]  # (H, 20) rows of the most typical documents of a topic, best first, -1 where fewer
    over_time: TopicsOverTime | None
    sampled_from: int  # documents of the whole
    map_seconds: float  # what the map took
    version: int | None = None  # of the index

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def switched_on(self) -> NDArray[np.int64]:
        """(H,) How many of the documents switch a topic on."""
        return np.rint(self.activity * len(self.ids)).astype(np.int64)


def stored_overview(index: Index) -> Overview | None:
    """The overview that is stored with the index, if it is of this version and sound."""
    return None


def overview_of_index(index: Index, *, progress: Progress | None = None) -> Overview:
    """The overview of an index: the stored one, or a new one, which is stored where the folder can be written."""
    kept = stored_overview(index)
    if kept is not None:
        return kept
    total = len(index)
    columns = ["id", "vector", "code", *(name for name in ("label", "time") if name in index.columns)]
    batches = index.scan(columns, places=_sample(total))
    return _overview(batches, index.model, total, index.version, progress)


def overview_of_texts(model: TopicModel, corpus: Corpus | Any, *, progress: Progress | None = None) -> Overview:
    """The overview of a corpus (or anything that `TopicModel.fit` takes) without an index."""
    from undertow.corpus import as_corpus

    documents = as_corpus(corpus)
    total = sum(chunk.height for chunk in documents.chunks())
    return _overview(_encoded_chunks(model, documents), model, total, None, progress)


def _sample(total: int) -> NDArray[np.int64]:
    """Which documents are looked at."""
    if total <= MOST_DOCUMENTS:
        return np.arange(total)
    return np.sort(randomness.permutation(SEED, 0, np.arange(total))[:MOST_DOCUMENTS])


def _encoded_chunks(model: TopicModel, corpus: Corpus) -> Iterator[dict[str, Any]]:
    from undertow.search._encoded import Encoded

    for chunk in corpus.chunks():
        encoded = Encoded.of(model, model.counts(chunk["text"]))
        vectors = np.where(encoded.known[:, None], encoded.vectors, np.float32(np.nan))
        codes = encoded.codes * encoded.known[:, None].astype(np.uint8)
        yield {"vector": vectors, "code": codes, **{name: chunk[name] for name in chunk.columns if name != "text"}}


def _overview(
    batches: Iterable[dict[str, Any]], model: TopicModel, total: int, version: int | None, progress: Progress | None
) -> Overview:
    import polars as pl

    parts = list(batches)
    units = model.softmax_.parameters_.units
    ids = pl.concat([part["id"] for part in parts]).to_list()
    vectors = np.concatenate([part["vector"] for part in parts])
    on = np.unpackbits(np.concatenate([part["code"] for part in parts]), axis=1, count=units).astype(bool)
    began = time.perf_counter()
    places = layout.positions(vectors, seed=SEED, progress=progress)
    seconds = time.perf_counter() - began
    labels, label_of = _labels(parts, len(ids))
    times, kind = _times(parts)
    strength = np.where(on, vectors, -1.0)
    topics = np.where(on.any(axis=1), strength.argmax(axis=1), -1).astype(np.int32)
    series = None if times is None or kind is None else over_time(times, on, kind)
    typical = np.full((units, TYPICAL), -1, dtype=np.int32)
    for unit in range(units):
        best = np.argsort(-strength[:, unit], kind="stable")[:TYPICAL]
        best = best[on[best, unit]]
        typical[unit, : len(best)] = best
    return Overview(
        ids, places, topics, labels, label_of, times, kind, on.mean(axis=0), typical, series, total, seconds, version
    )


def _labels(parts: list[dict[str, Any]], documents: int) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    import polars as pl

    if "label" not in parts[0]:
        return (), np.full(documents, -1, dtype=np.int32)
    column = pl.concat([part["label"] for part in parts])
    names = sorted(column.drop_nulls().unique().to_list())
    number = {name: place for place, name in enumerate(names)}
    return tuple(names), np.array([number.get(name, -1) for name in column.to_list()], dtype=np.int32)


def _times(parts: list[dict[str, Any]]) -> tuple[NDArray[np.float64] | None, str | None]:
    import polars as pl

    if "time" not in parts[0]:
        return None, None
    column = pl.concat([part["time"] for part in parts])
    if column.dtype.is_temporal():
        seconds = column.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
        return seconds.fill_null(float("nan")).to_numpy(), "date"
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy(), "number"
    return None, None
