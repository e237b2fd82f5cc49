"""Mean field for two layers: how far hidden units are on, and what the latent words say, each by
the other.

With q(h, U) = prod_j mu_j^h_j (1 - mu_j)^(1 - h_j) prod over latent words of their shares s,

    log p*(V) >= sum of b over V + x.mu + H(mu) + M (s.(base + pull mu) + H(s)),

where x = pull.V is what the document's own words say to units. For given mu the best s is
P(word | mu), and M times the last part is then M g(mu). For given s the best mu is
sigmoid(x + M pull.s). So both are put in the place of each other until mu stands still; each step
raises the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.model.token_factor import Array, TokenFactor, logistic

PASSES = 50  # at most
TOLERANCE = 1e-4  # a change of mu that is none


@dataclass(frozen=True)
class MeanField:
    """Where some documents came to.

    `mean` is mu; `shares` are those of latent words, `inputs` what all words together say to units:
    mu is the sigmoid of `inputs`, up to the tolerance.
    """

    mean: NDArray[np.floating]  # (documents, units)
    shares: NDArray[np.floating]  # (documents, words)
    inputs: NDArray[np.floating]  # (documents, units)


def mean_field(
    factor: TokenFactor,
    own: NDArray[np.floating],
    tokens: NDArray[np.int64],
    latent: int,
    *,
    passes: int = PASSES,
) -> MeanField:
    """The mean field of documents whose words say `own` to units, (documents, units).

    It begins with latent words as a document's own are: inputs (1 + M/N) own. That takes
    one product, and is near where documents are long.
    """
    own = own.astype(factor.pull.dtype)
    times = 1.0 + latent / np.maximum(tokens, 1)
    mean = logistic(own * times[:, None].astype(own.dtype))
    shares = np.empty((len(own), factor.words), dtype=own.dtype)
    inputs = own.copy()
    moving = np.arange(len(own))
    for _ in range(passes):
        shares[moving], _ = factor.shares(mean[moving])
        inputs[moving] = own[moving] + own.dtype.type(latent) * (shares[moving] @ factor.pull.T)
        now = logistic(inputs[moving])
        change = np.abs(now - mean[moving]).max(axis=1, initial=0.0)
        mean[moving] = now
        moving = moving[change > TOLERANCE]
        if not len(moving):
            break
    return MeanField(mean, shares, inputs)


def bounds(factor: TokenFactor, own: Array, given: Array, latent: int, mean: Array) -> Array:
    """The lower bound on log p*(V) at any mu; `given` is the sum of w b over a document's words.

    `factor` and `own` are best in double precision.
    """
    _, g = factor.shares(mean)
    result: Array = given + (own * mean).sum(axis=1) + _entropy(mean) + latent * g
    return result


def _entropy(mean: Array) -> Array:
    """Of units that are independently on; what is 0 or 1 adds nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = -mean * np.log(mean) - (1.0 - mean) * np.log1p(-mean)
    result: Array = np.nan_to_num(parts, nan=0.0).sum(axis=1)
    return result
