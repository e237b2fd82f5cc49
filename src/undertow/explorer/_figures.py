"""Figures of undertow.plot as JSON, for plotly in the browser: the same that notebooks and reports show."""

from __future__ import annotations

from functools import lru_cache

from undertow.explorer._fixed import Fixed
from undertow.explorer._map import MapDesk
from undertow.explorer._problems import NotFound
from undertow.explorer.source import Source

KEPT = 64  # figures; one of 12 topics takes about 20 kB


class FigureDesk:
    """Answers with figures. Neither the model nor the overview changes, so each is made once and kept for a while."""

    def __init__(self, source: Source, overviews: MapDesk) -> None:
        self._source, self._overviews = source, overviews
        self.training = lru_cache(maxsize=KEPT)(self._training)
        self._of_topics = lru_cache(maxsize=KEPT)(self._over_time)

    def over_time(self, topics: list[int] | None) -> Fixed:
        """The courses of some topics, or of those that change most."""
        self._overviews.courses(topics or [])
        return self._of_topics(None if topics is None else tuple(topics))

    def _training(self, columns: int | None) -> Fixed:
        from undertow import plot

        if not self._source.model.softmax_.history_:
            raise NotFound("there is no history of the training: the model was saved without one")
        return _sent(plot.history(self._source.model, columns=columns).to_json())

    def _over_time(self, topics: tuple[int, ...] | None) -> Fixed:
        from undertow import plot

        return _sent(plot.over_time(self._overviews.overview(), self._source.model, topics).to_json())


def _sent(figure: str) -> Fixed:
    return Fixed(figure.encode(), "application/json")
