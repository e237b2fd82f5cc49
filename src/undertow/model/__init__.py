"""The Replicated Softmax model: its parameters, and what they say without a document.

Examples
--------
A model of four words and two hidden units. The examples of this package go on from it.

>>> import numpy as np
>>> from undertow.model import initial_parameters
>>> shares = np.array([0.4, 0.3, 0.2, 0.1])  # of the tokens of a corpus
>>> parameters = initial_parameters(2, shares, np.ones(4), seed=0)
"""

from undertow.model.parameters import Parameters, array_of, initial_parameters, with_more_words
from undertow.model.partition import exact_log_probabilities
from undertow.model.replicated_softmax import frozen_log_normaliser, words_given_hidden
from undertow.model.two_layers import TwoLayers, latent_words_of

__all__ = [
    "Parameters",
    "TwoLayers",
    "array_of",
    "exact_log_probabilities",
    "frozen_log_normaliser",
    "initial_parameters",
    "latent_words_of",
    "with_more_words",
    "words_given_hidden",
]
