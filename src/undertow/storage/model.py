"""A trained Replicated Softmax as a folder: parameters, the noise it was trained against, how, and
its words.
"""

from __future__ import annotations

import dataclasses
import json
import os
import reprlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow._errors import InvalidInput, ModelFileError
from undertow.model.parameters import LARGEST, LEAST_WEIGHT, Parameters
from undertow.storage._arrays import Array
from undertow.storage._json import JSON
from undertow.storage.folder import check_place, read_folder, write_folder

KIND = "replicated-softmax"
NOISE = "noise_distribution"
DIRECTIONS = "directions"
LONGEST = 1 + 1e-3  # of a direction, but for rounding
# what the names of the topic tree's arrays begin with; `undertow.topics` knows the rest
TOPICS = "topics."
CODES = "codes."  # and those of what codes are made by, which `undertow.vectors` knows
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class StoredModel:
    """What a model folder holds.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    noise_distribution : array of float64, (words,), or None
        What it was trained against.
    training : dict
        How it was trained; empty where nothing was told.
    vocabulary : tuple of str, or None
        The words, in the order of the rows of W.
    topics : dict of str to array
        Arrays of the topic tree; none in older models.
    directions : array of float32, (words, directions), or None
        Those of words, which stand beside units; none in older models.
    codes : dict of str to array
        What codes are made by; none in older models.

    Examples
    --------
    >>> from undertow.storage import StoredModel
    >>> StoredModel(parameters, None, {}, ("apple", "moon", "pear")).vocabulary[1]
    'moon'
    """

    parameters: Parameters
    noise_distribution: NDArray[np.float64] | None
    training: dict[str, Any]
    vocabulary: tuple[str, ...] | None
    topics: dict[str, Array] = field(default_factory=dict)
    directions: NDArray[np.float32] | None = None
    codes: dict[str, Array] = field(default_factory=dict)


def save_model(
    path: str | os.PathLike[str],
    parameters: Parameters,
    *,
    noise_distribution: NDArray[np.float64] | None = None,
    training: Mapping[str, JSON] | None = None,
    vocabulary: Sequence[str] | None = None,
    topics: Mapping[str, Array] | None = None,
    directions: NDArray[np.float32] | None = None,
    codes: Mapping[str, Array] | None = None,
    overwrite: bool = False,
) -> Path:
    """Writes a model folder; what `load_model` would refuse is refused here already.

    Parameters
    ----------
    path : path
        The folder. Missing parent folders are made.
    parameters : undertow.Parameters
        The model.
    noise_distribution, training, vocabulary, topics, directions, codes
        As of `StoredModel`, where there are any.
    overwrite : bool
        Whether another model in its place is replaced.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InvalidInput
        Where the model is not sound.
    ModelFileError
        Where the place is taken, or cannot be written.

    Examples
    --------
    >>> from undertow.storage import save_model
    >>> save_model("model", parameters, vocabulary=["apple", "moon", "pear"]).name
    'model'
    """
    if isinstance(vocabulary, str):  # a sequence of strings to Python, a slip to everyone else
        raise InvalidInput(
            f"vocabulary must be a list of words, got {reprlib.repr(vocabulary):.120}"
        )
    model = StoredModel(
        parameters=parameters,
        noise_distribution=None
        if noise_distribution is None
        else np.asarray(noise_distribution, dtype=np.float64),
        training={} if training is None else dict(training),
        vocabulary=None if vocabulary is None else tuple(vocabulary),
        topics=dict(topics or {}),
        directions=directions,
        codes=dict(codes or {}),
    )
    _check_model(model)
    arrays: dict[str, Array] = dict(parameters.arrays())
    if model.noise_distribution is not None:
        arrays[NOISE] = model.noise_distribution
    if model.directions is not None and model.directions.shape[1]:
        arrays[DIRECTIONS] = model.directions
    arrays.update(model.topics)
    arrays.update(model.codes)
    # The words come last: a person who looks into model.json finds everything else before them.
    manifest: dict[str, JSON] = {"training": model.training, "vocabulary": model.vocabulary}
    return write_folder(path, kind=KIND, manifest=manifest, arrays=arrays, overwrite=overwrite)


def load_model(path: str | os.PathLike[str]) -> StoredModel:
    """Reads a model folder, or says in one line why it cannot be trusted.

    `undertow.load` makes an estimator of it.

    Parameters
    ----------
    path : path
        The folder.

    Returns
    -------
    StoredModel
        What it holds.

    Raises
    ------
    ModelFileError
        Where there is no model, or one that is damaged.
    NewerFormat
        Where a later version wrote it.

    Examples
    --------
    >>> from undertow.storage import load_model, save_model
    >>> load_model(save_model("another", parameters)).parameters.words
    3
    """
    manifest, arrays = read_folder(path, kind=KIND)
    try:
        model = _assembled(manifest, arrays)
        _check_model(model)
    except InvalidInput as error:
        raise ModelFileError(f"{Path(path)} must hold a sound model: {error}") from error
    return model


