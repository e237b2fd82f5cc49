"""A whole collection at a glance: the map of its documents, their topics, labels and times, and topics over time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import ModelFileError
from undertow.insight import _times, layout
from undertow.insight._gathered import ROWS, Gathered, encoded_batches
from undertow.insight.over_time import TopicsOverTime, over_time
from undertow.kernels import randomness

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.search import Index

MOST_DOCUMENTS = 200_000
TYPICAL = 20  # documents of each topic
JUDGED = 20_000  # documents that these are chosen from
SEED = 0
READING = 0.2  # of the whole time, for progress

Progress = Callable[[int, int], None]  # told how much is done, of how much
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Overview:
    """n documents, in the order of the index or corpus: all of them, or a sample of 200,000 where there are more.

    Everything is of these n documents; `ids[i]` stands in row i of every array of length n. The most typical documents
    of a topic are those with the largest input to it for their length (`_gathered.evidence_for_topics`), of at most
    20,000; each is another one to the model.
    """

    ids: list[str]
    positions: NDArray[np.float32]  # (n, 2) each within [0, 1]; nan for a document without a word that is known
    topics: NDArray[np.int32]  # (n,) the strongest topic of those on in a document, -1 for none
    labels: tuple[str, ...]  # in alphabetical order; none where there is no column of labels
    label_of: NDArray[np.int32]  # (n,) number of the document's label, -1 for none
    times: NDArray[np.float64] | None  # (n,) nan where missing; None where no document has a time
    time_kind: str | None  # "date": seconds since 1970 in UTC; "number": plain numbers; None as `times`
    activity: NDArray[np.float64]  # (H,) share of the documents that switch a topic on (posterior above 1/2)
    typical: NDArray[np.int32]  # (H, 20) rows of the most typical documents of a topic, best first, -1 where fewer
    over_time: TopicsOverTime | None  # None where no two times differ
    sampled_from: int  # documents of the whole
    map_seconds: float  # what the map took
    state: str | None = None  # of the index that it is of

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def switched_on(self) -> NDArray[np.int64]:
        """(H,) How many of the documents switch a topic on."""
        return np.rint(self.activity * len(self.ids)).astype(np.int64)


def stored_overview(index: Index) -> Overview | None:
    """The overview that is stored with the index, if it is of this state of the index and sound."""
    from undertow.insight import _stored

    try:
        return _stored.read(index)
    except (ModelFileError, OSError) as error:
        _log.warning("%s is not used, and will be made again: %s", _stored.place(index), error)
        return None


def overview_of_index(index: Index, *, progress: Progress | None = None) -> Overview:
    """The overview of an index: the stored one, or a new one, which is stored where the folder can be written.

    A new one takes about 20 seconds for 100,000 documents on two cores. Everything about it is the same every time for
    the same documents and model, but for the seconds that it took.
    """
    from undertow.insight import _stored

    kept = stored_overview(index)
    if kept is not None:
        return kept
    layout.check_extra()
    state, total = index.state, len(index)
    columns = ["id", "text", "vector", "code", *(name for name in ("label", "time") if name in index.columns)]
    batches = index.scan(columns, batch=ROWS, places=sample(total))
    found = replace(_overview(batches, index.model, total, progress), state=state)
    try:
        _stored.write(index, found)
    except (ModelFileError, OSError) as error:
        _log.warning("the overview of %s is not stored: %s", index.path, error)
    return found


def overview_of_texts(model: TopicModel, corpus: Any, *, progress: Progress | None = None) -> Overview:
    """The overview of a corpus without an index: a `Corpus`, or anything that `TopicModel.fit` takes.

    The corpus is read twice: it is counted before.
    """
    from undertow.corpus import as_corpus

    layout.check_extra()
    documents = as_corpus(corpus)
    total = sum(chunk.height for chunk in documents.chunks())
    return _overview(encoded_batches(model, documents, sample(total)), model, total, progress)


def sample(total: int) -> NDArray[np.int64]:
    """Which documents an overview is of, in order."""
    return _drawn(total, MOST_DOCUMENTS)


def _drawn(total: int, most: int) -> NDArray[np.int64]:
    if total <= most:
        return np.arange(total)
    return np.sort(randomness.permutation(SEED, most, np.arange(total))[:most])


def _overview(batches: Iterable[dict[str, Any]], model: TopicModel, total: int, progress: Progress | None) -> Overview:
    units = model.softmax_.parameters_.units
    reading, mapping = _shares(progress)
    expected = min(total, MOST_DOCUMENTS)
    judged = _drawn(expected, JUDGED)
    gathered = Gathered.of(batches, model, judged, lambda documents: reading(documents, expected))
    began = time.perf_counter()
    positions = layout.positions(gathered.vectors, seed=SEED, progress=mapping)
    seconds = time.perf_counter() - began
    labels, label_of = gathered.label_numbers()
    times, kind = (None if gathered.times is None else _times.as_numbers(gathered.times)) or (None, None)
    activity, typical = _of_topics(gathered, units)
    return Overview(
        ids=gathered.ids,
        positions=positions,
        topics=gathered.strongest(),
        labels=labels,
        label_of=label_of,
        times=times,
        time_kind=kind,
        activity=activity,
        typical=typical,
        over_time=None if times is None or kind is None else over_time(times, gathered.on, units, kind),
        sampled_from=total,
        map_seconds=seconds,
    )


def _of_topics(gathered: Gathered, units: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    activity, typical = np.zeros(units), np.full((units, TYPICAL), -1, dtype=np.int32)
    for unit in range(units):
        activity[unit] = np.count_nonzero(gathered.on(unit)) / max(len(gathered.ids), 1)
        rows = gathered.typical(unit, TYPICAL)
        typical[unit, : len(rows)] = rows
    return activity, typical


def _shares(progress: Progress | None) -> tuple[Progress, Progress]:
    """Two reports that make one: of the first fifth of the time, and of the rest."""

    def part(first: float, last: float) -> Progress:
        def tell(done: int, of: int) -> None:
            if progress is not None:
                progress(round(1000 * (first + (last - first) * done / of)), 1000)

        return tell

    return part(0.0, READING), part(READING, 1.0)
