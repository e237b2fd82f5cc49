"""JSON as model folders use it: checked before it is written, parsed without surprises, summed up
by a checksum.
"""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from undertow._errors import InvalidInput, ModelFileError

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

DEEPEST = 32  # far below the depth at which the parser would run out of stack
WIDEST_INTEGER = 1024  # bits; Python refuses to parse integers of thousands of digits


def plain(name: str, value: object, depth: int = 0) -> Any:
    """The value in the types that come back from a file as they went in; anything else is an error
    that names it.
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int) and value.bit_length() <= WIDEST_INTEGER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if depth < DEEPEST:
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {key: plain(f"{name}.{key}", entry, depth + 1) for key, entry in value.items()}
        if isinstance(value, (list, tuple)):
            return [
                plain(f"{name}[{index}]", entry, depth + 1) for index, entry in enumerate(value)
            ]
    raise InvalidInput(
        f"{name} must be plain JSON (objects with string keys, lists, strings, finite numbers, "
        f"booleans, None; at most {DEEPEST} deep), got {_shown(value)}"
    )


def readable(document: Mapping[str, Any]) -> bytes:
    """The text that is stored. ASCII only, so that any string at all can be written, even half a
    surrogate pair.
    """
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def checksum(document: Mapping[str, Any]) -> str:
    """SHA-256 of what the document says, whatever its spacing and the order of its keys."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse(text: bytes, file: Path) -> dict[str, Any]:
    """The object that the file holds, or an error that says why it is none."""
    try:
        document = json.loads(text.decode("utf-8"), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{file} must be valid JSON, got {error}") from error
    if not isinstance(document, dict):
        raise ModelFileError(f"{file} must be a JSON object, got {reprlib.repr(document)}")
    return document


def _shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of thousands of digits cannot even be printed
        return f"{type(value).__name__} too large to print"


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]}, which is not finite")
    return number