def _assembled(manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> StoredModel:
    topics = {name: array for name, array in arrays.items() if name.startswith(TOPICS)}
    codes = {name: array for name, array in arrays.items() if name.startswith(CODES)}
    names = set(arrays) - {NOISE, DIRECTIONS} - set(topics) - set(codes)
    kinds = [kind for kind in Parameters.kinds() if set(kind.axes()) == names]
    if not kinds:
        raise InvalidInput(
            f"arrays must be {', '.join(Parameters.axes())}, got {reprlib.repr(sorted(names))}"
        )
    if set(manifest) != {"training", "vocabulary"}:
        raise InvalidInput(
            f"manifest must hold training and vocabulary, got {reprlib.repr(list(manifest)):.120}"
        )
    training, vocabulary = manifest["training"], manifest["vocabulary"]
    if not isinstance(training, dict):
        raise InvalidInput(f"training must be an object, got {reprlib.repr(training):.120}")
    if not isinstance(vocabulary, list | None):
        raise InvalidInput(
            f"vocabulary must be a list of words, got {reprlib.repr(vocabulary):.120}"
        )
    return StoredModel(
        parameters=kinds[0](**{name: arrays[name] for name in kinds[0].axes()}),
        noise_distribution=arrays.get(NOISE),
        training=training,
        vocabulary=None if vocabulary is None else tuple(vocabulary),
        topics=topics,
        directions=arrays.get(DIRECTIONS),
        codes=codes,
    )


def check_place_of_model(path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Refuses what `save_model` would refuse of a place, before a model is trained."""
    check_place(path, kind=KIND, overwrite=overwrite)


def _check_model(model: StoredModel) -> None:
    # its arrays may have been exchanged since it checked them
    parameters = dataclasses.replace(model.parameters)
    for name, array in parameters.arrays().items():
        _check_numbers(name, array, np.float32)
        _check_size(name, array)
    for name in parameters.non_negative():
        lowest = getattr(parameters, name).min(initial=0.0)
        if lowest < 0:
            raise InvalidInput(f"{name} must not be negative, got {lowest} among its values")
    faint = parameters.word_weights[parameters.word_weights > 0].min(initial=1.0)
    if faint < LEAST_WEIGHT:
        raise InvalidInput(f"word_weights must be 0 or at least {LEAST_WEIGHT:g}, got {faint:g}")
    if model.noise_distribution is not None:
        _check_noise(model.noise_distribution, parameters.words)
    if model.directions is not None:
        _check_directions(model.directions, parameters.words)
    for name, array in model.codes.items():
        _check_numbers(name, array, np.float32)
        _check_size(name, array)
    if model.vocabulary is not None:
        _check_vocabulary(model.vocabulary, parameters.words)
    _check_unicode("training", json.dumps(model.training, ensure_ascii=False, default=str))


def _check_numbers(name: str, array: Array, dtype: type[np.floating[Any]]) -> None:
    if array.dtype != dtype:
        raise InvalidInput(f"{name} must be {np.dtype(dtype)}, got {array.dtype}")
    if not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its values"
        )


def _check_size(name: str, array: Array) -> None:
    largest = np.abs(array).max(initial=0.0)
    if largest > LARGEST:
        raise InvalidInput(
            f"{name} must be at most {LARGEST:g} in size, got {largest:g} among its values, as of "
            f"a training with too large a learning rate"
        )


def _check_unicode(name: str, text: str) -> None:
    """JSON can say half of a surrogate pair, which no text holds."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name} must be valid Unicode, got half of a surrogate pair, {text[error.start]!r}"
        ) from None


def _check_noise(noise: Array, words: int) -> None:
    _check_numbers(NOISE, noise, np.float64)
    _check.vector(NOISE, noise, size=words)
    if not (noise > 0).all():
        raise InvalidInput(f"{NOISE} must be positive, got {noise.min()} among its values")
    if abs(noise.sum() - 1) > SUM_TOLERANCE:
        raise InvalidInput(f"{NOISE} must sum to one, got {noise.sum()}")


def _check_directions(directions: Array, words: int) -> None:
    if directions.ndim != 2 or len(directions) != words:
        raise InvalidInput(
            f"{DIRECTIONS} must have a row for each of {words} words, got shape {directions.shape}"
        )
    _check_numbers(DIRECTIONS, directions, np.float32)
    if directions.size and np.abs(directions).max() > LONGEST:
        raise InvalidInput(
            f"{DIRECTIONS} must be of length 1 at most, got {np.abs(directions).max()} among its "
            f"values"
        )


def _check_vocabulary(vocabulary: Sequence[object], words: int) -> None:
    for word in vocabulary:
        if not isinstance(word, str):
            raise InvalidInput(f"vocabulary must hold strings, got {reprlib.repr(word)}")
    _check_unicode("vocabulary", "".join(map(str, vocabulary)))
    if len(vocabulary) != words:
        raise InvalidInput(f"vocabulary must hold {words} words, got {len(vocabulary)}")
    if len(set(vocabulary)) != words:
        (word, times), *_ = Counter(vocabulary).most_common(1)
        raise InvalidInput(
            f"vocabulary must hold each word once, got {reprlib.repr(word)} {times} times"
        )
