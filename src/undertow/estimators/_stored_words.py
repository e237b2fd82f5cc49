"""The vectorizer of a model in a model folder: its settings as JSON, beside the vocabulary."""

from __future__ import annotations

import os
from typing import Any

from undertow._errors import InvalidInput, ModelFileError
from undertow.corpus import Vectorizer
from undertow.storage import StoredModel
from undertow.storage.training_facts import one_line


def plain_settings(vectorizer: Any) -> dict[str, Any]:
    """The settings of a vectorizer as JSON can hold them."""
    return {name: _plain(name, value) for name, value in vectorizer.settings().items()}


def restored(
    stored: StoredModel, path: str | os.PathLike[str]
) -> tuple[dict[str, Any], Vectorizer]:
    """The options that a vectorizer was made with, and the vectorizer, as it was when saved."""
    if stored.vocabulary is None:
        raise ModelFileError(f"{path} must hold the vocabulary of a TopicModel, got none")
    try:
        options = {name: _rich(value) for name, value in stored.training["vectorizer"].items()}
        options.pop("n_jobs", None)  # models of earlier versions have that of the session
        of_tokens = bool(options.pop("tokens", False))
        # models of earlier versions took runs of letters as they are
        options.setdefault("segmenter", None)
        vectorizer = Vectorizer(**options).remember(stored.vocabulary)
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise ModelFileError(
            f"{path} must hold settings that a Vectorizer can use here, got others: "
            f"{one_line(error)}"
        ) from error
    vectorizer.tokens_ = of_tokens
    return options, vectorizer


def remembered_columns(columns: Any, path: str | os.PathLike[str]) -> dict[str, str]:
    """Checked names of columns; a model of an earlier version has none."""
    if isinstance(columns, dict) and all(isinstance(name, str) for name in columns.values()):
        return dict(columns)
    raise ModelFileError(
        f"{path} must hold names of columns as an object of strings, got {columns!r:.80}"
    )


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise InvalidInput(f"vectorizer option {name} must be plain data to be saved, got {value!r}")


def _rich(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, list) and all(isinstance(item, int) for item in value)
        else value
    )
