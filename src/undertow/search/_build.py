"""Filling an index: in bulk, so that an interrupted run goes on where it stopped, and by merging.

A bulk run appends the corpus in its order, a commit per chunk. How far it came is therefore how many rows there are,
which is part of every commit: no record of progress can disagree with the documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from undertow._errors import IndexFileError, InvalidInput
from undertow.search import _folder
from undertow.search._documents import chunks_from, rows_of, schema, survey, time_field
from undertow.search._modes import EXACT_BELOW
from undertow.search._store import Language, Store, check_extra

if TYPE_CHECKING:
    import polars as pl

    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel

Progress = Callable[[int, int], None]
NO_CORPUS = "none"


def build(folder: Path, model: TopicModel, corpus: Any, *, overwrite: bool, progress: Progress | None) -> None:
    """Makes the index in a folder, or finishes one that was begun with the same model and corpus."""
    from undertow.corpus import as_corpus

    check_extra()
    documents = None if corpus is None else as_corpus(corpus)
    _check_place(folder, overwrite)
    total, digest = (0, NO_CORPUS) if documents is None else _surveyed(documents)
    store = _begun(folder, model, digest, overwrite=overwrite)
    if documents is not None:
        _fill(store, model, documents, total, progress)
    store.index_what_is_not(language=language(model), vectors_from=EXACT_BELOW)
    _folder.write_facts(folder, _folder.Facts(finished=True, model=_folder.model_digest(folder)))


def add(store: Store, model: TopicModel, corpus: Corpus, progress: Progress | None) -> tuple[int, int]:
    """Merges a corpus into an index by id; how many documents it has, and how many of them took another's place."""
    total, done, replaced = survey(corpus).documents, 0, 0
    for chunk in chunks_from(corpus, 0):
        _make_room(store, chunk)
        replaced += store.merge(rows_of(model, chunk, store.schema))
        done += chunk.height
        if progress is not None:
            progress(done, total)
    store.index_what_is_not(language=language(model), vectors_from=EXACT_BELOW)
    return done, replaced


def language(model: TopicModel) -> Language:
    """How the model's own words are made, for full-text search to do likewise."""
    vectorizer = model.vectorizer_
    return Language(vectorizer.stemmer, vectorizer.stop_words == "english")


def _surveyed(corpus: Corpus) -> tuple[int, str]:
    found = survey(corpus)
    return found.documents, found.digest


def _check_place(folder: Path, overwrite: bool) -> None:
    """Free, an index that may be replaced, or one that is unfinished; said before the corpus is read."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not _folder.is_index(folder):
        raise InvalidInput(f"path must be free or hold an index, got {folder}, which holds something else")
    if _folder.read_facts(folder).finished and not overwrite:
        raise InvalidInput(f"path must not hold a finished index, got {folder}: add to it, or replace it (overwrite)")


def _begun(folder: Path, model: TopicModel, digest: str, *, overwrite: bool) -> Store:
    """The store to fill: the one that an interrupted run left, if it was made of the same, or a new one."""
    if _folder.is_index(folder):
        facts = _folder.read_facts(folder)
        same = not facts.finished and facts.corpus == digest and _same_model(folder, model)
        if same:
            return Store.create(folder / _folder.DATABASE, schema(model.softmax_.parameters_.units))
        if not overwrite:
            raise InvalidInput(
                f"path must be free, got {folder}, an unfinished index of other documents: replace it (overwrite)"
            )
        _folder.remove(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _folder.write_facts(folder, _folder.Facts(finished=False, corpus=digest))
    model.save(folder / _folder.MODEL)
    return Store.create(folder / _folder.DATABASE, schema(model.softmax_.parameters_.units))


def _same_model(folder: Path, model: TopicModel) -> bool:
    """Whether the folder holds a copy of the model; one that was cut off before it was saved is given it now."""
    from undertow.estimators import TopicModel, load

    if not (folder / _folder.MODEL).exists():
        model.save(folder / _folder.MODEL)
        return True
    kept = load(folder / _folder.MODEL)
    return isinstance(kept, TopicModel) and _fingerprint(kept) == _fingerprint(model)


def _fingerprint(model: TopicModel) -> str:
    """A digest of everything that vectors depend on."""
    digest, softmax = hashlib.sha256(), model.softmax_
    parameters = softmax.parameters_
    for array in (parameters.weights, parameters.hidden_bias, parameters.word_weights):
        digest.update(array.tobytes())
    settings = (softmax.count_transform, softmax.typical_length_, model.words())
    options = {name: value for name, value in model.vectorizer_.get_params(deep=False).items() if name != "vocabulary"}
    digest.update(repr((settings, sorted(options.items()))).encode())
    return digest.hexdigest()


def _fill(store: Store, model: TopicModel, corpus: Corpus, total: int, progress: Progress | None) -> None:
    done = store.count()
    if done > total:
        raise IndexFileError(f"the index must hold at most the {total:,} documents of the corpus, got {done:,}")
    if done and progress is not None:
        progress(done, total)
    for chunk in chunks_from(corpus, done):
        _make_room(store, chunk)
        store.append(rows_of(model, chunk, store.schema))
        done += chunk.height
        if progress is not None:
            progress(done, total)


def _make_room(store: Store, chunk: pl.DataFrame) -> None:
    """A column for times, where the chunk is the first to have any."""
    field = time_field(chunk)
    if field is not None and "time" not in store.schema.names:
        store.add_column(field)
