"""How far the single-precision kernels may be from the exact result: bounds from the rounding
errors themselves.

UNIT is the largest relative error of one rounding. A sum of n terms, each with a few roundings of
its own, is off by at most about (n + a few) UNIT times the sum of the terms' magnitudes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.oracles.engine import Case

Array = NDArray[np.float64]

UNIT = 2.0**-24
# exp_of_negative is within 5 units in the last place (a relative error of up to 10 UNIT) where e is
# so small that 1 + e does not see it, and within 2 elsewhere; 1 + e, its inverse and the product
# round once each.
SIGMOID = 14 * UNIT


def input_bounds(case: Case) -> Array:
    """Of W.u + L a, (B, H): n tokens, and two roundings each for the coefficient, the product, L
    and L a.
    """
    model = case.model(np.zeros(1))
    u = model.w * case.counts
    magnitudes = u @ np.abs(model.W) + u.sum(axis=1, keepdims=True) * np.abs(model.a)
    bounds: Array = (case.counts.sum(axis=1, keepdims=True) + 8) * UNIT * magnitudes
    return bounds


def posterior_bounds(case: Case) -> Array:
    """Of sigmoid(W.u + L a): its slope is at most 1/4."""
    return input_bounds(case) / 4 + SIGMOID


def softplus_sum_bound(x: Array, block: int = 64) -> Array:
    """Of sum_j softplus(x_j) over the last axis, computed block by block for inputs that are exact.

    The positive parts are a sum of `block` terms, the product has 64 factors with errors of 6 UNIT
    each (which become absolute in its logarithm), and the logarithm (at most 64 log 2) and the last
    addition round relatively.
    """
    units = x.shape[-1]
    total = np.maximum(x, 0.0).sum(axis=-1)
    bound: Array = UNIT * ((block + 2) * total + 7 * units + 3 * units * np.log(2.0))
    return bound


def score_bounds(case: Case) -> Array:
    """Of S(u): softplus has a slope of at most 1."""
    model = case.model(np.zeros(1))
    u = model.w * case.counts
    x = u @ model.W + u.sum(axis=1, keepdims=True) * model.a
    bounds: Array = input_bounds(case).sum(axis=1) + softplus_sum_bound(x)
    return bounds
