"""Before `fit`, everything that needs it says so in scikit-learn's way."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from undertow import DeepReplicatedSoftmax, ReplicatedSoftmax, TopicModel, Vectorizer
from undertow.topics.curation import Curation

WITHOUT = {
    *("fit", "fit_transform", "partial_fit", "get_params", "set_params", "set_output"),
    *("get_metadata_routing", "from_stored"),
}
"""What needs no fitting; scikit-learn adds `set_fit_request` and the like."""
TEXTS = ["apple pear"]
GIVEN: dict[str, Any] = {
    "X": np.ones((1, 2), dtype=np.int64),
    "texts": TEXTS,
    "names": {0: "a name"},
    "path": Path("nowhere"),
    "name": "a name",
    "words": ["apple"],
    "topics": [0, 1],
    "under": None,
    "lengths": [3],
    "number": 1,
    "curation": Curation(),
}


def methods(kind: type) -> list[str]:
    """The public methods that need a fitted model."""
    return [
        name
        for name, method in inspect.getmembers(kind, inspect.isroutine)
        if not name.startswith("_") and name not in WITHOUT and not name.endswith("_request")
    ]


def properties(kind: type) -> list[str]:
    return [
        name
        for name, found in inspect.getmembers(kind, lambda member: isinstance(member, property))
        if name.endswith("_") and not name.startswith("_")
    ]


def call(model: Any, name: str) -> Any:
    method = getattr(model, name)
    return method(
        *(
            GIVEN.get(parameter.name, 0)
            for parameter in inspect.signature(method).parameters.values()
            if parameter.default is parameter.empty
        )
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in (TopicModel, ReplicatedSoftmax, DeepReplicatedSoftmax)
        for name in methods(kind)
    ],
)
def test_methods_of_an_unfitted_model(kind: type, name: str) -> None:
    with pytest.raises(NotFittedError):
        call(kind(), name)


def test_many_methods_are_looked_at() -> None:
    assert {"words", "units", "topics", "save", "counts", "name_topics"} <= {*methods(TopicModel)}
    assert {"reconstruct", "sample", "add_words"} <= {*methods(ReplicatedSoftmax)}
    assert {"components_", "word_weights_"} <= {*properties(ReplicatedSoftmax)}


@pytest.mark.parametrize("name", properties(ReplicatedSoftmax))
def test_attributes_of_an_unfitted_model(name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(ReplicatedSoftmax(), name)
    assert not hasattr(ReplicatedSoftmax(), name)


def test_a_fit_that_failed_is_no_fit() -> None:
    model = TopicModel()
    with pytest.raises(ValueError, match="texts must hold a token"):
        model.fit([""])
    with pytest.raises(NotFittedError):
        model.transform(TEXTS)
    with pytest.raises(NotFittedError):
        model.words()


@pytest.mark.parametrize("name", ["transform", "coverage", "get_feature_names_out", "counter"])
def test_a_vectorizer(name: str) -> None:
    with pytest.raises(NotFittedError):
        call(Vectorizer(), name)
