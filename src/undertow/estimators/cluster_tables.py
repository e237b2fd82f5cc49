"""Tables of documents, made by the workers of a cluster piece by piece.

Each finished piece is a file beside the one that is wanted, and is used again by the same command
after it was stopped: with the same model, corpus and kind.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from undertow.cluster import Cluster, Crew, connected
from undertow.corpus import Corpus
from undertow.corpus.shards import Piece, pieces, seen_as, seen_everywhere
from undertow.estimators.document_tables import DocumentTables
from undertow.estimators.travelling import travelling
from undertow.files.atomic import new_file, write_file
from undertow.vectors.given import part_of

if TYPE_CHECKING:
    from undertow.estimators.topic_model import TopicModel
    from undertow.vectors.given import GivenVectors

INVENTORY = "pieces.json"


class Encoder:
    """What a worker holds: the model and the corpus."""

    def __init__(self, model: TopicModel, corpus: Corpus, kind: str | None, n: int | None) -> None:
        self._tables, self._corpus = DocumentTables(model, kind, n), corpus

    def encode(self, piece: Piece, vectors: NDArray[Any] | None) -> pl.DataFrame | None:
        """The rows of a piece of the corpus; None where it has no document."""
        with seen_everywhere(self._corpus):
            return self._encoded(piece, vectors)

    def _encoded(self, piece: Piece, vectors: NDArray[Any] | None) -> pl.DataFrame | None:
        found, first = [], 0
        for chunk in self._corpus.part(piece.first, piece.last).chunks():
            last = first + chunk.height
            found.append(
                self._tables.table(chunk, None if vectors is None else vectors[first:last])
            )
            first = last
        return pl.concat(found) if found else None


@dataclass(frozen=True)
class Asked:
    """What is to be encoded, and how."""

    model: TopicModel
    corpus: Corpus
    kind: str | None = None
    n: int | None = None
    vectors: GivenVectors | None = None


def encoded(
    asked: Asked, cluster: Cluster, out: Path, events: list[str] | None = None
) -> Iterator[pl.DataFrame]:
    """The tables of a corpus in its order. `out` is the file that they are for: pieces wait in a
    folder beside it, until `finish` is called. `events` is told what happened to workers.
    """
    with connected(cluster, asked.model.softmax_.device) as there:
        wanted = pieces(asked.corpus, there.workers)
        if asked.vectors is not None:
            asked.vectors.check_documents(wanted[-1].last if wanted else 0)
        folder = _folder(asked, wanted, out)
        missing = [piece for piece in wanted if not _file(folder, piece).exists()]
        if events is not None and len(missing) < len(wanted):
            events.append(
                f"{len(wanted) - len(missing)} of {len(wanted)} pieces were there already"
            )
        model = travelling(asked.model, there.threads)
        given = (model, asked.corpus, asked.kind, asked.n)
        if missing:
            with Crew(there, Encoder, lambda worker: given) as crew:
                tables = crew.hand_out(
                    "encoding documents",
                    "encode",
                    missing,
                    lambda piece: (piece, part_of(asked.vectors, piece.first, piece.last)),
                )
                for piece, table in zip(missing, tables, strict=True):
                    _write(_file(folder, piece), table)
                if events is not None:
                    events += crew.events
    for piece in wanted:
        table = pl.read_parquet(_file(folder, piece), glob=False)
        if table.width:
            yield table


def finish(out: Path) -> None:
    """Removes the pieces of a file that is written."""
    shutil.rmtree(_place(out), ignore_errors=True)


def _write(file: Path, table: pl.DataFrame | None) -> None:
    with new_file(file, durable=False) as new:
        (pl.DataFrame() if table is None else table).write_parquet(new, compression="uncompressed")


def _file(folder: Path, piece: Piece) -> Path:
    return folder / f"{piece.first}-{piece.last}.parquet"


def _folder(asked: Asked, wanted: list[Piece], out: Path) -> Path:
    """The folder of pieces: as it is, where they are of the same, or an empty one."""
    folder = _place(out)
    ours = json.dumps({"of": _digest(asked), "pieces": [[one.first, one.last] for one in wanted]})
    inventory = folder / INVENTORY
    if not (inventory.exists() and inventory.read_text(encoding="utf-8") == ours):
        shutil.rmtree(folder, ignore_errors=True)
        write_file(inventory, ours.encode())
    return folder


def _place(out: Path) -> Path:
    return out.parent / f".{out.name}.undertow-pieces"


def _digest(asked: Asked) -> str:
    """Of all that tables depend on."""
    model, digest = asked.model, hashlib.sha256()
    softmax = model.softmax_
    for array in softmax.parameters_.arrays().values():
        digest.update(np.ascontiguousarray(array).tobytes())
    for name, array in ({} if softmax.codes_ is None else softmax.codes_.arrays()).items():
        digest.update(name.encode() + array.tobytes())
    digest.update(repr((asked.kind, asked.n, softmax.features, softmax.count_transform)).encode())
    digest.update(repr((softmax.typical_length_, model.words())).encode())
    digest.update(repr(sorted(model.vectorizer_.settings().items())).encode())
    if asked.kind == "topics":
        digest.update(repr(model.topic_names(asked.n)).encode())
    if asked.vectors is not None:
        digest.update(asked.vectors.digest().encode())
    digest.update(seen_as(asked.corpus).encode())
    return digest.hexdigest()
