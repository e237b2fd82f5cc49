"""What takes long to make, and is made once for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from undertow.datasets import DocumentedObject


class PythonDocs(NamedTuple):
    """The corpus that every Python has, and the modules that reading it brought in."""

    documents: list[DocumentedObject]
    loaded: set[str]
