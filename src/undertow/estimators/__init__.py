"""scikit-learn estimators over the engine, and `load`, which brings a saved one back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.estimators.deep_replicated_softmax import DeepReplicatedSoftmax
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax
    from undertow.estimators.token_contrast import TokenContrast
    from undertow.estimators.topic_model import TopicModel

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.estimators.deep_replicated_softmax": ("DeepReplicatedSoftmax",),
        "undertow.estimators.replicated_softmax": ("ReplicatedSoftmax",),
        "undertow.estimators.token_contrast": ("TokenContrast",),
        "undertow.estimators.topic_model": ("TopicModel",),
    },
)

__all__ = ["DeepReplicatedSoftmax", "ReplicatedSoftmax", "TokenContrast", "TopicModel", "load"]


def load(path: str | os.PathLike[str], *, device: str = "cpu") -> ReplicatedSoftmax | TopicModel:
    """The estimator that was saved in a folder.

    Parameters
    ----------
    path : path
        The folder that `save` wrote.
    device : str
        Where it encodes, wherever it was trained: "cpu", "cuda", "cuda:1" or "auto", for a card
        where PyTorch sees one.

    Returns
    -------
    TopicModel or ReplicatedSoftmax
        The first if it reads texts, the second if it reads counts; a `DeepReplicatedSoftmax`, which
        is one of the second, if it has two layers.

    Raises
    ------
    ModelFileError
        Where there is no model, or one that is damaged.
    NewerFormat
        Where a later version wrote it.
    InvalidInput
        Where the device is not there.

    Examples
    --------
    >>> import undertow
    >>> texts = ["a rocket flew to the moon", "ripe apples and pears"] * 20
    >>> model = undertow.TopicModel(4, max_epochs=2, random_state=0).fit(texts)
    >>> undertow.load(model.save("two")).words() == model.words()
    True
    """
    from undertow.storage import load_model

    stored = load_model(path)  # before what is heavy: a wrong folder is said at once
    from undertow.engines import check_device
    from undertow.estimators.deep_replicated_softmax import DeepReplicatedSoftmax
    from undertow.estimators.replicated_softmax import ReplicatedSoftmax
    from undertow.estimators.topic_model import TopicModel
    from undertow.model import latent_words_of

    check_device(device)
    if "vectorizer" in stored.training:
        return TopicModel.from_stored(stored, path).set_params(device=device)
    kind = DeepReplicatedSoftmax if latent_words_of(stored.parameters) else ReplicatedSoftmax
    return kind.from_stored(stored, path).set_params(device=device)
