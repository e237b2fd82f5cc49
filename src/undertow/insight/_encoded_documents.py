"""What an overview is computed from: documents, encoded, as a few columns in memory.

For 200,000 documents and 128 units that is about 60 MB, most of it vectors in half precision, as an
index keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.estimators.topic_parts import atlas_of
from undertow.search.encoding.encoded import Encoded
from undertow.topics.atlas import SAME_TEXT
from undertow.vectors.joining import unit

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

ROWS = 8192  # documents at a time

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class EncodedDocuments:
    """n documents in their order."""

    ids: list[str]
    # (n, H) strengths, of length 1; nan where no word is known; or joined with others
    vectors: NDArray[np.float16]
    leaves: NDArray[np.int32]  # (n,) rows of leaves of the topic tree, -1 where no word is known
    nearness: NDArray[np.float32]  # (n,) the cosine with the route to the leaf
    middle: NDArray[np.float32]  # (n,) the cosine with the mean of the leaf's documents
    labels: pl.Series | None
    times: pl.Series | None

    @classmethod
    def of(
        cls, batches: Iterable[dict[str, Any]], model: TopicModel, done: Callable[[int], None]
    ) -> EncodedDocuments:
        """Batches as `Index.scan` gives them, put together; `done` is told how many documents there
        are so far.
        """
        atlas = atlas_of(model)
        means = unit(atlas.means)
        ids: list[str] = []
        vectors: list[NDArray[np.float16]] = []
        leaves, nearness, middle = (
            [np.zeros(0, dtype=np.int32)],
            [np.zeros(0, dtype=np.float32)],
            [np.zeros(0, "f4")],
        )
        others: dict[str, list[pl.Series]] = {"label": [], "time": []}
        for batch in batches:
            ids += batch["id"].to_list()
            vectors.append(batch["vector"].astype(np.float16))
            exact = unit(_sides(vectors[-1].astype(np.float32), means.shape[1]))
            rows, near = atlas.leaves_of(exact, model.softmax_.n_jobs)
            leaves.append(rows)
            nearness.append(near)
            middle.append(np.einsum("ij,ij->i", np.nan_to_num(exact), means[rows]))
            for name, found in others.items():
                found += [batch[name]] if name in batch else []
            done(len(ids))
        labels, times = (pl.concat(found) if found else None for found in others.values())
        where = np.concatenate(leaves), np.concatenate(nearness), np.concatenate(middle)
        nothing = np.zeros((0, means.shape[1]), dtype=np.float16)
        return cls(ids, np.concatenate(vectors or [nothing]), *where, labels, times)

    def typical(self, leaves: int, most: int) -> NDArray[np.int32]:
        """(leaves, most) Rows of the documents nearest to the mean of each leaf, best first, -1
        where there are fewer.

        None is a copy of another, as far as vectors say.
        """
        found = np.full((leaves, most), -1, dtype=np.int32)
        order = np.lexsort((-self.middle, self.leaves))
        bounds = np.searchsorted(self.leaves[order], np.arange(leaves + 1))
        for leaf, (first, last) in enumerate(pairwise(bounds.tolist())):
            rows = self._different(order[first:last], most)
            found[leaf, : len(rows)] = rows
        return found

    def _different(self, rows: Rows, most: int) -> list[int]:
        chosen: list[int] = []
        held = np.zeros((0, self.vectors.shape[1]), dtype=np.float32)
        for row in rows.tolist():
            vector = self.vectors[row].astype(np.float32)
            if len(chosen) == most:
                break
            if not (held @ vector >= SAME_TEXT).any():
                chosen.append(row)
                held = np.vstack([held, vector])
        return chosen

    def label_numbers(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The labels in alphabetical order, and the number of each document's, -1 for none."""
        if self.labels is None:
            return (), np.full(len(self.ids), -1, dtype=np.int32)
        names = self.labels.drop_nulls().unique().sort()
        numbers = pl.int_range(len(names), dtype=pl.Int32, eager=True)
        found = self.labels.replace_strict(names, numbers, default=None, return_dtype=pl.Int32)
        return tuple(names.to_list()), found.fill_null(-1).to_numpy().copy()


def _sides(vectors: NDArray[np.float32], known: int) -> NDArray[np.float32]:
    """What topics know of vectors. An index may join others than the model was fitted with: these
    are left out. Texts alone have no others: zeros.
    """
    missing = known - vectors.shape[1]
    return np.pad(vectors, ((0, 0), (0, missing))) if missing > 0 else vectors[:, :known]


def encoded_batches(model: TopicModel, corpus: Corpus, places: Rows) -> Iterator[dict[str, Any]]:
    """The documents of a corpus at these places, in batches like those of `Index.scan`."""
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
    columns: dict[str, Any] = {
        name: documents[name] for name in ("id", "label", "time") if name in documents.columns
    }
    columns["vector"] = np.where(known, encoded.vectors, np.float32(np.nan))
    return columns
