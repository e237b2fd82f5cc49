"""An index: a folder that answers questions about a corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from undertow._errors import IndexFileError, InvalidInput
from undertow.cluster import Cluster
from undertow.search import _arguments
from undertow.search._index_changes import IndexChanges, Progress
from undertow.search._index_questions import IndexQuestions
from undertow.search.database.store import Store, check_extra
from undertow.search.folder import layout, replacing
from undertow.search.folder.opening import open_documents
from undertow.search.folder.remote import Remote, is_remote

if TYPE_CHECKING:
    from undertow.estimators import TopicModel


class Index(IndexQuestions, IndexChanges):
    """A folder of documents that can be searched by words and by meaning; made by `create`, read by
    `open`.

    Ids are texts. Vectors are the model's strengths, which retrieve best, in half precision; codes
    are their signs, turned. A document without a word that the model knows has neither, and is
    found by its text alone.

    Vectors of another encoder may be joined with the model's: the cosine of two documents is then
    the mean of two, by undertow and by that encoder. A document without one of the two has a cosine
    of 0 there.

    Threads may share one: an answer is of one version from beginning to end, whatever is added or
    deleted meanwhile. It needs the extra: pip install 'undertow[search]'.

    Examples
    --------
    >>> import undertow
    >>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
    >>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
    >>> texts = space + food
    >>> model = undertow.TopicModel(16, max_epochs=20, random_state=0).fit(texts * 20)
    >>> index = undertow.Index.create("docs", model, texts, overwrite=True)
    >>> len(index)
    6
    >>> [hit.text for hit in index.search("rocket", 1)]
    ['a rocket flew to the moon']
    """

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        model: TopicModel | str | os.PathLike[str],
        corpus: Any = None,
        *,
        keep: str | Sequence[str] | Mapping[str, str | None] | None = None,
        day_first: bool | None = None,
        overwrite: bool = False,
        progress: Progress | None = None,
        vectors: Any = None,
        cluster: Cluster | str | None = None,
        workers: int | None = None,
    ) -> Index:
        """Makes an index with the documents of a corpus.

        Interrupted, the same call goes on where it stopped. A finished index is replaced only with
        `overwrite`, and stays whole until the new one is finished.

        Columns of a table are those that the model was fitted with, where they are there, or else
        found by name. All columns are kept, so that filters may name them and hits show them, under
        the names that they have there; `remarks` of the index tells which could not be.

        Parameters
        ----------
        path : path
            The folder to make.
        model : TopicModel or path
            A fitted one, or its folder. It is copied into the index.
        corpus : texts, table, Corpus or None
            Anything that `TopicModel.fit` takes; None for no documents yet.
        keep : str, sequence of str, mapping or None
            Columns to keep, instead of all: as "rating", or with a kind ("flag", "whole", "number",
            "day", "moment" or "text") as "rating:number" or {"rating": "number"}; () for none.
            Without a kind, a column is what its type is, or in CSV and JSON lines the first of
            these that all of its values can be.
        day_first : bool or None
            Which number of 12/05/1997 is the day; None: the column tells.
        overwrite : bool
            Whether a finished index may be replaced.
        progress : callable or None
            Told how many documents are done, of how many.
        vectors : array-like or None
            Those of another encoder, a row a document, to be joined with the model's, which needs
            them if fitted so.
        cluster, workers
            As in `TopicModel.fit`: workers encode documents, and this process writes them.

        Returns
        -------
        Index
            The new one, open.

        Raises
        ------
        InvalidInput
            Where an index is there already, ids are not different, or a column cannot be kept.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"text": texts, "label": ["space"] * 3 + ["food"] * 3})
        >>> labelled = undertow.Index.create("labelled", model, table, overwrite=True)
        >>> {hit.fields["label"] for hit in labelled.search("moon apples", where="label = 'food'")}
        {'food'}
        """
        from undertow.search.filling.building import build

        folder, trained = _arguments.local_folder(path), _arguments.topic_model(model)
        documents = None if corpus is None else _arguments.as_documents(corpus, trained.columns_)
        options: dict[str, Any] = {
            "keep": keep,
            "day_first": day_first,
            "overwrite": overwrite,
            "progress": progress,
        }
        if cluster is not None or workers is not None:
            options["cluster"] = Cluster.of(cluster, workers)
        remarks = build(folder, trained, documents, **options, vectors=_arguments.beside(vectors))
        index = cls.open(folder)
        index.remarks = remarks
        return index

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
    ) -> Index:
        """Opens the index in a folder, or at an address, which is only read. Its model is checked.

        Parameters
        ----------
        path : path or str
            A folder, or s3://bucket/prefix.
        storage_options : mapping of str or None
            How to reach the storage: "access_key_id", "secret_access_key", "session_token",
            "region", "endpoint" and what else LanceDB knows. What they do not say is taken from the
            usual AWS_... variables.

        Returns
        -------
        Index
            The index.

        Raises
        ------
        IndexFileError
            Where there is none, or an unfinished or unsound one.

        Examples
        --------
        >>> undertow.Index.open("docs").document("3").text
        'ripe apples and pears'
        """
        check_extra()
        if is_remote(path):
            remote = Remote.fetch(path, storage_options)
            with remote.named():
                return cls._opened(remote.folder, remote)
        if storage_options:
            raise InvalidInput(
                "storage_options must be left out for a folder on this machine, got some"
            )
        return cls._opened(replacing.current(Path(path)))

    @classmethod
    def _opened(cls, folder: Path, remote: Remote | None = None) -> Index:
        facts = layout.read_facts(folder)
        if not facts.finished:
            raise IndexFileError(
                f"{folder} must be finished, got an index half made: run what made it again"
            )
        if layout.model_digest(folder) not in facts.model.split():
            raise IndexFileError(f"{folder} must hold the model that it was made with, got another")
        if remote is None:
            store, damaged = open_documents(folder, facts)
            return cls(folder, store, facts.token, None, damaged)
        store = Store.open(remote.database, remote.options, remote.newest_manifest)
        return cls(folder, store, facts.token, remote)
