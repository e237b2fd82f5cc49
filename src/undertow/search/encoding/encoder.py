"""A stored model as questions need it: words, parameters, and where texts fall among topics.

The estimator takes seconds to load and can train; a question needs neither. Texts are split by the
vectorizer's own code for few texts, and vectors are those of `TopicModel`, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from undertow._errors import InvalidInput, ModelFileError
from undertow.corpus.few_texts import FewTexts
from undertow.corpus.vectorizer_options import analyzer
from undertow.counts.transform import damped
from undertow.search.encoding.encoded import Encoded
from undertow.storage.model import StoredModel, load_model
from undertow.storage.training_facts import check_training
from undertow.vectors.codes import Codes
from undertow.vectors.given import stored_width

if TYPE_CHECKING:
    from undertow.estimators import TopicModel
    from undertow.model import Parameters
    from undertow.topics.outline import Outline


class Encoder:
    """Encodes a few texts at a time as a model does; `whole` gives the estimator, for what is not
    known here.
    """

    def __init__(self, stored: StoredModel, path: Path, whole: Callable[[], TopicModel]) -> None:
        if "vectorizer" not in stored.training or stored.vocabulary is None:
            raise InvalidInput("model must be a model of texts, got a ReplicatedSoftmax")
        try:
            check_training(stored.training, stored.parameters.units)
        except InvalidInput as error:
            raise ModelFileError(f"{path} must hold a sound model: {error}") from error
        self.stored, self._path, self._whole = stored, path, whole
        self.words: tuple[str, ...] = stored.vocabulary
        estimator = stored.training.get("estimator", {})
        # older models: the estimator's defaults
        self._damped = estimator.get("count_transform", "log") == "log"
        self._typical_length = float(stored.training.get("typical_length", 100.0))

    @classmethod
    def load(cls, path: Path, whole: Callable[[], TopicModel]) -> Encoder:
        """The model in a folder, checked as `undertow.load` does."""
        return cls(load_model(path), path, whole)

    @property
    def parameters(self) -> Parameters:
        """Weights and biases."""
        return self.stored.parameters

    @cached_property
    def others(self) -> int:
        """How many numbers are joined with the model's where topics are compared."""
        try:
            return stored_width(self.stored.training)
        except InvalidInput as error:
            raise ModelFileError(
                f"{self._path} must hold the width of joined vectors: {error}"
            ) from error

    @cached_property
    def codes(self) -> Codes | None:
        """What codes are made by; None in models of earlier versions."""
        try:
            return Codes.of_arrays(self.stored.codes, self.parameters.units)
        except InvalidInput as error:
            raise ModelFileError(f"{self._path} must hold sound codes: {error}") from error

    @cached_property
    def columns(self) -> dict[str, int]:
        """Word -> its number, which is its row of the weights."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors, and which words and units are in each text."""
        batch = self._counter.batch(texts)
        if self._damped:
            batch = replace(batch, counts=damped(batch.counts).astype(np.int32))
        return Encoded.of_questions(self.parameters, batch, self._typical_length, self.codes)

    def unit_name(self, unit: int) -> str:
        """The name that was given to a hidden unit, or the words that push it most."""
        from undertow.estimators.units import describe

        training, shares = self.stored.training, self.stored.noise_distribution
        if shares is None:
            shares = np.full(len(self.words), 1.0 / len(self.words))
        # the name that older models use
        names = training.get("unit_names", training.get("topic_names", {}))
        given = {int(number): str(name) for number, name in names.items()}
        activity = np.zeros(self.parameters.units)
        return describe(
            self.parameters, shares, self.words, activity, given, n_words=3, units=[unit]
        )[0].name

    @cached_property
    def outline(self) -> Outline | None:
        """The tree of topics as it was stored; None in models of earlier versions."""
        if not self.stored.topics:
            return None
        from undertow.topics.stored_atlas import restored_outline

        width = self.parameters.units + self.others
        try:
            return restored_outline(self.stored.training.get("topics"), self.stored.topics, width)
        except InvalidInput as error:
            raise ModelFileError(
                f"{self._path} must hold a sound tree of topics: {error}"
            ) from error

    @cached_property
    def _counter(self) -> FewTexts:
        options = {name: _rich(value) for name, value in self.stored.training["vectorizer"].items()}
        try:
            return FewTexts(analyzer(options), self.columns)
        except (
            KeyError,
            TypeError,
            InvalidInput,
        ):  # settings of another version: the estimator knows, or says why not
            return self._whole().vectorizer_.counter()


def _rich(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, list) and all(isinstance(item, int) for item in value)
        else value
    )
