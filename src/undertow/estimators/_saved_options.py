"""What a checkpoint says of the fit that it belongs to: options as plain data, digests of counts,
and the words for what differs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.learn.registry import described, find_learner
from undertow.spool import CountSpool

FREE = ("n_jobs", "verbose", "callbacks", "memory_limit", "scratch_folder", "warm_start")
"""Options that a fit may go on with in another form: none of them changes the result."""
LONGEST = 1000  # letters of an option that are written out; of a longer one, such as a vocabulary,
# there is a digest


def plain_options(estimator: Any) -> dict[str, Any]:
    """The options that decide the result."""
    given = estimator.get_params(deep=False)
    found = {name: plain(value) for name, value in given.items() if name not in FREE}
    return {**found, "learner": described(find_learner(estimator.learner))}


def plain(value: Any) -> Any:
    """A value as JSON can hold it; of a long one, a digest."""
    short = _as_json(value)
    text = json.dumps(short, sort_keys=True)
    return short if len(text) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()


def _as_json(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, Mapping):
        return {str(name): _as_json(one) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(getattr(value, "begin", None)):
        return described(value)
    if callable(getattr(value, "get_params", None)):
        return {"kind": type(value).__name__, **_as_json(value.get_params(deep=False))}
    if isinstance(value, Sized) and hasattr(value, "__iter__"):
        return [_as_json(one) for one in value]
    return type(value).__name__  # such as a random state, whose seed is kept by itself


def check_options(saved: Mapping[str, Any], own: Mapping[str, Any], folder: Path) -> None:
    """Refuses options that are not those of the checkpoint."""
    for name, value in own.items():
        before = saved.get(name)
        if isinstance(before, dict) and _are_of_a_kind(value, before):
            check_options(before, value, folder)
        elif value != before:
            raise InvalidInput(
                f"{name} must be {before!r:.80} as in the checkpoint {folder}, got {value!r:.80}"
            )


def _are_of_a_kind(value: Any, before: dict[str, Any]) -> bool:
    """Whether both are, say, learners of one class: then one of their options is what differs."""
    return isinstance(value, dict) and "kind" in value and value["kind"] == before.get("kind")


def corpus_facts(counts: sparse.csr_array | CountSpool, words: str = "") -> dict[str, Any]:
    """How counts can be known again: where they are held, how many there are, and their digest."""
    if isinstance(counts, CountSpool):
        size, digest, held = (counts.documents, counts.vocabulary_size), counts.digest(), "disk"
    else:
        held, size = "memory", counts.shape
        hashed = hashlib.sha256(words.encode())
        for array in (counts.indptr, counts.indices, counts.data):
            hashed.update(np.ascontiguousarray(array.astype(np.int64, copy=False)).data)
        digest = hashed.hexdigest()
    if words:
        digest = hashlib.sha256(f"{digest} {words}".encode()).hexdigest()
    return {"held": held, "documents": int(size[0]), "words": int(size[1]), "digest": digest}


def check_corpus(saved: Mapping[str, Any], own: Mapping[str, Any], folder: Path, name: str) -> None:
    """Refuses counts that are not those of the checkpoint."""
    if saved == own:
        return
    if saved.get("held") != own["held"]:
        raise InvalidInput(
            f"memory_limit must hold counts {_where(saved)} as in the checkpoint {folder}, got one "
            f"with which they are held {_where(own)}"
        )
    raise InvalidInput(
        f"{name} must be that of the checkpoint {folder} ({_size(saved)}), got another "
        f"({_size(own)})"
    )


def _where(facts: Mapping[str, Any]) -> str:
    return "on disk" if facts.get("held") == "disk" else "in memory"


def _size(facts: Mapping[str, Any]) -> str:
    return (
        f"{facts.get('documents', 0):,} documents, {facts.get('words', 0):,} words, digest "
        f"{str(facts.get('digest'))[:8]}"
    )
