"""Keeping what was edited: the model in its folder, or the copy that an index holds, replaced as a
whole.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from undertow._errors import InvalidInput
from undertow.explorer.source import Source


class Saver:
    """Writes the model of a source, unless another process has written it since it was opened."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known = self._digest()

    def save(self) -> None:
        """Replaces the stored model."""
        if self._digest() != self._known:
            raise InvalidInput(
                "the stored model must be as it was when the explorer was started, "
                "got one that another program has changed: start the explorer again"
            )
        if self._source.index is not None:
            self._source.index.save_model()
        else:
            self._source.model.save(self._source.folder, overwrite=True)
        self._known = self._digest()

    def _digest(self) -> str:
        folder = (
            self._source.folder if self._source.index is None else self._source.index.path / "model"
        )
        return hashlib.sha256((Path(folder) / "model.json").read_bytes()).hexdigest()
