"""A model as it is sent to other machines."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

Model = TypeVar("Model", bound=Any)


def travelling(model: Model, threads: int | None = None) -> Model:
    """A copy with all that encoding needs: callbacks may be anything, and what only training goes
    on from is large.
    """
    light, softmax, vectorizer = copy(model), copy(model.softmax_), copy(model.vectorizer_)
    softmax.callbacks, softmax._run_state, softmax.history_ = None, {}, []
    softmax.n_jobs, softmax.device = threads, device_there(softmax.device)
    light.softmax_, light.callbacks, light.n_jobs = softmax, None, threads
    if hasattr(vectorizer, "type_counts_"):
        vectorizer.type_counts_ = vectorizer.type_counts_.clear()
        vectorizer.n_jobs = threads
    light.vectorizer_ = vectorizer
    return light


def device_there(device: str) -> str:
    """The device of a worker, who sees no other cards than the one that it reserved."""
    return "cuda" if device.startswith("cuda") else device
