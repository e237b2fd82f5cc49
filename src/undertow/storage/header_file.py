"""`model.json`: what it says about a folder, and the checks before any of it is believed."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from undertow._errors import InvalidInput, ModelFileError, NewerFormat
from undertow.files.disk import reason
from undertow.storage import _json, _opening
from undertow.storage._arrays import Form, checked_table
from undertow.storage.layout import HEADER_FILE, LARGEST_HEADER, WEIGHTS_FILE
from undertow.storage.versions import undertow_version, what_to_install

FORMAT_VERSION = 1
FIELDS = ("format_version", "kind", "undertow_version", "checksum", "weights", "arrays", "manifest")


@dataclass(frozen=True)
class Header:
    """A checked `model.json`."""

    arrays: dict[str, Form]
    manifest: dict[str, Any]
    weights_bytes: int
    weights_sha256: str


def header_text(
    kind: str,
    manifest: Mapping[str, Any],
    table: Mapping[str, Any],
    weights_bytes: int,
    weights_sha256: str,
) -> bytes:
    """The content of `model.json`. The checksum covers all other fields, so that no edit of any
    goes unseen.
    """
    document = {
        "format_version": FORMAT_VERSION,
        "kind": kind,
        "undertow_version": undertow_version(),
        "checksum": "",
        "weights": {"bytes": weights_bytes, "sha256": weights_sha256},
        "arrays": table,
        "manifest": manifest,
    }
    document["checksum"] = _json.checksum(_without_checksum(document))
    text = _json.readable(document)
    if len(text) > LARGEST_HEADER:
        raise InvalidInput(f"manifest must fit {LARGEST_HEADER} bytes as JSON, got {len(text)}")
    return text


def read_document(folder: Path) -> dict[str, Any]:
    """The parsed `model.json` of a format that this version knows; nothing else in it is checked
    yet.
    """
    file = folder / HEADER_FILE
    with _opening.open_plain_file(file) as handle:
        try:
            text = handle.read(LARGEST_HEADER + 1)
        except OSError as error:
            raise ModelFileError(f"{file} must be readable, got {reason(error)}") from error
    if len(text) > LARGEST_HEADER:
        raise ModelFileError(f"{file} must be at most {LARGEST_HEADER} bytes, got more")
    document = _json.parse(text, file)
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(
            f"{file} must have a format_version of at least 1, got {reprlib.repr(version)}"
        )
    if version > FORMAT_VERSION:
        raise NewerFormat(
            f"{file} must have a format_version of at most {FORMAT_VERSION}, got "
            f"{reprlib.repr(version)}, {what_to_install(document.get('undertow_version'))}"
        )
    return document


def read_header(folder: Path, kind: str) -> Header:
    """`model.json` of a folder of this kind, with every field checked."""
    file = folder / HEADER_FILE
    document = read_document(folder)
    if set(document) != set(FIELDS):
        raise ModelFileError(
            f"{file} must have the fields {', '.join(FIELDS)}, got {reprlib.repr(list(document))}"
        )
    if not _is_intact(document):
        raise ModelFileError(
            f"{file} must be as undertow wrote it, got contents that do not fit their checksum"
        )
    if document["kind"] != kind:
        raise ModelFileError(
            f"{file} must be of kind {kind!r}, got {reprlib.repr(document['kind'])}"
        )
    if not isinstance(document["undertow_version"], str):
        raise ModelFileError(
            f"{file} must give undertow_version as a string, got "
            f"{reprlib.repr(document['undertow_version'])}"
        )
    if not isinstance(document["manifest"], dict):
        raise ModelFileError(
            f"{file} must hold manifest as an object, got {reprlib.repr(document['manifest'])}"
        )
    size, digest = _checked_weights(document["weights"], file)
    arrays = checked_table(document["arrays"], file)
    needed = sum(form.size for form in arrays.values())
    if needed > size:
        raise ModelFileError(
            f"{file} must describe arrays that fit {size} bytes of weights, got {needed} bytes"
        )
    return Header(arrays, document["manifest"], size, digest)


def _checked_weights(weights: object, file: Path) -> tuple[int, str]:
    if isinstance(weights, dict) and set(weights) == {"bytes", "sha256"}:
        size, digest = weights["bytes"], weights["sha256"]
        if (
            type(size) is int
            and size >= 0
            and isinstance(digest, str)
            and re.fullmatch("[0-9a-f]{64}", digest)
        ):
            return size, digest
    raise ModelFileError(
        f"{file} must give bytes and sha256 of {WEIGHTS_FILE}, got {reprlib.repr(weights)}"
    )


def _is_intact(document: Mapping[str, Any]) -> bool:
    try:
        return bool(document["checksum"] == _json.checksum(_without_checksum(document)))
    except RecursionError:  # nested just deep enough for the parser: nothing that undertow writes
        return False


def _without_checksum(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "checksum"}
