"""An estimator in a model folder: its parameters as JSON, what it learned as arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from undertow._errors import ModelFileError
from undertow.learn import EpochRecord
from undertow.learn.registry import check_known, described, find_learner, restored
from undertow.model import latent_words_of
from undertow.storage import StoredModel, save_model
from undertow.storage.training_facts import check_training, one_line
from undertow.vectors import Balance
from undertow.vectors.balance import plain_balance
from undertow.vectors.codes import Codes

if TYPE_CHECKING:
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax

Estimator = TypeVar("Estimator", bound="ReplicatedSoftmax")

# they belong to the session, not to the model
NOT_SAVED = ("callbacks", "device", "engine", "n_jobs", "verbose")


def store(
    model: ReplicatedSoftmax,
    path: str | os.PathLike[str],
    *,
    overwrite: bool,
    vocabulary: Sequence[str] | None = None,
    more: Mapping[str, Any] | None = None,
    topics: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a fitted estimator, with words other than its own column names, more facts, and the
    arrays of a topic tree where they are given.
    """
    training: dict[str, Any] = {
        "estimator": {name: _plain(value) for name, value in _saved_params(model).items()},
        "history": [asdict(record) for record in model.history_],
        "n_iter": model.n_iter_,
        "noise_level": model.noise_level_,
        "typical_length": model.typical_length_,
        "balance": {"scale": model.balance_.scale, "centre": model.balance_.centre.tolist()},
        "seed": model._seed,
        "activity": model.activity_.tolist(),
        "dead_units": None if model.dead_units_ is None else model.dead_units_.tolist(),
        "unit_names": {str(unit): name for unit, name in model.unit_names_.items()},
        **(more or {}),
    }
    names = getattr(model, "feature_names_in_", None) if vocabulary is None else vocabulary
    return save_model(
        path,
        model.parameters_,
        noise_distribution=model.noise_distribution_,
        directions=model.balance_.directions,
        codes=None if model.codes_ is None else model.codes_.arrays(),
        training=training,
        vocabulary=None if names is None else [str(name) for name in names],
        topics=topics,
        overwrite=overwrite,
    )


def restore(model: Estimator, stored: StoredModel, path: str | os.PathLike[str]) -> Estimator:
    """Brings a new estimator to what is stored; a folder without an estimator's settings gets the
    defaults.
    """
    training, latent = dict(stored.training), latent_words_of(stored.parameters)
    if bool(latent) != hasattr(model, "n_latent_words"):
        wanted = "latent words" if not latent else "no latent words"
        raise ModelFileError(
            f"{path} must hold a model with {wanted} for a {type(model).__name__}, got {latent}"
        )
    try:
        check_training(training, stored.parameters.units)
        _set_options(model, training.get("estimator", {}), stored)
        if latent:
            model.n_latent_words = latent  # what the arrays say counts
        _set_learned(model, training, stored)
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise ModelFileError(
            f"{path} must hold settings that a {type(model).__name__} can use here, got others: "
            f"{one_line(error)}"
        ) from error
    return model


def _set_options(model: ReplicatedSoftmax, options: Mapping[str, Any], stored: StoredModel) -> None:
    given = {name: _rich(value, stored) for name, value in options.items()}
    for name in ("learner", "optimizer"):
        check_known(name, given.get(name))
    model.set_params(**{"n_components": stored.parameters.units, **given})


def _set_learned(
    model: ReplicatedSoftmax, training: Mapping[str, Any], stored: StoredModel
) -> None:
    """What was learned; what models of earlier versions do not say is as usual."""
    units, words = stored.parameters.units, stored.parameters.words
    noise, dead = stored.noise_distribution, training.get("dead_units")
    level = training.get("noise_level", getattr(find_learner(model.learner), "noise_level", None))
    # the name that older models use
    names = training.get("unit_names", training.get("topic_names", {}))
    model.parameters_ = stored.parameters
    model.noise_distribution_ = np.full(words, 1.0 / words) if noise is None else noise
    model.history_ = [EpochRecord(**record) for record in training.get("history", [])]
    model.n_iter_, model._seed = int(training.get("n_iter", 0)), int(training.get("seed", 0))
    model.typical_length_ = float(training.get("typical_length", 100.0))
    model.balance_ = _balance(training.get("balance"), stored, model.typical_length_)
    model.codes_ = Codes.of_arrays(stored.codes, units)
    model.noise_level_ = tuple(level) if isinstance(level, list) else level
    model.activity_ = np.array(training.get("activity", [0.0] * units), dtype=np.float64)
    model.dead_units_ = None if dead is None else np.array(dead, dtype=np.intp)
    model.unit_names_ = {int(unit): str(name) for unit, name in names.items()}
    model._run_state = {}
    model.n_features_in_ = words
    if stored.vocabulary is not None:
        model.feature_names_in_ = np.array(stored.vocabulary, dtype=object)


def _balance(facts: Any, stored: StoredModel, length: float) -> Balance:
    """The stored balance; models of earlier versions have none, and get strengths of length 1."""
    units, directions = stored.parameters.units, stored.directions
    if directions is None:
        directions = np.zeros((stored.parameters.words, 0), dtype=np.float32)
    if facts is None:
        return plain_balance(units, length, directions)
    return Balance(float(facts["scale"]), np.array(facts["centre"], dtype=np.float32), directions)


def _saved_params(model: ReplicatedSoftmax) -> dict[str, Any]:
    return {
        name: value for name, value in model.get_params(deep=False).items() if name not in NOT_SAVED
    }


def _plain(value: Any) -> Any:
    """A parameter as JSON can hold it; word weights are in the arrays already, and random states
    are not kept.
    """
    if callable(getattr(value, "begin", None)):
        return described(value)
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (np.ndarray, list, tuple)):
        return {"kind": "word weights"}
    return None


def _rich(value: Any, stored: Any) -> Any:
    if isinstance(value, dict):
        if value.get("kind") == "word weights":
            return stored.parameters.word_weights.astype(np.float64)
        return restored(value)
    return value
