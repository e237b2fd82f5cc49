"""What is written of documents: a table with their ids and vectors, or their shares of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from numpy.typing import NDArray

from undertow._errors import InvalidInput

if TYPE_CHECKING:
    from undertow.estimators.topic_model import TopicModel

KEPT = ("id", "label", "split")
TOPICS = "topics"


class DocumentTables:
    """Makes tables of documents: `kind` is one of vectors, None for the model's own, or "topics",
    of which `n` is the number.
    """

    def __init__(self, model: TopicModel, kind: str | None, n: int | None) -> None:
        self._model, self._kind, self._n = model, kind, n
        self._names: list[str] = []
        if kind == TOPICS:
            self._names = [f"{topic} {name}" for topic, name in model.topic_names(n).items()]
        elif n is not None:
            raise InvalidInput(
                f"-n must be used with --kind topics, got --kind {kind or model.softmax_.features}"
            )

    def table(self, chunk: pl.DataFrame, vectors: NDArray[Any] | None = None) -> pl.DataFrame:
        """The rows of some documents of a corpus, with the vectors that were given for them."""
        kept = [name for name in KEPT if name in chunk.columns]
        texts = chunk["text"]
        made = self._shares(texts, vectors) if self._names else self._vectors(texts, vectors)
        return chunk.select(kept).hstack(made)

    def _vectors(self, texts: pl.Series, vectors: Any) -> list[pl.Series]:
        """One column of vectors."""
        return [pl.Series("vector", self._model.encode(texts, self._kind, vectors=vectors))]

    def _shares(self, texts: pl.Series, vectors: Any) -> list[pl.Series]:
        """A column for each topic, and one for the rest."""
        shares = self._model.transform_topics(texts, self._n, vectors=vectors)
        rest = (1.0 - shares.sum(axis=1)).clip(0.0)
        columns = (pl.Series(name, shares[:, place]) for place, name in enumerate(self._names))
        return [*columns, pl.Series("none", rest)]
