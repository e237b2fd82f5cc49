"""The Replicated Softmax model: its parameters, energies, conditionals, sampling and exact
normaliser. Nothing learns here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.model.features import Balance
    from undertow.model.parameters import Parameters, initial_parameters, with_more_words
    from undertow.model.partition import exact_log_probabilities
    from undertow.model.replicated_softmax import (
        activations,
        balanced,
        free_energies,
        frozen_log_normaliser,
        posteriors,
        scores,
        soft_posteriors,
        strengths,
        words_given_hidden,
    )
    from undertow.model.sampling import sample_documents

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.model.features": ("Balance",),
        "undertow.model.parameters": ("Parameters", "initial_parameters", "with_more_words"),
        "undertow.model.partition": ("exact_log_probabilities",),
        "undertow.model.replicated_softmax": (
            "activations",
            "balanced",
            "free_energies",
            "frozen_log_normaliser",
            "posteriors",
            "scores",
            "soft_posteriors",
            "strengths",
            "words_given_hidden",
        ),
        "undertow.model.sampling": ("sample_documents",),
    },
)

__all__ = [
    "Balance",
    "Parameters",
    "activations",
    "balanced",
    "exact_log_probabilities",
    "free_energies",
    "frozen_log_normaliser",
    "initial_parameters",
    "posteriors",
    "sample_documents",
    "scores",
    "soft_posteriors",
    "strengths",
    "with_more_words",
    "words_given_hidden",
]
