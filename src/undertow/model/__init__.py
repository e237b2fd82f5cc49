"""The Replicated Softmax model: its parameters, and what they say without a document."""

from undertow.model.parameters import Parameters, array_of, initial_parameters, with_more_words
from undertow.model.partition import exact_log_probabilities
from undertow.model.replicated_softmax import frozen_log_normaliser, words_given_hidden

__all__ = [
    "Parameters",
    "array_of",
    "exact_log_probabilities",
    "frozen_log_normaliser",
    "initial_parameters",
    "with_more_words",
    "words_given_hidden",
]
