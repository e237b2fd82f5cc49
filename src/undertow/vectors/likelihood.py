"""The log-probability of documents as sequences of words, and perplexity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from undertow.model.token_factor import Array
from undertow.vectors.normalisers import LogNormalisers


@dataclass(frozen=True)
class Perplexity:
    """exp of the mean over documents of -log p(document) / D: among how many words, equally likely,
    a document's words are guessed.

    `float(perplexity)` is its value.

    Parameters
    ----------
    value : float
        Of these documents.
    low, high : float
        Where it lies for these documents: what is not known of log Z. The same as `value` where log
        Z is exact.
    from_above : float
        The value by chains that come from the longest documents down. Where it is far from
        `value`, neither is to be trusted: take more temperatures.
    sampled_low, sampled_high : float
        Where it lies for other documents of the same kind: `low` and `high`, and the spread over
        these documents.
    unigram : float
        That of the shares of words in the training documents, without any model.
    documents, tokens : int
        How many there are; empty documents are left out.
    exact : bool
        Whether log Z is a sum over all hidden states.
    calibrated : bool or None
        Whether the model was learned so that it approaches the distribution of documents; None
        where that is not known.

    Examples
    --------
    >>> from undertow.vectors import Perplexity
    >>> found = Perplexity(90.0, 89.0, 91.0, 90.1, 80.0, 101.0, 120.0, 50, 4000, False, True)
    >>> float(found), f"{found}"
    (90.0, '90.0 (89.0 to 91.0; unigram 120.0; 50 documents)')
    """

    value: float
    low: float
    high: float
    from_above: float
    sampled_low: float
    sampled_high: float
    unigram: float
    documents: int
    tokens: int
    exact: bool
    calibrated: bool | None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return (
            f"{self.value:,.1f} ({self.low:,.1f} to {self.high:,.1f}; unigram {self.unigram:,.1f}; "
            f"{self.documents:,} documents)"
        )


def perplexity_of(
    free_energies: Array,
    unigram: Array,
    tokens: NDArray[np.int64],
    normalisers: LogNormalisers,
    *,
    confidence: float,
    calibrated: bool | None,
) -> Perplexity:
    """From the free energies, the unigram's log-probabilities and the lengths of documents that
    are not empty.
    """
    parts = np.zeros(len(normalisers.lengths))
    np.add.at(parts, np.searchsorted(normalisers.lengths, tokens), 1.0 / tokens)
    found = normalisers.interval(parts / len(tokens), confidence)
    value, low, high, above = (float(np.mean(free_energies / tokens)) + each for each in found)
    each = (free_energies + normalisers.of(tokens)) / tokens
    t = stats.t.ppf(0.5 + confidence / 2.0, len(tokens) - 1) if len(tokens) > 1 else np.inf
    spread = float(t * np.std(each, ddof=1) / np.sqrt(len(tokens))) if len(tokens) > 1 else np.inf
    return Perplexity(
        value=float(np.exp(value)),
        low=float(np.exp(low)),
        high=float(np.exp(high)),
        from_above=float(np.exp(above)),
        sampled_low=float(np.exp(value - np.hypot(spread, value - low))),
        sampled_high=float(np.exp(value + np.hypot(spread, high - value))),
        unigram=float(np.exp(-np.mean(unigram / tokens))),
        documents=len(tokens),
        tokens=int(tokens.sum()),
        exact=normalisers.exact,
        calibrated=calibrated,
    )
