"""Figures of undertow.plot as JSON, for plotly in the browser: the same that notebooks and reports
show.
"""

from __future__ import annotations

from functools import lru_cache

from undertow.explorer._fixed_responses import FixedResponse
from undertow.explorer._problems import NotFound
from undertow.explorer.source import Source

KEPT = 8  # figures; they differ in their columns alone


class FigureDesk:
    """Answers with figures of the training, which never changes, so each is made once and kept."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.training = lru_cache(maxsize=KEPT)(self._training)

    def _training(self, columns: int | None) -> FixedResponse:
        from undertow import plot

        if not self._source.model.softmax_.history_:
            raise NotFound("there is no history of the training: the model was saved without one")
        return FixedResponse(
            plot.history(self._source.model, columns=columns).to_json().encode(), "application/json"
        )
