"""Two layers: a Replicated Softmax whose documents go on in words that nobody sees.

The over-replicated softmax (Srivastava, Salakhutdinov and Hinton, *Modeling Documents with a Deep
Boltzmann Machine*, 2013) has M latent words beside the words of a document. They share its weights,
so a document with its latent words is a document of the one-layer model that is M words longer:

    E(V, h, U) = -sum over the words k of V and of U of w_k (b_k + W_k.h + a.h)

Given h all words are independent, so the latent ones can be summed out,

    log p*(V, h) = sum over words k of V of w_k (b_k + W_k.h + a.h)  +  M g(h),

with g of `undertow.model.token_factor`. log Z of D words is that of D + M words of one layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from undertow._errors import InvalidInput
from undertow.model.parameters import Parameters, array_of

MOST_LATENT_WORDS = 1_000_000  # as many as single precision counts, and far more than are of use


@dataclass
class TwoLayers(Parameters):
    """The arrays of one layer, and how many latent words every document has.

    Parameters
    ----------
    weights, hidden_bias, visible_bias, word_weights : array of float32
        As of `Parameters`; latent words have the same.
    latent_words : array of float32, ()
        M, a whole number.

    Raises
    ------
    InvalidInput
        Where the shapes do not fit each other, or M is not a whole number from 1 to a million.

    Examples
    --------
    >>> from undertow.model import Parameters, TwoLayers
    >>> deep = TwoLayers(**parameters.arrays(), latent_words=np.float32(50))
    >>> deep.words, deep.units, int(deep.latent_words)
    (4, 2, 50)
    """

    latent_words: NDArray[np.float32] = array_of(learned=False, non_negative=True)

    def __post_init__(self) -> None:
        self.latent_words = np.asarray(self.latent_words, dtype=_as_it_is(self.latent_words))
        super().__post_init__()
        number = float(self.latent_words)
        if not (1 <= number <= MOST_LATENT_WORDS and number == int(number)):
            raise InvalidInput(
                f"latent_words must be a whole number from 1 to {MOST_LATENT_WORDS:,}, got {number}"
            )


def latent_words_of(parameters: Parameters) -> int:
    """M: how many latent words documents of a model have; 0 of one layer.

    Parameters
    ----------
    parameters : Parameters
        The model.

    Returns
    -------
    int
        Their number.

    Examples
    --------
    >>> from undertow.model import latent_words_of
    >>> latent_words_of(parameters)
    0
    """
    return int(parameters.latent_words) if isinstance(parameters, TwoLayers) else 0


def _as_it_is(number: Any) -> Any:
    """The type of an array, which storage looks at; Python's own numbers become float32."""
    return getattr(number, "dtype", np.float32)
