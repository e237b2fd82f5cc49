"""A folder of arrays and what belongs to them: `model.json` and `weights.safetensors`, whole or not
at all.

`model.json` holds the format's version, the kind of folder, the version of undertow that wrote it,
a checksum of its own contents, size and SHA-256 of the weights, a table of the arrays, and the
writer's manifest. Nothing in either file is code, and nothing is believed before it is checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from undertow._errors import InvalidInput, ModelFileError, NewerFormat
from undertow.files import disk
from undertow.files.atomic import new_folder, try_out
from undertow.storage import _arrays, _opening, header_file
from undertow.storage._arrays import Array
from undertow.storage._json import JSON, plain
from undertow.storage.header_file import FIELDS
from undertow.storage.layout import FOLDERS, HEADER_FILE, WEIGHTS_FILE, check_folder

READ_ATTEMPTS = 5


def write_folder(
    path: str | os.PathLike[str],
    *,
    kind: str,
    manifest: Mapping[str, JSON],
    arrays: Mapping[str, Array],
    overwrite: bool = False,
) -> Path:
    """Writes a folder, or raises and leaves everything as it was.

    A crash at any moment leaves the old or the new folder complete and readable. Two writers of one
    path do not mix: one of them wins, or gets an error.

    Parameters
    ----------
    path : path
        The folder. Missing parent folders are made.
    kind : str
        What it holds; `read_folder` is told the same.
    manifest : dict
        Anything that JSON can hold.
    arrays : dict of str to array
        Numbers, by name.
    overwrite : bool
        Whether a folder of the same kind is replaced. Anything else in its place, a user's own
        folder above all, is left alone.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InvalidInput
        Where manifest or arrays cannot be stored.
    ModelFileError
        Where the place is taken, or cannot be written.

    Examples
    --------
    >>> from undertow.storage import write_folder
    >>> folder = write_folder("points", kind="map", manifest={}, arrays={"xy": np.zeros((5, 2))})
    >>> sorted(file.name for file in folder.iterdir())
    ['model.json', 'weights.safetensors']
    """
    target = Path(path)
    if target.name in ("", "..") or "\0" in target.name:
        raise InvalidInput(f"path must name a folder, got {str(path)!r}")
    stored_manifest = plain("manifest", manifest)
    stored_arrays = _arrays.checked_arrays(arrays)
    try:
        FOLDERS.recover(target)
        _check_target(target, kind, overwrite)
        with new_folder(target) as new:
            _fill(new, kind, stored_manifest, stored_arrays)
            FOLDERS.put_in_place(new, target, replace=overwrite)
    except (OSError, SafetensorError) as error:
        if not overwrite:
            _check_target(target, kind, overwrite)  # somebody else was faster
        raise ModelFileError(
            f"{target} must be a place that can be written, got {disk.reason(error)}"
        ) from error
    return target


def check_place(path: str | os.PathLike[str], *, kind: str, overwrite: bool) -> None:
    """Refuses what `write_folder` would refuse, before the work that is to be written is done.

    Whether the disk takes anything is tried, with a file that is removed again.
    """
    target = Path(os.path.abspath(path))
    try:
        FOLDERS.recover(target)
        _check_target(target, kind, overwrite)
        try_out(target)
    except OSError as error:
        raise ModelFileError(
            f"{target} must be a place that can be written, got {disk.reason(error)}"
        ) from error


def read_folder(
    path: str | os.PathLike[str], *, kind: str
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Manifest and arrays of a folder.

    A writer may replace the folder meanwhile; what was then read could be half of each, and is read
    again.

    Parameters
    ----------
    path : path
        The folder that `write_folder` wrote.
    kind : str
        What it has to hold.

    Returns
    -------
    tuple of dict and dict
        The manifest, and the arrays by name.

    Raises
    ------
    ModelFileError
        Where there is no such folder, or one that is damaged.
    NewerFormat
        Where a later version wrote it.

    Examples
    --------
    >>> from undertow.storage import read_folder, write_folder
    >>> folder = write_folder("axes", kind="map", manifest={"unit": "cm"}, arrays={"x": np.ones(2)})
    >>> read_folder(folder, kind="map")
    ({'unit': 'cm'}, {'x': array([1., 1.])})
    """
    folder = Path(path)
    for _ in range(READ_ATTEMPTS):
        before = _opening.identity(folder)
        failure: ModelFileError | None = None
        try:
            content = _read(FOLDERS.current(folder), kind)
        except ModelFileError as error:
            failure = error
        if _opening.identity(folder) == before:
            if failure is not None:
                raise failure
            return content
    raise ModelFileError(
        f"{folder} must hold still while it is read, got replaced {READ_ATTEMPTS} times meanwhile"
    )


def _fill(new: Path, kind: str, manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    weights = new / WEIGHTS_FILE
    _arrays.write_arrays(weights, arrays)
    with open(weights, "rb") as handle:
        size, digest = _opening.file_size(handle), _opening.sha256(handle)
    disk.sync_file(weights)
    disk.write_synced(
        new / HEADER_FILE,
        header_file.header_text(kind, manifest, _arrays.table_of(arrays), size, digest),
    )
    disk.sync_folder(new)


def _check_target(target: Path, kind: str, overwrite: bool) -> None:
    """The place is free, or holds a folder that we wrote, with nothing of anyone else's in it."""
    if not os.path.lexists(target):
        return
    if not overwrite:
        raise ModelFileError(
            f"{target} must not exist yet unless overwrite=True, got something already there"
        )
    if os.path.islink(target) or not os.path.isdir(target):
        got = "a symbolic link" if os.path.islink(target) else "a file"
        raise ModelFileError(
            f"{target} must be a folder written by undertow to be overwritten, got {got}"
        )
    foreign = sorted(set(os.listdir(target)) - {HEADER_FILE, WEIGHTS_FILE})
    if foreign:
        raise ModelFileError(
            f"{target} must hold only what undertow wrote to be overwritten, got {foreign[0]!r} in "
            f"it"
        )
    try:
        found = header_file.read_document(target)
    except NewerFormat:
        raise
    except ModelFileError as error:
        raise ModelFileError(
            f"{target} must be a folder written by undertow to be overwritten: {error}"
        ) from error
    if set(found) != set(FIELDS):
        raise ModelFileError(
            f"{target} must be a folder written by undertow to be overwritten, got another "
            f"{HEADER_FILE}"
        )
    if found["kind"] != kind:
        raise ModelFileError(
            f"{target} must be of kind {kind!r} to be overwritten, got {found['kind']!r:.60}"
        )


def _read(folder: Path, kind: str) -> tuple[dict[str, Any], dict[str, Array]]:
    check_folder(folder)
    header = header_file.read_header(folder, kind)
    file = folder / WEIGHTS_FILE
    with _opening.open_plain_file(file) as handle:
        size = _opening.file_size(handle)
        if size != header.weights_bytes:
            raise ModelFileError(f"{file} must have {header.weights_bytes} bytes, got {size}")
        try:
            digest = _opening.sha256(handle)
        except OSError as error:
            raise ModelFileError(f"{file} must be readable, got {disk.reason(error)}") from error
    if digest != header.weights_sha256:
        raise ModelFileError(f"{file} must have SHA-256 {header.weights_sha256}, got {digest}")
    return header.manifest, _arrays.read_arrays(file, header.arrays)
