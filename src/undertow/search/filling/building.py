"""Filling an index: in bulk, so that an interrupted run goes on where it stopped, and by merging.

A bulk run appends the corpus in its order, a commit per chunk. How far it came is therefore how
many rows there are, which is part of every commit: no record of progress can disagree with the
documents.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from undertow._errors import IndexFileError, InvalidInput
from undertow.search.database.store import Store, check_extra, named_trouble
from undertow.search.filling.arrivals import add_columns, arrivals
from undertow.search.filling.new_ids import NewIds
from undertow.search.filling.rows import rows_of, schema
from undertow.search.filling.survey import Survey, chunks_from, survey
from undertow.search.filters.column_kinds import TOLD
from undertow.search.filters.kept_columns import Keep, KeptColumns, chosen
from undertow.search.folder import file_list, layout, replacing
from undertow.search.folder.derived_files import bring_up_to_date, word_rule
from undertow.search.results import Added
from undertow.vectors.given import part_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from undertow.cluster import Cluster
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel
    from undertow.vectors.given import GivenVectors

Progress = Callable[[int, int], None]
NO_CORPUS = "none"


def build(
    folder: Path,
    model: TopicModel,
    corpus: Corpus | None,
    *,
    keep: Keep,
    day_first: bool | None,
    overwrite: bool,
    progress: Progress | None,
    vectors: GivenVectors | None = None,
    cluster: Cluster | None = None,
) -> tuple[str, ...]:
    """Makes the index in a folder, or finishes one that was begun with the same model and corpus;
    gives remarks.

    A finished one stays as it is until the new one, which is made beside it, can take its place.
    """
    check_extra()
    kept = chosen(corpus, keep)
    width = joined_width(model, vectors, corpus)
    folder = Path(os.path.realpath(folder))
    replacing.recover(folder)
    replaced = _check_place(folder, overwrite)
    found, documents = (
        (_nothing(kept), None) if corpus is None else _surveyed(corpus, kept, day_first)
    )
    if vectors is not None:
        vectors.check_documents(found.documents)
        found = replace(found, digest=f"{found.digest} {vectors.digest()}")
    names = {**({} if corpus is None else corpus.names), **kept.columns}
    place = replacing.beside(folder) if replaced else folder
    place.mkdir(parents=True, exist_ok=True)
    events: list[str] = []
    with replacing.writers_kept_out(*dict.fromkeys((folder, place))) as locks:
        _check_still_so(folder, overwrite, replaced)
        with named_trouble(place):
            columns = schema(model.softmax_.parameters_.units, found, names, width)
            store = _begun(place, model, found, columns, overwrite=overwrite)
            if documents is not None:
                events = _fill(store, model, documents, found, progress, vectors, cluster)
            _finish(place, store, model, found)
        if replaced:
            layout.check_replaceable(folder)
            replacing.put_in_place(place, folder, locks)
    return (*kept.remarks, *found.remarks, *events)


def _finish(place: Path, store: Store, model: TopicModel, found: Survey) -> None:
    """What follows from the documents, the list of files, and last what says that all is there."""
    store.index_ids()
    copies = _read_words(store, place / layout.WORDS, model)
    file_list.write(place, store.latest().manifest)
    digest, token = layout.model_digest(place), secrets.token_hex(8)
    facts = layout.IndexFacts(True, found.digest, digest, token, copies, listed=True)
    layout.write_facts(place, facts)


def joined_width(model: TopicModel, vectors: GivenVectors | None, corpus: Corpus | None) -> int:
    """How many numbers an index joins with those of a model; an error where its documents should
    have some.
    """
    width = model.vectors_width_
    if vectors is None:
        if width and corpus is not None:
            raise InvalidInput(
                f"vectors must be given, {width:,} numbers for each document, as to the model, got "
                f"none"
            )
        return width
    if width:
        vectors.check_width(width, of="the model")
    return vectors.width


def _surveyed(corpus: Corpus, kept: KeptColumns, day_first: bool | None) -> tuple[Survey, Corpus]:
    """What is in a corpus, and its documents with the columns that can be kept."""
    optional = () if kept.asked else tuple(kept.columns)
    known = {} if day_first is None else {TOLD: day_first}
    found = survey(corpus.keeping(kept.columns), kept.told, optional=optional, day_first=known)
    return found, corpus.keeping(
        {name: column for name, column in kept.columns.items() if name in found.kinds}
    )


def add(
    store: Store,
    model: TopicModel,
    corpus: Corpus,
    *,
    replace: bool = False,
    day_first: bool | None = None,
    progress: Progress | None = None,
    vectors: GivenVectors | None = None,
) -> Added:
    """Adds a corpus to an index, in one commit, or merges it by id; the caller holds the writer's
    lock.
    """
    _check_joined(store, vectors)
    if replace and not corpus.has_ids:
        raise InvalidInput(
            f"replace must be used with documents that have ids, got {corpus.name} without: name "
            f"id_column"
        )
    check = None if replace or not corpus.has_ids else partial(_refuse_present, store)
    coming = arrivals(store, corpus, day_first=day_first, check=check)
    if vectors is not None:
        vectors.check_documents(coming.found.documents)
    add_columns(store, coming)
    chunks, total = chunks_from(coming.documents, 0, coming.found), coming.found.documents
    made = None if corpus.has_ids else NewIds.of(store)
    rows = _rows(
        model, chunks if made is None else made.given(chunks), store, total, progress, vectors
    )
    replaced = 0
    if replace:
        replaced = sum(map(store.merge, rows))
    else:
        store.append_whole(rows)
    store.index_ids()
    new_ids = None if made is None else made.first_and_last
    return Added(total - replaced, replaced, new_ids, coming.remarks)


def _check_joined(store: Store, vectors: GivenVectors | None) -> None:
    """Documents that come have the vectors that those have that are there."""
    own, width = store.widths
    if vectors is None and own < width:
        raise InvalidInput(
            f"vectors must be given, {width - own:,} numbers for each document, as before, got none"
        )
    if vectors is not None and own == width:
        raise InvalidInput("vectors must be left out, as the index was made without any, got some")
    if vectors is not None:
        vectors.check_width(width - own, of="the index")


def _rows(
    model: TopicModel,
    chunks: Iterable[pl.DataFrame],
    store: Store,
    total: int,
    progress: Progress | None,
    vectors: GivenVectors | None,
) -> Iterator[pa.Table]:
    """The rows of chunks, each told of when the next is asked for."""
    done, target = 0, store.schema
    for chunk in chunks:
        yield rows_of(model, chunk, target, part_of(vectors, done, done + chunk.height))
        done += chunk.height
        if progress is not None:
            progress(done, total)


def _refuse_present(store: Store, ids: pl.Series) -> None:
    """Nothing is written over unless that is asked for."""
    there = store.present(ids.to_list())
    if there:
        first = next(name for name in ids if name in there)
        raise InvalidInput(
            f"ids must be new to the index, got {first!r:.80}, which is there already: "
            "give the document another id, or replace=True to put it in that one's place"
        )


def _read_words(store: Store, folder: Path, model: TopicModel) -> int | None:
    """Makes the full text; how many documents are near-copies of others, or None after a run that
    was cut off here.
    """
    from undertow.fulltext.sketches import Sketches

    fresh, sketches = not any(folder.glob("*")), Sketches()
    bring_up_to_date(store, folder, word_rule(model.vectorizer_.settings()), sketches)
    return sketches.near_duplicates() if fresh else None


def _nothing(kept: KeptColumns) -> Survey:
    """Of an index that is made without documents."""
    kinds = {name: kind for name, kind in kept.told.items() if kind is not None}
    unknown = [column for name, column in kept.columns.items() if name not in kinds]
    if unknown:
        raise InvalidInput(
            f"keep must give kinds where there is no corpus to show them, got none for "
            f"{unknown[0]!r}"
        )
    return Survey(0, NO_CORPUS + repr(kinds), kinds)


def _check_place(folder: Path, overwrite: bool) -> bool:
    """Free, an index that may be replaced (then true), or one that is unfinished; said before the
    corpus is read.
    """
    if layout.is_free(folder):
        return False
    if not layout.is_index(folder):
        raise InvalidInput(
            f"path must be free or hold an index, got {folder}, which holds something else"
        )
    finished = layout.read_facts(folder).finished
    if finished and not overwrite:
        raise InvalidInput(
            f"path must not hold a finished index, got {folder}: add to it, or replace it "
            f"(overwrite=True)"
        )
    if finished:
        layout.check_replaceable(folder)
    return finished


def _check_still_so(folder: Path, overwrite: bool, replaced: bool) -> None:
    """What was found there, now that nobody else can change it."""
    if _check_place(folder, overwrite) != replaced:
        raise IndexFileError(
            f"{folder} must not be written by another process, got one that finished it meanwhile"
        )


def _begun(
    place: Path, model: TopicModel, found: Survey, columns: pa.Schema, *, overwrite: bool
) -> Store:
    """The store to fill: the one that an interrupted run left, if it was made of the same, or a new
    one.
    """
    if layout.is_index(place):
        if layout.read_facts(place).corpus == found.digest and _same_model(place, model):
            store = Store.create(place / layout.DATABASE, columns)
            if store.count() <= found.documents or not overwrite:
                return store
        elif not overwrite:
            raise InvalidInput(
                f"path must be free, got {place}, an unfinished index of other documents: replace "
                f"it (overwrite=True)"
            )
    layout.clear(place)
    layout.write_facts(place, layout.IndexFacts(finished=False, corpus=found.digest))
    model.save(place / layout.MODEL)
    return Store.create(place / layout.DATABASE, columns)


def _same_model(folder: Path, model: TopicModel) -> bool:
    """Whether the folder holds a copy of the model; one that was cut off before it was saved is
    given it now.
    """
    from undertow.estimators import TopicModel, load

    if not (folder / layout.MODEL).exists():
        model.save(folder / layout.MODEL)
        return True
    kept = load(folder / layout.MODEL)
    return isinstance(kept, TopicModel) and _fingerprint(kept) == _fingerprint(model)


def _fingerprint(model: TopicModel) -> str:
    """A digest of everything that vectors depend on."""
    digest, softmax = hashlib.sha256(), model.softmax_
    parameters = softmax.parameters_
    for array in (parameters.weights, parameters.hidden_bias, parameters.word_weights):
        digest.update(array.tobytes())
    for name, array in ({} if softmax.codes_ is None else softmax.codes_.arrays()).items():
        digest.update(name.encode() + array.tobytes())
    settings = (softmax.count_transform, softmax.typical_length_, model.words())
    digest.update(repr((settings, sorted(model.vectorizer_.settings().items()))).encode())
    return digest.hexdigest()


def _fill(
    store: Store,
    model: TopicModel,
    corpus: Corpus,
    found: Survey,
    progress: Progress | None,
    vectors: GivenVectors | None,
    cluster: Cluster | None,
) -> list[str]:
    """Writes what is not there yet; says what happened to the workers of a cluster."""
    events: list[str] = []
    done, total = store.count(), found.documents
    if done and progress is not None:
        progress(done, total)
    if cluster is None:
        rows = _rows_from(store, model, corpus, found, done, vectors)
    else:
        from undertow.search.filling.shared_rows import shared_rows

        rows = shared_rows(cluster, model, corpus, done, found, store.schema, vectors, events)
    for table in rows:
        store.append(table)
        done += table.num_rows
        if progress is not None:
            progress(done, total)
    if store.count() != total:  # such as by a commit that went on after Ctrl-C
        raise IndexFileError(
            f"the index must hold the {total:,} documents of the corpus, got {store.count():,}: "
            f"replace it"
        )
    return events


def _rows_from(
    store: Store,
    model: TopicModel,
    corpus: Corpus,
    found: Survey,
    done: int,
    vectors: GivenVectors | None,
) -> Iterator[pa.Table]:
    """The rows of all documents but the first `done`, in chunks."""
    for chunk in chunks_from(corpus, done, found):
        yield rows_of(model, chunk, store.schema, part_of(vectors, done, done + chunk.height))
        done += chunk.height
