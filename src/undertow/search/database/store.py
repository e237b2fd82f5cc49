"""The documents of an index in LanceDB: ids, texts, what is known of them, vectors and codes, a row
each.

This is the only module that talks to the database. Every change is a commit; readers see one or the
other.
"""

from __future__ import annotations

import shutil
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow import _extras
from undertow._errors import IndexFileError, UndertowError
from undertow.search.database.event_loop import run, run_whole
from undertow.search.database.manifest import Manifest, Newest, newest_of
from undertow.search.database.matrices import matrix
from undertow.search.database.row_stream import RowStream
from undertow.search.filters.expression import OWN_NUMBERS, names_of, quoted
from undertow.vectors.joining import compared, unit

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "documents"
IDS_AT_ONCE = 500  # in one expression
LONGEST_FIELD = 20_000  # characters of other columns than the text, where not all are read
KEPT_FOR = timedelta(hours=1)  # old versions, for those who are reading one
AT_ONCE = timedelta(milliseconds=1)  # of 0 the database warns
ATTEMPTS = 20  # at opening a version that was looked into, while others commit
# What the database and Arrow say of files that they cannot make sense of: pyarrow's errors of keys
# and types are no ValueError. A panic of compiled code is, or is not, an Exception.
TROUBLE = (ValueError, OSError, RuntimeError, MemoryError, LookupError, TypeError)
PANICS = ("PanicException", "RustPanic")

Rows = NDArray[np.uint64]  # the database's own numbers of rows, good for one version
Scores = NDArray[np.float64]


def check_extra() -> None:
    """What the extra installs is there; said before any work is done."""
    _extras.require("undertow.search", "search", "lancedb")


@contextmanager
def named_trouble(place: Path | str) -> Iterator[None]:
    """What the database could not do, in one line, as an error of ours: a file is damaged, or a
    disk is full.
    """
    try:
        yield
    except UndertowError:
        raise
    except BaseException as error:
        if not isinstance(error, TROUBLE) and type(error).__name__ not in PANICS:
            raise
        reason = " ".join(str(error).split())
        raise IndexFileError(
            f"{place} must hold documents that can be read and written, got {reason:.160}"
        ) from error


