"""Opening a corpus by its path: which format it is, and whether the path can be it."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path

import polars as pl

from undertow._errors import InvalidInput
from undertow._forks import check_not_forked
from undertow.corpus._columns import find_columns
from undertow.corpus._formats import UNREADABLE, FolderSource, JsonLinesSource, TableSource
from undertow.corpus._parquet import check_parquet
from undertow.corpus.corpus import Corpus, Source
from undertow.corpus.paths import check_exists

FORMATS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".csv": "CSV",
    ".tsv": "TSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".txt": "text",
}
PACKED = (".gz", ".zst")
_log = logging.getLogger(__name__)

TEXT_FILES = (".txt", ".text", "")  # in a folder
MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive",
    b"%PDF": "a PDF",
    b"\x89HDF": "an HDF5 file",
}


def open_corpus(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    text_column: str | None = None,
    title_column: str | None = None,
    label_column: str | None = None,
    split_column: str | None = None,
    time_column: str | None = None,
    url_column: str | None = None,
    remembered: Mapping[str, str] | None = None,
) -> Corpus:
    """A corpus on disk or on a server; only the names of its columns are read yet.

    The end of the name tells the format:

    - `.parquet` or `.pq`, or a folder that holds such files (shards, at any depth, in the order of
      their paths);
    - `.csv`, `.tsv` with a header; an empty cell is an empty text, and elsewhere says that there is
      no value;
    - `.jsonl`, `.ndjson`: a JSON object a line;
    - `.txt`: a document a line;
    - a folder of text files (`.txt`, `.text` or no suffix, at any depth): a document a file, its
      path the id. Links that lead out of the folder are not followed, and a warning says so.

    All but Parquet may end in `.gz` or `.zst` as well. Remote paths (`s3://`, `https://`, `hf://`
    ...) and patterns with `*` go to polars as they are. Text has to be UTF-8: other bytes are an
    error that names file and line, never replaced in silence. A title becomes the first line of its
    text.

    Parameters
    ----------
    path : path or str
        A file, a folder, an address or a pattern.
    id_column, text_column, title_column, label_column, split_column, time_column, url_column : str
        Names of columns; an empty name says that there is none. Those that are not given are those
        remembered, or are found by common names, such as "document" or "review" for the text.
    remembered : mapping of str to str, or None
        Columns of another corpus: role -> name (`Corpus.names`, and `columns_` of a model).

    Returns
    -------
    Corpus
        Its documents.

    Raises
    ------
    InvalidInput
        Where there is no such file, the format is not known, or a column is missing.

    Examples
    --------
    >>> undertow.open_corpus("posts.parquet", label_column="stars").columns
    ('id', 'text', 'label', 'split')
    """
    check_not_forked()
    source = _source(os.fspath(path))
    given = {
        "id": id_column,
        "text": text_column,
        "title": title_column,
        "label": label_column,
        "split": split_column,
        "time": time_column,
        "url": url_column,
    }
    return Corpus(source, find_columns(source.columns, given, source.name, remembered))


def _source(path: str) -> Source:
    remote = "://" in path
    local = Path(path)
    if not remote and local.is_dir():
        return _folder(local)
    if not remote and "*" not in path:
        _check_file(local)
    return _file(path, "Parquet" if remote and path.endswith("/") else _format(path))


def _format(path: str) -> str:
    """The format by the end of the path."""
    stem, suffix = os.path.splitext(path.partition("?")[0].lower())
    if suffix in PACKED:
        suffix = os.path.splitext(stem)[1]
    kind = FORMATS.get(suffix)
    if kind is None:
        raise InvalidInput(f"path must end in {', '.join(FORMATS)} (or be a folder), got {path}")
    return kind


def _file(path: str, kind: str) -> Source:
    table = f"a {kind} file"
    several = "://" in path or "*" in path  # else brackets and question marks are letters of a name
    if kind == "Parquet":
        if "://" not in path:
            check_parquet(list(map(Path, glob(path))) if several else [Path(path)])
        return TableSource(path, table, pl.scan_parquet(path, glob=several))
    if kind in ("CSV", "TSV"):
        separator = _separator(path) if kind == "CSV" else "\t"
        frame = pl.scan_csv(
            path,
            separator=separator,
            infer_schema=False,
            empty_string_is_null=False,
            glob=several,
        )
        return TableSource(path, table, frame, empty_is_null=True)
    name = "line" if kind == "JSON lines" else "text"
    whole = pl.scan_lines(path, name=name, glob=several).with_columns(
        pl.col(name).str.strip_prefix("\ufeff")
    )
    lines = TableSource(path, table, whole)  # without a byte order mark
    return JsonLinesSource(path, lines) if kind == "JSON lines" else lines


def _separator(path: str) -> str:
    """What stands between the cells of a CSV file: a semicolon or a tab where its first line has
    one and no comma, as spreadsheets write it in much of Europe. Of files elsewhere, a comma.
    """
    if not Path(path).is_file():
        return ","
    try:
        head = pl.scan_lines(path, name="line", glob=False).head(1).collect()["line"].to_list()
    except UNREADABLE:
        return ","  # why it cannot be read is told when it is
    named = re.sub(r'"[^"]*"', "", head[0] or "") if head else ""
    return next((mark for mark in ",;\t" if mark in named), ",")


def _folder(folder: Path) -> Source:
    found = [file for file in sorted(folder.rglob("*")) if not _hidden(file, folder)]
    files, away = _inside(found, folder)
    shards = [file for file in files if file.suffix.lower() in (".parquet", ".pq")]
    if shards:
        check_parquet(shards)
        frame = pl.scan_parquet(shards, glob=False)
        return TableSource(str(folder), "a folder of Parquet files alike", frame)
    texts = tuple(file for file in files if file.suffix.lower() in TEXT_FILES)
    if not texts:
        raise InvalidInput(
            f"path must hold Parquet files or text files (.txt or no suffix), got the folder "
            f"{folder} without any{' but links that lead out of it' if away else ''}"
        )
    return FolderSource(str(folder), folder, texts)


def _inside(found: Sequence[Path], folder: Path) -> tuple[list[Path], list[Path]]:
    """The files among what is in a folder, and the links that lead out of it, which are not
    followed: a stranger's folder could have anything of this machine read.
    """
    root = folder.resolve()
    away = [file for file in found if file.is_symlink() and not _leads_into(file, root)]
    if away:
        _log.warning(
            "%s: links that lead out of the folder are not followed: %d, such as %s. Put the files "
            "themselves there, or name a folder that holds both",
            *(folder, len(away), away[0].relative_to(folder)),
        )
    left_out = set(away)
    return [file for file in found if file not in left_out and file.is_file()], away


def _leads_into(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # links in a circle
        return False


def _hidden(file: Path, folder: Path) -> bool:
    """Left by tools, such as .ipynb_checkpoints or Spark's _SUCCESS."""
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _check_file(path: Path) -> None:
    """The file is there, can be read and does not begin like one of another kind."""
    check_exists(path)
    try:
        with path.open("rb") as file:
            beginning = file.read(4)
    except OSError as error:
        raise InvalidInput(f"path must be readable, got {path}: {error.strerror}") from None
    kind, found = _format(str(path)), MAGIC.get(beginning)
    if found and not (kind == "Parquet" and beginning == b"PAR1"):
        raise InvalidInput(f"{path} must be a {kind} file, got {found}")
