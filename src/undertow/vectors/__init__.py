"""Vectors of documents: from what hidden units see to what classifiers, retrieval and people use.

- `encoding`: every kind of vector, scores and free energies, of any number of documents.
- `codes`: bits that keep as much as they can of what vectors say.
- `features`, `balance`, `directions`: what the kinds are made of, in plain NumPy.
- `joining`, `given`: vectors of another encoder beside ours; `word_start`: vectors of words as a
  start for W.
- `sampling`: documents drawn from a model.
- `normalisers`, `likelihood`: log Z of any lengths, and perplexity.

Examples
--------
A model of four words and three hidden units, and two documents; the last is empty. The examples of
this package go on from them.

>>> import numpy as np
>>> from undertow.counts import CountBatch, checked_counts
>>> from undertow.model import initial_parameters
>>> parameters = initial_parameters(3, np.full(4, 0.25), np.ones(4), seed=0)
>>> batch = CountBatch.from_csr(checked_counts([[2, 0, 1, 0], [0, 0, 0, 0]]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.vectors.codes import Codes
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
    from undertow.vectors.likelihood import Perplexity
    from undertow.vectors.normalisers import Annealing, LogNormalisers, log_normalisers
    from undertow.vectors.sampling import sample_documents

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.vectors.codes": ("Codes",),
        "undertow.vectors.encoding": (
            *("FEATURES", "VECTOR_KINDS", "Measures"),
            *("activations", "balanced", "encode", "free_energies", "posteriors", "scores"),
            *("soft_posteriors", "strengths"),
        ),
        "undertow.vectors.features": ("Balance",),
        "undertow.vectors.likelihood": ("Perplexity",),
        "undertow.vectors.normalisers": ("Annealing", "LogNormalisers", "log_normalisers"),
        "undertow.vectors.sampling": ("sample_documents",),
    },
)

__all__ = [
    "FEATURES",
    "VECTOR_KINDS",
    "Annealing",
    "Balance",
    "Codes",
    "LogNormalisers",
    "Measures",
    "Perplexity",
    "activations",
    "balanced",
    "encode",
    "free_energies",
    "log_normalisers",
    "posteriors",
    "sample_documents",
    "scores",
    "soft_posteriors",
    "strengths",
]
