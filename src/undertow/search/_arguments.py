"""What an index is given, checked: a place, a model, documents, and vectors beside those of the
model.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import IndexFileError, InvalidInput
from undertow.search.database.store import Store
from undertow.search.encoding.encoder import Encoder
from undertow.search.folder.remote import is_remote
from undertow.vectors.given import GivenVectors, given_vector, given_vectors

if TYPE_CHECKING:
    from undertow.corpus import Corpus
    from undertow.estimators import TopicModel


def check_widths(folder: Path, store: Store, encoder: Encoder) -> None:
    """Vectors are the model's, with as many numbers joined as it was fitted with, or any where it
    was with none.
    """
    own, width = store.widths
    if own != encoder.parameters.units or width < own or encoder.others not in (0, width - own):
        raise IndexFileError(
            f"{folder} must hold vectors of its model, got some of {own} and {width - own} numbers"
        )


def check_topics(model: TopicModel, width: int) -> None:
    """Topics that were grown anew meanwhile go by vectors that the index has."""
    if model.vectors_width_ not in (0, width):
        raise InvalidInput(
            f"model must have topics of the {width} numbers that the index joins, or of none, "
            f"got some of {model.vectors_width_}"
        )


def of_question(vector: Any, width: int) -> NDArray[Any] | None:
    """(1, width) The vector that came with a question; zeros where none did, and None of an index
    that joins none.
    """
    if vector is not None and not width:
        raise InvalidInput(
            "vector must be left out, as the index was made without vectors, got one"
        )
    if vector is not None:
        return given_vector("vector", vector, width)
    return np.zeros((1, width), dtype=np.float32) if width else None


def local_folder(path: str | os.PathLike[str]) -> Path:
    """Where an index can be made."""
    if is_remote(path):
        raise InvalidInput(
            f"path must be a folder on this machine, got {os.fspath(path)!r:.80}: make it here, "
            f"and copy it there"
        )
    return Path(path)


def topic_model(model: Any) -> TopicModel:
    """A model of texts, or the one in a folder."""
    from undertow.estimators import TopicModel, load

    found = model if isinstance(model, TopicModel) else load(model)
    if not isinstance(found, TopicModel):
        raise InvalidInput(f"model must be a model of texts, got a {type(found).__name__}")
    if hasattr(found, "vectorizer_"):
        found.vectorizer_.settings()  # refuses one of another library, with which none can be saved
    return found


def beside(vectors: Any) -> GivenVectors | None:
    """Vectors of another encoder, if there are any."""
    return None if vectors is None else given_vectors(vectors)


def as_documents(corpus: Any, remembered: Mapping[str, str]) -> Corpus:
    """Documents of any kind as a corpus, with the columns of an earlier one."""
    from undertow.corpus import as_corpus

    if isinstance(corpus, (str, bytes)):
        raise InvalidInput(
            "corpus must be texts, a table or a Corpus, got a single text: open files by "
            "open_corpus"
        )
    return as_corpus(corpus, remembered)


def checked_text(name: str, value: object) -> str:
    """A text that can be stored; a shell can hand over bytes that are none."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a text, got {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{name} must be valid Unicode, got half of a surrogate pair in it"
        ) from None
    return value
