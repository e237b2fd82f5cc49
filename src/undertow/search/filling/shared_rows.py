"""Rows of an index, made by the workers of a cluster; who leads writes them, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from undertow.cluster import Cluster, Crew, connected
from undertow.corpus.shards import Piece, pieces, row_of, seen_everywhere
from undertow.estimators.travelling import travelling
from undertow.search.filling.rows import rows_of
from undertow.search.filling.survey import Survey, chunks_from
from undertow.vectors.given import part_of

if TYPE_CHECKING:
    import pyarrow as pa

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel
    from undertow.vectors.given import GivenVectors


class RowMaker:
    """What a worker holds: the model, the corpus, and what is known of its columns."""

    def __init__(self, model: TopicModel, corpus: Corpus, found: Survey, target: pa.Schema) -> None:
        self._model, self._corpus, self._found, self._target = model, corpus, found, target

    def rows(self, piece: Piece, vectors: NDArray[Any] | None) -> list[pa.Table]:
        """The rows of a piece of the corpus, in chunks as they are written."""
        with seen_everywhere(self._corpus):
            return self._rows(piece, vectors)

    def _rows(self, piece: Piece, vectors: NDArray[Any] | None) -> list[pa.Table]:
        tables, first = [], 0
        part = self._corpus.part(piece.first, piece.last)
        for chunk in chunks_from(part, 0, self._found):
            last = first + chunk.height
            own = None if vectors is None else vectors[first:last]
            tables.append(rows_of(self._model, chunk, self._target, own))
            first = last
        return tables


def shared_rows(
    cluster: Cluster,
    model: TopicModel,
    corpus: Corpus,
    done: int,
    found: Survey,
    target: pa.Schema,
    vectors: GivenVectors | None,
    events: list[str],
) -> Iterator[pa.Table]:
    """The rows of all documents but the first `done`, in chunks; `events` is told what happened to
    workers.
    """
    with connected(cluster, model.softmax_.device) as there:
        wanted = pieces(corpus, there.workers, row_of(corpus, done))
        given = (travelling(model, there.threads), corpus, found, target)
        with Crew(there, RowMaker, lambda worker: given) as crew:
            for tables in crew.hand_out(
                "encoding documents",
                "rows",
                wanted,
                lambda piece: (piece, part_of(vectors, piece.first, piece.last)),
            ):
                yield from tables
            events += crew.events
