"""Writing an index' copy of the model again, after its topics were curated.

`index.json` names the model by its digest, so two things have to change together. While they do, it
names both, the old one and the new one: cut off anywhere, the index holds one of the models that it
names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from undertow._errors import IndexFileError, InvalidInput
from undertow.files.atomic import new_folder
from undertow.search.folder import layout
from undertow.storage import load_model
from undertow.storage.layout import FOLDERS

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

ENCODING = ("weights", "hidden_bias", "word_weights")  # parameters that vectors and codes depend on


def replace_model(folder: Path, model: TopicModel) -> None:
    """The model takes the place of the stored one, whose vectors it has to give; the caller holds
    the lock.
    """
    facts, place = layout.read_facts(folder), folder / layout.MODEL
    stored = layout.model_digest(folder)
    if not facts.finished or stored not in facts.model.split():
        raise IndexFileError(f"{folder} must hold the model that it was made with, got another")
    _check_same_vectors(place, model)
    FOLDERS.recover(place)
    with new_folder(place) as beside:
        model.save(beside / layout.MODEL)
        new = layout.digest_of(beside / layout.MODEL)
        layout.write_facts(folder, replace(facts, model=f"{stored} {new}"))
        FOLDERS.put_in_place(beside / layout.MODEL, place)
    layout.write_facts(folder, replace(facts, model=new))


def _check_same_vectors(place: Path, model: TopicModel) -> None:
    """Documents are not encoded again, so nothing that vectors depend on may have changed."""
    kept, given = load_model(FOLDERS.current(place)), model.softmax_.parameters_
    same = list(kept.vocabulary or ()) == model.words() and all(
        np.array_equal(getattr(kept.parameters, name), getattr(given, name)) for name in ENCODING
    )
    codes = model.softmax_.codes_
    arrays = {} if codes is None else codes.arrays()
    same = same and set(arrays) == set(kept.codes)
    same = same and all(np.array_equal(kept.codes[name], arrays[name]) for name in arrays)
    if not same:
        raise InvalidInput(
            "model must give the vectors that the index holds, got one that was trained since"
        )
