"""What people do with a model that they were given: everything, and nothing that comes out may be
other than finite.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import undertow
from undertow import UndertowError
from undertow.cli.info import _facts
from undertow.search.encoding.encoder import Encoder
from undertow.vectors.encoding import FEATURES

ASKED = ["the moon and its orbit", "ripe apples and pears", "", "zzz 中文"]
LONGEST_MESSAGE = 1500


def use(folder: Path) -> None:
    """Loads a model and asks it everything."""
    model = undertow.load(folder)
    for what, numbers in _answers(model, folder):
        assert np.isfinite(numbers).all(), f"{what} is not finite"
    model.save(folder.with_name("again"), overwrite=True)


def _answers(model: Any, folder: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    texts = isinstance(model, undertow.TopicModel)
    asked = ASKED if texts else _counts_for(model)
    for kind in FEATURES:
        yield kind, model.encode(asked, kind=kind)
    for unit in model.units():
        yield "a unit", np.array([unit.activity, *(word.weight for word in unit.up)])
    if texts:
        json.dumps(_facts(model, str(folder)), ensure_ascii=False).encode()
        encoder = Encoder.load(folder, lambda: model)
        yield "a question", np.asarray(encoder.encode(ASKED).vectors)
        assert isinstance(encoder.unit_name(0), str)
        yield from _of_topics(model, encoder)


def _counts_for(model: Any) -> Any:
    """Three documents; with the names of columns where a model of texts lost what reads texts."""
    counts = np.eye(model.n_features_in_, dtype=np.int64)[:3] * 5
    names = getattr(model, "feature_names_in_", None)
    return counts if names is None else pd.DataFrame(counts, columns=names)


def _of_topics(model: undertow.TopicModel, encoder: Encoder) -> Iterator[tuple[str, NDArray[Any]]]:
    if not hasattr(model, "atlas_"):
        return
    for topic in model.topics():
        words = [word.salience for word in topic.words]
        yield "a topic", np.array([topic.coherence, topic.share, *words])
    assert encoder.outline is not None
    model.topic_tree()
    model.document_topics(ASKED)
    model.choose_topics()


def worded(folder: Path) -> str | None:
    """Uses a model; the message where it is refused. Anything but a worded error is a finding."""
    try:
        use(folder)
    except UndertowError as error:
        message = str(error)
        assert "\n" not in message
        assert len(message) < LONGEST_MESSAGE
        return message
    return None
