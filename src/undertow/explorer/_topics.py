"""Answers about topics and the model: lists that never change are made once."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

import undertow
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._fixed import Fixed
from undertow.explorer._problems import NotFound
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.estimators.units import Unit, WordWeight
    from undertow.insight import Overview

Sort = Literal["activity", "name", "id", "documents"]

WORDS_IN_LIST, WORDS_ON_PAGE = 10, 30
SIMILAR = 8
TYPICAL_TEXT = 300  # characters


class TopicDesk:
    """Answers about the topics of a source."""

    def __init__(self, source: Source, background: Background) -> None:
        self._source, self._background = source, background
        self._lists: dict[tuple[str, bool], Fixed] = {}

    @cached_property
    def topics(self) -> dict[int, Unit]:
        """All topics by id, the most active first, with as many words as a page shows."""
        return {topic.id: topic for topic in self._source.model.units(WORDS_ON_PAGE)}

    @cached_property
    def similarity(self) -> NDArray[np.float32]:
        """The cosines between topics."""
        from undertow.insight import topic_similarity

        return topic_similarity(self._source.model)

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the documents."""
        return self._source.labels()

    def warm_up(self) -> None:
        """Makes what every page needs."""
        self.listed("activity")
        _ = self.labels, self.similarity

    def about(self) -> answers.About:
        """What is shown, and how far the overview is."""
        index, model, background = self._source.index, self._source.model, self._background
        columns = {} if index is None else index.columns
        return answers.About(
            name=self._source.name,
            kind="model" if index is None else "index",
            documents=None if index is None else len(index),
            topics=model.softmax_.parameters_.units,
            words=model.softmax_.parameters_.words,
            columns=columns,
            labels=self.labels,
            has=answers.Has(
                search=index is not None,
                map=index is not None,
                time=columns.get("time", "text") != "text",
                training=bool(model.softmax_.history_),
            ),
            overview=background.state,
            overview_progress=background.progress,
            overview_error=background.error,
            settings=self.settings,
            version=undertow.__version__,
        )

    @cached_property
    def settings(self) -> dict[str, str | bool | int | float | None]:
        """How the model was made, as plain values."""
        softmax, vectorizer = self._source.model.softmax_, self._source.model.vectorizer_
        given = {
            **{name: value for name, value in vectorizer.get_params(deep=False).items() if name != "vocabulary"},
            **softmax.get_params(deep=False),
            "epochs": softmax.n_iter_,
            "noise_level": softmax.noise_level_,
            "typical_length": softmax.typical_length_,
            "training_seconds": round(sum(record.seconds for record in softmax.history_), 3),
        }
        of_the_session = ("callbacks", "n_jobs", "verbose", "warm_start", "random_state", "max_types", "chunk_size")
        return {name: _plain(value) for name, value in given.items() if name not in of_the_session}

    def listed(self, sort: Sort) -> Fixed:
        """All topics in an order."""
        overview = self._background.overview
        key = sort, overview is not None
        if key not in self._lists:
            rows = [
                answers.TopicRow(**self._row(topic, overview, WORDS_IN_LIST)) for topic in _in_order(self.topics, sort)
            ]
            if sort == "documents":
                rows.sort(key=lambda row: -(row.documents or 0))
            self._lists[key] = Fixed(answers.Topics(topics=rows).model_dump_json().encode(), "application/json")
        return self._lists[key]

    def page(self, number: int) -> answers.TopicPage:
        """One topic with all that is known of it."""
        if number not in self.topics:
            raise NotFound(f"the topic must be from 0 to {len(self.topics) - 1}, got {number}")
        overview = self._background.overview
        return answers.TopicPage(
            **self._row(self.topics[number], overview, WORDS_ON_PAGE),
            similar=self._similar(number),
            typical=[] if overview is None else self._typical(overview, number),
            over_time=None if overview is None else _course(overview, number),
        )

    def training(self) -> answers.Training:
        """The history of the model."""
        return answers.Training(
            epochs=[
                answers.Epoch(
                    epoch=record.epoch,
                    loss=finite(record.loss),
                    split_half=finite(record.split_half),
                    activity=record.activity,
                    dead_units=record.dead_units,
                    seconds=record.seconds,
                    tokens=record.tokens,
                )
                for record in self._source.model.softmax_.history_
            ]
        )

    def _row(self, topic: Unit, overview: Overview | None, words: int) -> dict[str, Any]:
        documents = None
        if overview is not None and self._source.index is not None:
            documents = round(float(overview.activity[topic.id]) * len(self._source.index))
        return {
            "id": topic.id,
            "name": topic.name,
            "activity": topic.activity,
            "documents": documents,
            "up": _words(topic.up[:words]),
            "down": _words(topic.down[:words]),
        }

    def _similar(self, number: int) -> list[answers.Similar]:
        cosines = self.similarity[number]
        order = [int(other) for other in np.argsort(-cosines, kind="stable") if other != number][:SIMILAR]
        return [
            answers.Similar(id=other, name=self.topics[other].name, similarity=float(cosines[other])) for other in order
        ]

    def _typical(self, overview: Overview, number: int) -> list[answers.Typical]:
        rows = [int(row) for row in overview.typical[number] if row >= 0]
        ids = [overview.ids[row] for row in rows]
        there = self._source.documents(ids)
        documents = [there[name] for name in ids if name in there]
        if not documents:
            return []
        strengths = self._source.model.encode([document.text for document in documents], "strength")[:, number]
        return [
            answers.Typical(
                id=document.id, text=document.text[:TYPICAL_TEXT], label=document.label, strength=float(strength)
            )
            for document, strength in zip(documents, strengths, strict=True)
        ]


def finite(value: float | None) -> float | None:
    """The value, or None for what JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None


def _in_order(topics: dict[int, Unit], sort: Sort) -> list[Unit]:
    found = list(topics.values())  # the most active first
    if sort == "name":
        found.sort(key=lambda topic: (topic.name.casefold(), topic.id))
    elif sort == "id":
        found.sort(key=lambda topic: topic.id)
    return found


def _words(words: tuple[WordWeight, ...]) -> list[answers.Word]:
    return [answers.Word(word=one.word, weight=one.weight) for one in words]


def _course(overview: Overview, number: int) -> answers.Course | None:
    found = overview.over_time
    if found is None:
        return None
    return answers.Course(
        edges=found.edges.tolist(),
        documents=found.documents.tolist(),
        share=np.nan_to_num(found.share[:, number]).tolist(),
        kind="date" if overview.time_kind == "date" else "number",
    )


def _plain(value: Any) -> str | bool | int | float | None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, set, frozenset, np.ndarray)) and len(value) > 10:
        return f"{len(value):,} values"
    return str(value)
