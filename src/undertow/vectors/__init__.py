"""Vectors of documents: from what hidden units see to what classifiers, retrieval and people use.

- `encoding`: every kind of vector, scores and free energies, of any number of documents.
- `features`, `balance`, `directions`: what the kinds are made of, in plain NumPy.
- `joining`, `given`: vectors of another encoder beside ours; `word_start`: vectors of words as a
  start for W.
- `sampling`: documents drawn from a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.vectors.encoding import (
        FEATURES,
        VECTOR_KINDS,
        Measures,
        activations,
        balanced,
        encode,
        free_energies,
        posteriors,
        scores,
        soft_posteriors,
        strengths,
    )
    from undertow.vectors.features import Balance
    from undertow.vectors.sampling import sample_documents

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.vectors.encoding": (
            *("FEATURES", "VECTOR_KINDS", "Measures"),
            *("activations", "balanced", "encode", "free_energies", "posteriors", "scores"),
            *("soft_posteriors", "strengths"),
        ),
        "undertow.vectors.features": ("Balance",),
        "undertow.vectors.sampling": ("sample_documents",),
    },
)

__all__ = [
    "FEATURES",
    "VECTOR_KINDS",
    "Balance",
    "Measures",
    "activations",
    "balanced",
    "encode",
    "free_energies",
    "posteriors",
    "sample_documents",
    "scores",
    "soft_posteriors",
    "strengths",
]
