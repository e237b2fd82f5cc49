"""`write_encoder`: a model as one archive of arrays, words, settings, and code that reads them."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from undertow._errors import InvalidInput
from undertow.corpus.analyzer import ENTITY, TAGS, Analyzer
from undertow.corpus.vectorizer_options import analyzer
from undertow.estimators.topic_parts import atlas_of
from undertow.files.atomic import write_file
from undertow.model import latent_words_of
from undertow.portable import encoder
from undertow.portable.letters import lower_case, python_pattern

if TYPE_CHECKING:
    from undertow.estimators import ReplicatedSoftmax, TopicModel

PROGRAM = "import undertow_encoder\n\nundertow_encoder.main()\n"
MODULE, MAIN = "undertow_encoder.py", "__main__.py"
WHEN = (1980, 1, 1, 0, 0, 0)  # of all members, so that the same model gives the same bytes
PRECISIONS = {"single": np.float32, "half": np.float16}
LARGE = ("weights", "directions", "topic_directions", "routes")  # arrays that may be halved


def write_encoder(
    model: TopicModel | ReplicatedSoftmax | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    n: int | None = None,
    precision: str = "single",
    overwrite: bool = False,
) -> Path:
    """Writes what encodes texts as a model does, where undertow is not installed.

    The file is a zip archive that Python runs and imports from (`.pyz`). It holds arrays, words,
    settings and a module, `undertow_encoder`, which needs NumPy (and PyStemmer, if the model stems)
    and has the class `Encoder`. Nothing is pickled. Python 3.11 or later reads it.

    Parameters
    ----------
    model : TopicModel, ReplicatedSoftmax or path
        A fitted one, or its folder. One of counts encodes counts alone, as does one whose words are
        found by a dictionary (Chinese, Japanese, Thai).
    path : path
        The file to write.
    n : int or None
        Of how many topics `Encoder.topics` gives shares; None for the model's own number.
    precision : {"single", "half"}
        Of the numbers in the file. "half" takes half the space; vectors are then within 1e-2.
    overwrite : bool
        Whether a file that is there may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInput
        Where the model has two layers, vectors of another encoder or a vectorizer of another
        library, or a pattern of tokens that Python could read otherwise.

    Examples
    --------
    >>> small = undertow.portable.write_encoder(model, "small.pyz", precision="half")
    >>> small.stat().st_size < path.stat().st_size
    True
    """
    target = Path(path)
    if os.path.lexists(target) and not overwrite:
        raise InvalidInput(
            f"path must not exist yet, got {target}, which does: overwrite=True replaces it"
        )
    if precision not in PRECISIONS:
        known = ", ".join(map(repr, PRECISIONS))
        raise InvalidInput(f"precision must be one of {known}, got {precision!r:.60}")
    settings, words, arrays = parts(_loaded(model), n)
    write_file(target, _archive(settings, words, _reduced(arrays, precision)))
    return target


def parts(
    model: TopicModel | ReplicatedSoftmax, n: int | None = None
) -> tuple[dict[str, Any], list[str], dict[str, NDArray[Any]]]:
    """Settings, words and arrays of a model, as an `Encoder` takes them."""
    softmax: Any = getattr(model, "softmax_", model)
    check_is_fitted(softmax, "parameters_")
    if latent_words_of(softmax.parameters_):
        raise InvalidInput("model must have one layer to be exported, got one of two layers")
    if getattr(model, "vectors_width_", 0):
        raise InvalidInput(
            "model must have vectors of its own alone to be exported, got one joined with others"
        )
    settings = {
        "format": encoder.FORMAT,
        "kind": softmax.features,
        "damped": softmax.count_transform == "log",
        "typical_length": softmax.typical_length_,
        "scale": softmax.balance_.scale,
        **_of_texts(model),
    }
    words = list(model.words()) if hasattr(model, "vectorizer_") else []
    arrays = {
        "weights": softmax.parameters_.weights,
        "hidden_bias": softmax.parameters_.hidden_bias,
        "word_weights": softmax.parameters_.word_weights,
        "centre": softmax.balance_.centre,
        "directions": softmax.balance_.directions,
    }
    topics, of_topics = _of_topics(model, n)
    return {**settings, **topics}, words, {**arrays, **of_topics}


def _loaded(model: Any) -> Any:
    from undertow.estimators import ReplicatedSoftmax, TopicModel, load

    found = load(model) if isinstance(model, (str, os.PathLike)) else model
    if not isinstance(found, (TopicModel, ReplicatedSoftmax)):
        raise InvalidInput(
            f"model must be a TopicModel, a ReplicatedSoftmax or a folder, got {found!r:.60}"
        )
    return found


def _of_texts(model: Any) -> dict[str, Any]:
    """How texts become words; why not, where they do not."""
    if not hasattr(model, "vectorizer_"):
        return {"reader": None, "why": "is of a model of counts"}
    options = analyzer(model.vectorizer_.settings())
    if options.segmenter is not None:
        return {"reader": None, "why": f"has no {' and '.join(options.segmenter.names)} words"}
    return {"reader": _reader(options), "why": ""}


def _reader(options: Analyzer) -> dict[str, Any]:
    return {
        "pattern": python_pattern(options.token_pattern),
        "tags": [python_pattern(TAGS), python_pattern(ENTITY)] if options.strip_html else None,
        "lower": lower_case() if options.lowercase else None,
        "longest": options.longest_token,
        "stop_words": list(options.stop_words),
        "stemmer": options.stemmer,
        "ngram_range": list(options.ngram_range),
    }


def _of_topics(model: Any, n: int | None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The topics of a cut: their names, directions, and the way to them."""
    if getattr(model, "atlas_", None) is None:
        return {"topic_names": [], "limits": None}, {}
    atlas = atlas_of(model)
    nodes = atlas.cut(n)
    arrays = {
        "topic_directions": atlas.directions(nodes),
        "routes": atlas.routes,
        "topic_of_leaf": atlas.tree.positions(nodes),
    }
    return {"topic_names": atlas.names_of(nodes), "limits": atlas.share_limits}, arrays


def _reduced(arrays: Mapping[str, NDArray[Any]], precision: str) -> dict[str, NDArray[Any]]:
    kind = PRECISIONS[precision]
    found = {name: one.astype(kind) if name in LARGE else one for name, one in arrays.items()}
    for name in LARGE:
        if name in found and not np.isfinite(found[name]).all():
            raise InvalidInput(f"precision must be 'single' for this model: {name} are too large")
    return found


def _archive(
    settings: Mapping[str, Any], words: list[str], arrays: Mapping[str, NDArray[Any]]
) -> bytes:
    code = Path(encoder.__file__).read_bytes()
    members = {f"{name}.npy": _npy(array) for name, array in arrays.items()}
    members[encoder.SETTINGS] = json.dumps(settings).encode()
    members[encoder.WORDS] = json.dumps(words).encode()
    members |= {MODULE: code, MAIN: PROGRAM.encode()}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _npy(array: NDArray[Any]) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
    return content.getvalue()
