"""Vectors of words that users bring along, as a start for W: words that mean the same begin with
like rows.

A few hundred documents do not tell which words belong together. Vectors from elsewhere (GloVe, say)
do, so hidden units that begin as random directions among them need less to learn.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from undertow._errors import InvalidInput
from undertow.kernels import randomness
from undertow.model.parameters import Parameters
from undertow.vectors.given import GivenVectors

NAME = "word_vectors"  # as the argument of `fit` is called
SCALE = 0.03  # root mean square of what the vectors add to W: chosen on validation documents
RANDOM_SHARE = 0.3  # of the usual random W that is left beside it, so that no two units begin alike


def checked_word_vectors(vectors: Any, words: int) -> NDArray[Any]:
    """(K, d) A row of finite numbers for each word; a row of zeros says that the word has no
    vector.
    """
    _check_dimensions(vectors)
    given = GivenVectors(vectors, name=NAME)
    if given.documents != words:
        raise InvalidInput(
            f"{NAME} must have a row for each word, {words:,}, got {given.documents:,} rows"
        )
    array = given.part(0, words)
    known = array[array.any(axis=1)]
    if not len(known):
        raise InvalidInput(
            f"{NAME} must have a vector for a word at least, got rows of zeros: no word has a "
            f"vector"
        )
    if (known == known[0]).all():  # nothing would be left of them without their mean
        raise InvalidInput(
            f"{NAME} must tell words apart, got one vector for all that have one, {len(known):,}"
        )
    return array


def started_from(
    parameters: Parameters, vectors: NDArray[Any], word_distribution: NDArray[np.float64], seed: int
) -> Parameters:
    """Parameters whose W begins with vectors (K, d), checked before; words without a vector keep
    their rows.

    Each unit takes a random direction among the vectors, less the mean over the running text: what
    all words have in common would push all units alike.
    """
    known = vectors.any(axis=1)
    directions = randomness.normals(
        seed, randomness.Purpose.WORD_VECTORS, vectors.shape[1], parameters.units
    )
    with threadpool_limits(1, user_api="blas"):  # more threads may round differently
        told = _centred(vectors[known], word_distribution[known]) @ directions.astype(np.float64)
    told *= SCALE / math.sqrt(np.mean(told**2))
    started = parameters.copy()
    started.weights[known] = RANDOM_SHARE * parameters.weights[known].astype(np.float64) + told
    return started


def _centred(vectors: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Less their mean, in which a word counts as often as it occurs, and of a size of which no
    square overflows.
    """
    wide = vectors.astype(np.float64)
    # by a power of 2, so exactly; W has a size of its own
    wide = np.ldexp(wide, -np.frexp(np.abs(wide).max())[1])
    centred: NDArray[np.float64] = wide - shares @ wide / shares.sum()
    return centred


def _check_dimensions(vectors: Any) -> None:
    try:
        shape = np.shape(vectors)
    except ValueError:  # rows of different lengths: said by `GivenVectors`
        return
    if len(shape) != 2:
        raise InvalidInput(f"{NAME} must have two dimensions, words x numbers, got shape {shape}")