class Store:
    """The table of an index, as of one version: its own commits are seen at once, others' by
    `latest`.
    """

    def __init__(self, database: Any, table: Any, newest: Newest, manifest: Manifest) -> None:
        self._database, self._table, self._newest = database, table, newest
        self.manifest = manifest  # of the version that was opened
        self._version: int | None = None  # asked for once a version
        self._schema: pa.Schema | None = None

    @classmethod
    def create(cls, folder: Path, schema: pa.Schema) -> Store:
        """The table, made unless it is there already; one whose making was cut off is made anew."""
        import lancedb

        place = folder / f"{TABLE}.lance"
        if any(place.glob("_versions/*.manifest")):
            return cls.open(folder)
        if place.exists():
            shutil.rmtree(place)

        async def make() -> None:
            database = await lancedb.connect_async(folder)
            await database.create_table(TABLE, schema=schema)

        run(make())
        return cls.open(folder)

    @classmethod
    def open(
        cls,
        place: Path | str,
        options: dict[str, str] | None = None,
        newest: Newest | None = None,
    ) -> Store:
        """The table that is there: in a folder, or at an address that options say how to reach;
        `newest` looks up the manifests there.
        """
        check_extra()
        import lancedb

        look = newest or partial(newest_of, Path(place) / f"{TABLE}.lance")
        with named_trouble(place):
            look()  # before the database sees anything
            database = run(lancedb.connect_async(place, storage_options=options))
            return cls._opened(database, look)

    @classmethod
    def _opened(cls, database: Any, newest: Newest) -> Store:
        """The last version, of which the database sees nothing before its manifest was looked
        into.
        """
        for _ in range(ATTEMPTS):
            manifest = newest()
            store = cls(database, run(database.open_table(TABLE)), newest, manifest)
            if store.version == manifest.version:
                return store
        raise IndexFileError(
            f"the index must be at version {manifest.version}, got {store.version}: it holds parts "
            f"of several"
        )

    def latest(self) -> Store:
        """The same table as of its last commit; this one stays as it is. What the database has read
        is shared.
        """
        return self._opened(self._database, self._newest)

    @property
    def version(self) -> int:
        """The number of the commit that is seen."""
        if self._version is None:
            self._version = int(run(self._table.version()))
        return self._version

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        if self._schema is None:
            self._schema = run(self._table.schema())
        return self._schema

    def count(self, where: str | None = None) -> int:
        """How many documents there are."""
        return int(run(self._table.count_rows(where)))

    # Writing

    def _change(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return run(work)
        finally:
            self._version = self._schema = None

    def append(self, rows: pa.Table) -> None:
        """Adds rows whose ids are new."""
        self._change(self._table.add(rows, on_bad_vectors="null"))

    def append_whole(self, pieces: Iterable[pa.Table]) -> None:
        """Adds rows whose ids are new in one commit: all pieces or, when making one of them fails,
        none.
        """
        stream = RowStream(self.schema, pieces)
        # in their order
        work = self._table.add(stream.reader, on_bad_vectors="null", write_parallelism=1)
        try:
            run_whole(work, stream.stop)
        except Exception:
            if stream.trouble is not None:
                raise stream.trouble from None  # not what the database makes of it
            raise
        finally:
            self._version = self._schema = None

    def merge(self, rows: pa.Table) -> int:
        """Adds rows, each in the place of the one with its id where there is one; says how many
        were replaced.
        """
        merge = (
            self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        )
        return int(self._change(merge.execute(rows, on_bad_vectors="null")).num_updated_rows)

    def delete(self, ids: Sequence[str]) -> None:
        """Removes the documents with these ids."""
        for part in _parts(ids):
            self._change(self._table.delete(_among(part)))

    def add_column(self, field: pa.Field) -> None:
        """A new column, null everywhere."""
        self._change(self._table.add_columns(field))

    def index_ids(self) -> None:
        """Makes the index of ids, where it is missing and there is something to find."""
        from lancedb.index import BTree

        there = {column for index in run(self._table.list_indices()) for column in index.columns}
        if "id" not in there and self.count():
            self._change(self._table.create_index("id", config=BTree()))

    def optimize(self) -> None:
        """Brings the indices up to date, joins small files and drops what only old versions
        need.
        """
        self._change(self._table.optimize(cleanup_older_than=KEPT_FOR))

    def forget(self) -> None:
        """Leaves nothing on disk of documents that were deleted or replaced, neither among the
        others nor in old versions: who reads one has to take the newest then.

        The database keeps the rows of a part in which few were deleted. So the rows that are left
        in such a part are written again, as they are.
        """
        from lancedb.index import BTree

        for part in self._newest().with_deletions:
            inside = f"_rowid >= {part << 32} AND _rowid < {(part + 1) << 32}"
            self._change(self._table.update(where=inside, updates_sql={"id": "id"}))
        if self.count():  # merged indices could keep ids
            self._change(self._table.create_index("id", config=BTree(), replace=True))
        else:
            for index in run(self._table.list_indices()):
                self._change(self._table.drop_index(index.name))
        for _ in range(ATTEMPTS):  # what it commits itself is an old version the next time
            self._change(self._table.optimize(cleanup_older_than=AT_ONCE, delete_unverified=True))
            if len(run(self._table.list_versions())) == 1:
                return

    # Reading

    def present(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are there."""
        return set(self._with_ids(ids, ["id"]))

    def vectors_with_ids(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of these documents, as they are compared; 0 for one without, and for an id
        that is not there.
        """
        found = np.zeros((len(ids), self.units), dtype=np.float32)
        held = self._with_ids(list(dict.fromkeys(ids)), ["id", "vector"])
        for place, name in enumerate(ids):
            vector = held.get(name, {}).get("vector")
            found[place] = 0.0 if vector is None else vector
        return self.as_compared(found)

    def with_ids(
        self, ids: Sequence[str], longest: int | None = None
    ) -> tuple[Rows, list[dict[str, Any]], NDArray[np.float32]]:
        """The documents with these ids that are there: the numbers of their rows, and as `whole`
        says.
        """
        wanted = self._wanted([*self._shown(), "vector"], longest)
        parts = [
            run(self._table.query().where(_among(part)).select(wanted).with_row_id().to_arrow())
            for part in _parts(ids)
        ]
        numbers = [part["_rowid"].to_numpy() for part in parts]
        documents, vectors = zip(*map(self._read, parts), strict=True) if parts else ([], [])
        return (
            np.concatenate([np.zeros(0, dtype=np.uint64), *numbers]),
            [document for part in documents for document in part],
            np.concatenate([np.zeros((0, self.units), dtype=np.float32), *vectors]),
        )

    def lengths_of_texts(self, ids: Sequence[str]) -> dict[str, int]:
        """How many characters the texts of these documents have."""
        wanted = {"id": "id", "letters": "character_length(text)"}
        return {name: one["letters"] or 0 for name, one in self._with_ids(ids, wanted).items()}

    def part_of_text(self, document: str, first: int, letters: int) -> str:
        """Characters of a text from a place on; there must be so many."""
        wanted = {"id": "id", "text": f"right(left(text, {first + letters}), {letters})"}
        return str(self._with_ids([document], wanted)[document]["text"])

    def _with_ids(
        self, ids: Sequence[str], columns: Sequence[str] | dict[str, str]
    ) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for part in _parts(ids):
            query = self._table.query().where(_among(part)).select(columns)
            rows = run(query.to_arrow()).to_pylist()
            found.update((document["id"], document) for document in rows)
        return found

    def ids(self) -> Iterator[pa.Array]:
        """All ids, in pieces."""
        for batch in self._batches(self._table.query().select(["id"])):
            yield batch.column("id")

    def row_numbers(self) -> Rows:
        """The numbers of all rows, in order: an order of the documents that holds for one
        version.
        """
        return self._rows(self._table.query().select(["_rowid"]).with_row_id())

    def matching(self, where: str) -> Rows:
        """The rows that an expression is true of, in order of their numbers."""
        return self._rows(self._table.query().where(where).select(["id"]).with_row_id())

    @staticmethod
    def _rows(query: Any) -> Rows:
        rows: Rows = np.sort(run(query.to_arrow())["_rowid"].to_numpy())
        return rows

    def taken(self, rows: Rows, columns: Sequence[str]) -> pa.Table:
        """Some columns of these rows, in the order of the rows' numbers."""
        table = self._take(rows, columns)
        return table.take(np.argsort(table["_rowid"].to_numpy(), kind="stable")).select(
            list(columns)
        )

    def _take(self, rows: Rows, columns: Sequence[str], longest: int | None = None) -> pa.Table:
        wanted = self._wanted([name for name in columns if name != "_rowid"], longest)
        return run(self._table.take_row_ids(rows.tolist()).select(wanted).with_row_id().to_arrow())

    def encoded(self, column: str) -> Iterator[tuple[Rows, NDArray[Any]]]:
        """A column of vectors or codes of all documents that have one, in pieces, with the numbers
        of the rows.
        """
        query = self._table.query().where(f"{column} IS NOT NULL").select([column]).with_row_id()
        for batch in self._batches(query):
            values = batch.column(column)
            width = values.type.list_size
            yield batch.column("_rowid").to_numpy(), values.flatten().to_numpy().reshape(-1, width)

    @staticmethod
    def _batches(query: Any) -> Iterator[pa.RecordBatch]:
        batches = run(query.to_batches())

        async def following() -> Any:
            return await anext(batches, None)

        while (batch := run(following())) is not None:
            yield batch

    def whole(
        self, rows: Rows, longest: int | None = None
    ) -> tuple[list[dict[str, Any]], NDArray[np.float32]]:
        """What is kept of these rows, in their order, and their vectors, as they are compared; 0
        for a document without one. Of texts, so many characters at most.
        """
        if not len(rows):
            return [], np.zeros((0, self.units), dtype=np.float32)
        table = self._take(rows, [*self._shown(), "vector"], longest)
        there = table["_rowid"].to_numpy()  # the database may give them in another order
        order = np.argsort(there, kind="stable")[np.searchsorted(np.sort(there), rows)]
        documents, vectors = self._read(table)
        return [documents[place] for place in order.tolist()], vectors[order]

    def _read(self, table: pa.Table) -> tuple[list[dict[str, Any]], NDArray[np.float32]]:
        """Documents, as they are shown, and vectors, as they are compared."""
        names = names_of(self.schema)
        found = table.drop_columns(["vector", "_rowid"]).to_pylist()
        vectors = np.nan_to_num(matrix(table["vector"].combine_chunks(), np.float32))
        return [names.row(document) for document in found], self.as_compared(vectors)

    @property
    def units(self) -> int:
        """How many numbers a vector has."""
        return int(self.schema.field("vector").type.list_size)

    @property
    def widths(self) -> tuple[int, int]:
        """How many numbers of a vector are the model's, and how many there are with those
        joined.
        """
        note = (self.schema.field("vector").metadata or {}).get(OWN_NUMBERS, b"")
        return int(note[:9]) if note.isdigit() else self.units, self.units

    def as_compared(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Made whole after half precision: of length 1, each side of joined ones as long as the
        other.
        """
        own, width = self.widths
        return unit(vectors) if own == width else compared(vectors[:, :own], vectors[:, own:])

    def _wanted(self, columns: Sequence[str], longest: int | None) -> list[str] | dict[str, str]:
        """Columns as the database is asked for them."""
        return list(columns) if longest is None else _beginnings(columns, self._texts, longest)

    @property
    def _texts(self) -> set[str]:
        """The columns that a single value of can be of any size, but for ids: they name
        documents.
        """
        kinds = names_of(self.schema).kinds
        return {name for name in self._shown() if kinds.get(name) == "text" and name != "id"}

    def _shown(self) -> list[str]:
        return [name for name in self.schema.names if name not in ("vector", "code")]


def _beginnings(columns: Sequence[str], texts: set[str], longest: int) -> dict[str, str]:
    """Columns to be read, with so many characters of those of texts."""
    limits = {name: letters_of(name, longest) for name in texts}
    return {
        name: f"left(`{name}`, {limits[name]})" if name in texts else f"`{name}`"
        for name in columns
    }


def letters_of(column: str, longest: int) -> int:
    """How many characters of a column are read where `longest` are of the text."""
    return longest if column == "text" else max(longest, LONGEST_FIELD)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(ids), IDS_AT_ONCE):
        yield ids[first : first + IDS_AT_ONCE]


def _among(ids: Sequence[str]) -> str:
    return f"id IN ({', '.join(map(quoted, ids))})"
