"""What an overview is computed from: documents, encoded, as a few columns in memory.

For 200,000 documents and 128 topics that is about 60 MB, most of it vectors in half precision, as an index keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.counts import CountBatch
from undertow.estimators._counts import transformed_counts
from undertow.model.replicated_softmax import inputs
from undertow.search._encoded import Encoded

if TYPE_CHECKING:
    from scipy import sparse

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

ROWS = 8192  # documents at a time

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Gathered:
    """n documents in their order."""

    ids: list[str]
    vectors: NDArray[np.float16]  # (n, H) strengths, of length 1; nan where no word is known
    codes: NDArray[np.uint8]  # (n, H / 8) posteriors above 1/2 as bits
    labels: pl.Series | None
    times: pl.Series | None
    judged: Rows  # rows of the documents that typical ones are chosen from
    evidence: NDArray[np.float32]  # (judged, H)

    @classmethod
    def of(
        cls, batches: Iterable[dict[str, Any]], model: TopicModel, judged: Rows, done: Callable[[int], None]
    ) -> Gathered:
        """Batches as `Index.scan` gives them, put together; `done` is told how many documents there are so far.

        A batch has its texts, or `counts`: those that the model takes in.
        """
        units = model.softmax_.parameters_.units
        vectors = [np.zeros((0, units), dtype=np.float16)]
        codes = [np.zeros((0, -(-units // 8)), dtype=np.uint8)]
        evidence = [np.zeros((0, units), dtype=np.float32)]
        ids: list[str] = []
        others: dict[str, list[pl.Series]] = {"label": [], "time": []}
        for batch in batches:
            here = judged[(judged >= len(ids)) & (judged < len(ids) + len(batch["id"]))] - len(ids)
            evidence.append(evidence_for_topics(model, _counts(model, batch, here)))
            ids += batch["id"].to_list()
            vectors.append(batch["vector"].astype(np.float16))
            codes.append(batch["code"])
            for name, found in others.items():
                found += [batch[name]] if name in batch else []
            done(len(ids))
        labels, times = (pl.concat(found) if found else None for found in others.values())
        columns = (np.concatenate(vectors), np.concatenate(codes), labels, times)
        return cls(ids, *columns, judged, np.concatenate(evidence))

    def on(self, unit: int) -> NDArray[np.bool_]:
        """(n,) Which documents switch a topic on."""
        return (self.codes[:, unit // 8] >> np.uint8(7 - unit % 8)) & np.uint8(1) > 0

    def strongest(self) -> NDArray[np.int32]:
        """(n,) The topic with the largest strength of those on in a document, -1 where none is.

        A topic that is on is stronger than any that is off, so the largest of all is meant.
        """
        largest = self.vectors.argmax(axis=1).astype(np.int32)
        return np.where(self.codes.any(axis=1), largest, np.int32(-1))

    def typical(self, unit: int, most: int) -> Rows:
        """Rows of the documents with the most evidence for a topic that they switch on, the most typical first.

        Of documents that are the same to the model, the first.
        """
        on = np.flatnonzero(self.on(unit)[self.judged])
        first = np.unique(-self.evidence[on, unit], return_index=True)[1]
        return self.judged[on[first[:most]]]

    def label_numbers(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The labels in alphabetical order, and the number of each document's, -1 for none."""
        if self.labels is None:
            return (), np.full(len(self.ids), -1, dtype=np.int32)
        names = self.labels.drop_nulls().unique().sort()
        numbers = pl.int_range(len(names), dtype=pl.Int32, eager=True)
        found = self.labels.replace_strict(names, numbers, default=None, return_dtype=pl.Int32)
        return tuple(names.to_list()), found.fill_null(-1).to_numpy().copy()


def evidence_for_topics(model: TopicModel, counts: sparse.csr_array) -> NDArray[np.float32]:
    """(n, H) The input of each topic divided by the square root of the weighted length of a document.

    A sum of L pushes that have nothing to do with the topic is about as large as the root of L, so this says how far a
    document is from chance: neither three fitting words nor the longest documents come first.
    """
    parameters = model.softmax_.parameters_
    sums, lengths = inputs(parameters, CountBatch.from_csr(counts))
    root = np.sqrt(np.maximum(lengths, np.finfo(np.float32).tiny))[:, None]
    result: NDArray[np.float32] = ((sums + lengths[:, None] * parameters.hidden_bias) / root).astype(np.float32)
    return result


def encoded_batches(model: TopicModel, corpus: Corpus, places: Rows) -> Iterator[dict[str, Any]]:
    """The documents of a corpus at these places, in batches like those of `Index.scan`, with their counts."""
    passed = 0
    for chunk in corpus.chunks():
        here = places[(places >= passed) & (places < passed + chunk.height)] - passed
        passed += chunk.height
        documents = chunk[here] if len(here) < chunk.height else chunk
        if documents.height:
            yield _encoded(model, documents)


def _encoded(model: TopicModel, documents: pl.DataFrame) -> dict[str, Any]:
    encoded = Encoded.of(model, model.counts(documents["text"]))
    known = encoded.known[:, None]
    columns: dict[str, Any] = {name: documents[name] for name in ("id", "label", "time") if name in documents.columns}
    columns["vector"] = np.where(known, encoded.vectors, np.float32(np.nan))
    columns["code"] = np.where(known, encoded.codes, np.uint8(0))
    columns["counts"] = encoded.counts
    return columns


def _counts(model: TopicModel, batch: dict[str, Any], rows: Rows) -> sparse.csr_array:
    if "counts" in batch:
        counts: sparse.csr_array = batch["counts"][rows]
        return counts
    return transformed_counts(model.counts(batch["text"][rows]), model.softmax_.count_transform)
