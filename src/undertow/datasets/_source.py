"""Where a published data set is read from.

In this order: the folder that `UNDERTOW_DATA` names, the cache, the network. The first two hold the
same Parquet file; the third makes it, once its content has been proved to be the official one.
"""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from undertow import _check
from undertow._errors import InvalidInput
from undertow.datasets._archive import read_archive
from undertow.datasets._download import Unreachable, download
from undertow.datasets._official import COLUMNS, SPLITS, Official, check_counts, check_digest
from undertow.files.atomic import new_file

DATA, CACHE = "UNDERTOW_DATA", "UNDERTOW_CACHE"

Folder = str | os.PathLike[str]


def load(
    official: Official, *, split: str | None, cache: Folder | None, progress: bool
) -> pl.DataFrame:
    """The documents of a split, or all of them."""
    if split is not None:
        known = {name for name, _ in official.counts}
        _check.one_of("split", split, [name for name in SPLITS if name in known])
    documents = read(find(official, cache=cache, progress=progress), official)
    return documents if split is None else documents.filter(pl.col("split") == split)


def find(official: Official, *, cache: Folder | None, progress: bool) -> Path:
    """The data set's Parquet file, downloaded and converted where there is none yet."""
    if data := os.environ.get(DATA):
        local = Path(data).expanduser() / official.parquet
        if not local.parent.is_dir():
            raise InvalidInput(
                f"{DATA} must name a folder with {official.parquet}, got {data!r}, which is no "
                f"folder"
            )
        if local.exists():
            return local
    folder = cache_folder(cache)
    kept = folder / official.parquet
    if not kept.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(
                f"cache (or {CACHE}) must name a folder that can be made, got {str(folder)!r}: "
                f"{error.strerror}"
            ) from error
        _fetch(official, folder, progress=progress)
    return kept


def cache_folder(cache: Folder | None) -> Path:
    """`cache`, else the folder that `UNDERTOW_CACHE` names, else `undertow` in the user's folder of
    caches.
    """
    chosen = cache if cache is not None else os.environ.get(CACHE)
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # the XDG rules: a relative path there counts as not set
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "undertow"


def read(file: Path, official: Official) -> pl.DataFrame:
    """The Parquet file, its columns and its numbers of documents checked."""
    try:
        table = pl.scan_parquet(file, glob=False)
        schema = table.collect_schema()
        missing = [column for column in COLUMNS if column not in schema]
        if missing:
            there = ", ".join(schema) or "none"
            raise InvalidInput(
                f"{file} must have the columns {', '.join(COLUMNS)}, got these: {there}"
            )
        documents = table.select(COLUMNS).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InvalidInput(
            f"{file} must be a Parquet file of {official.name}, got: {reason}"
        ) from error
    for column in COLUMNS:
        if documents.schema[column] != pl.String:
            raise InvalidInput(
                f"{file} must have strings in column {column}, got {documents.schema[column]}"
            )
        if column != "label" and (nulls := documents[column].null_count()):
            raise InvalidInput(f"{file} must have no nulls in column {column}, got {nulls:,}")
    check_counts(documents, official, str(file))
    if not documents["id"].is_unique().all():
        raise InvalidInput(f"{file} must have unique ids, got some twice")
    return documents


def _fetch(official: Official, folder: Path, *, progress: bool) -> None:
    """The official archive, turned into the cache's Parquet file; the archive is not needed after
    that.
    """
    archive = folder / official.archive
    was_there = archive.exists()  # put there by hand, or by a run that ended before the conversion
    if not was_there:
        try:
            download(official.url, archive, largest=official.largest_archive, progress=progress)
        except Unreachable as error:
            now = (
                f"now {os.environ[DATA]!r}, which has none"
                if os.environ.get(DATA)
                else "not set now"
            )
            raise InvalidInput(
                f"{official.name} is not on this computer and cannot be had from {official.url} "
                f"({error}): set {DATA} ({now}) to a folder with {official.parquet}, or connect to "
                f"the network and call again (what has arrived is kept in {folder})"
            ) from error
    try:
        documents = read_archive(archive, official)
        check_counts(documents, official, str(archive))
        check_digest(documents, official, str(archive))
    except InvalidInput as error:
        if was_there:
            raise InvalidInput(f"{error}; delete it and call again to download it anew") from error
        archive.unlink()
        raise InvalidInput(
            f"{error}; it has been deleted, call again to download it anew"
        ) from error
    _write(documents, folder / official.parquet)
    archive.unlink()


def _write(documents: pl.DataFrame, file: Path) -> None:
    with new_file(file) as unfinished:
        documents.write_parquet(unfinished, compression="zstd")
