"""Answers about the model: what is shown, its hidden units, and its training."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import undertow
from undertow.explorer import _answers as answers
from undertow.explorer._background import Background
from undertow.explorer._fixed_responses import FixedResponse
from undertow.explorer.source import Source

if TYPE_CHECKING:
    from undertow.estimators.units import WordWeight

WORDS_OF_A_UNIT = 10
OF_THE_SESSION = (
    "callbacks",
    "device",
    "engine",
    "n_jobs",
    "verbose",
    "warm_start",
    "random_state",
    "max_types",
    "chunk_size",
)


class ModelDesk:
    """Answers about the model of a source."""

    def __init__(self, source: Source, background: Background, *, edit: bool = False) -> None:
        self._source, self._background, self._edit = source, background, edit

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the documents."""
        return self._source.labels()

    def warm_up(self) -> None:
        """Makes what every page needs."""
        _ = self.labels, self.units

    def about(self) -> answers.About:
        """What is shown, and how far the overview is."""
        index, model, background = self._source.index, self._source.model, self._background
        columns = {} if index is None else index.columns
        atlas = getattr(model, "atlas_", None)
        return answers.About(
            name=self._source.name,
            kind="model" if index is None else "index",
            documents=None if index is None else len(index),
            topics=None if atlas is None else atlas.chosen,
            units=model.softmax_.parameters_.units,
            words=model.softmax_.parameters_.words,
            columns=columns,
            labels=self.labels,
            has=answers.Has(
                search=index is not None,
                map=index is not None,
                time="time" in columns
                and (background.overview is None or background.overview.over_time is not None),
                training=bool(model.softmax_.history_),
                edit=self._edit,
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
            **{
                name: value
                for name, value in vectorizer.get_params(deep=False).items()
                if name != "vocabulary"
            },
            **softmax.get_params(deep=False),
            "epochs": softmax.n_iter_,
            "noise_level": softmax.noise_level_,
            "typical_length": softmax.typical_length_,
            "training_seconds": round(sum(record.seconds for record in softmax.history_), 3),
        }
        return {name: plain(value) for name, value in given.items() if name not in OF_THE_SESSION}

    @cached_property
    def units(self) -> FixedResponse:
        """All hidden units, the most active first; they stay as they are while topics are
        edited.
        """
        rows = [
            answers.Unit(
                id=unit.id,
                name=unit.name,
                activity=unit.activity,
                up=_words(unit.up),
                down=_words(unit.down),
            )
            for unit in self._source.model.units(WORDS_OF_A_UNIT)
        ]
        return FixedResponse(
            answers.Units(units=rows).model_dump_json().encode(), "application/json"
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


def finite(value: float | None) -> float | None:
    """The value, or None for what JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None


def plain(value: Any) -> str | bool | int | float | None:
    """A setting as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, set, frozenset, np.ndarray)) and len(value) > 10:
        return f"{len(value):,} values"
    return str(value)


def _words(words: tuple[WordWeight, ...]) -> list[answers.UnitWord]:
    return [answers.UnitWord(word=one.word, weight=one.weight) for one in words]
