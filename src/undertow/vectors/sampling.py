"""Gibbs sampling of documents of given lengths."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import Engine, Place, find_engine
from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose
from undertow.model.parameters import Parameters
from undertow.model.two_layers import latent_words_of

LEFT_OUT = 5  # a stage of draws, after those of `latent_likelihood`


def sample_documents(
    parameters: Parameters,
    tokens: ArrayLike,
    *,
    n_steps: int,
    seed: int,
    start: NDArray[np.int32] | None = None,
    engine: Engine | None = None,
) -> CountBatch:
    """Documents drawn by Gibbs steps: hidden units given words, then words given hidden units.

    Of two layers, chains have so many words more, which are left out at the end.

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    tokens : list of int
        How many words each document has.
    n_steps : int
        How many steps there are.
    seed : int
        What is drawn from.
    start : array of int32, optional
        The words that chains begin at, all documents' tokens one after the other, latent ones
        included. Without them they begin at hidden units that are on with probability 1/2.
    engine : Engine, optional
        What computes; all cores where none is given.

    Returns
    -------
    CountBatch
        The documents, with a count of 1 for each token; words may repeat.

    Raises
    ------
    InvalidInput
        Where lengths are not whole numbers of at least 1, or `start` does not fit them.

    Examples
    --------
    >>> from undertow.vectors import sample_documents
    >>> drawn = sample_documents(parameters, [3, 5], n_steps=10, seed=0)
    >>> drawn.starts.tolist(), int(drawn.words.max()) < 4
    ([0, 3, 8], True)
    """
    sizes = np.asarray(tokens)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 1).any():
        raise InvalidInput(f"tokens must be a list of whole numbers of at least 1, got {tokens!r}")
    _check.whole_number("n_steps", n_steps, at_least=1)
    latent = latent_words_of(parameters)
    starts = np.concatenate([[0], np.cumsum(sizes + latent)]).astype(np.int64)
    words = (
        np.zeros(starts[-1], dtype=np.int32) if start is None else np.array(start, dtype=np.int32)
    )
    if words.shape != (starts[-1],):
        raise InvalidInput(
            f"start must hold {starts[-1]} words, got an array of shape {words.shape}"
        )
    if (words < 0).any() or (words >= parameters.words).any():
        raise InvalidInput(
            f"start must hold words 0 to {parameters.words - 1}, got {words.min()} to {words.max()}"
        )
    ids, chosen = np.arange(len(sizes), dtype=np.int64), engine or find_engine("cpu")
    batch = CountBatch(ids, starts, words, np.ones(len(words), dtype=np.int32))
    for step in range(n_steps):
        if step == 0 and start is None:
            chances = np.full((len(sizes), parameters.units), 0.5, dtype=np.float32)
        else:
            chances, _ = chosen.posteriors(parameters, batch)
        # The step stands where training has its epoch: a chain may be far longer than a stage
        # number can count.
        batch = chosen.sample(parameters, chances, batch, Place(step, 0), seed)
    return _without(batch, latent, seed) if latent else batch


def _without(batch: CountBatch, latent: int, seed: int) -> CountBatch:
    """Documents of single tokens less so many of each, whichever they are."""
    sizes = np.diff(batch.starts)
    owners = np.repeat(np.arange(batch.size), sizes)
    numbers = np.arange(len(owners)) - batch.starts[owners]
    keys = randomness.uniforms(seed, Purpose.LATENT, LEFT_OUT, 0, owners, numbers)
    order = np.lexsort((keys, owners))
    kept = order[numbers < (sizes - latent)[owners]]
    starts = np.concatenate([[0], np.cumsum(sizes - latent)])
    return CountBatch(batch.document_ids, starts, batch.words[kept], batch.counts[kept])
