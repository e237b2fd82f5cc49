"""The training of one worker."""

from __future__ import annotations

from typing import Any, Self

from undertow.corpus import Corpus
from undertow.estimators._part import Part


class TrainingPart(Part):
    """A part of a corpus, and a run on it."""

    @classmethod
    def of(cls, corpus: Corpus, options: dict[str, Any]) -> Self:
        """With options by their names."""
        return cls(corpus, **options)
