"""Sums of softplus and sigmoids of whole vectors, in single precision, written so that the compiler
vectorises them.

sum_j softplus(x_j) = sum_j max(x_j, 0) + log prod_j (1 + e^{-|x_j|}): one exponential per unit and
one logarithm per block of 64 units. (The product over 64 units is at most 2^64; over 128 it would
overflow single precision.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from undertow.kernels.cpu.compile import piece

BLOCK = 64

ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
SMALLEST_EXPONENT = np.float32(
    -87.0
)  # e^-87 is the last that is a normal number in single precision
LOG2_OF_E = np.float32(1.44269504)
LOG_2_HIGH = np.float32(0.693359375)  # log 2 in two parts, so that n log 2 is exact in the first
LOG_2_LOW = np.float32(-2.12194440e-4)
# Polynomial of e^r on |r| <= log(2) / 2 after the terms 1 + r (the coefficients of the Cephes
# library).
E2, E3, E4 = np.float32(5.0000001201e-1), np.float32(1.6666665459e-1), np.float32(4.1665795894e-2)
E5, E6, E7 = np.float32(8.3334519073e-3), np.float32(1.3981999507e-3), np.float32(1.9875691500e-4)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no stubs
def _power_of_two(_context: Any, _exponent: Any) -> Any:
    """2^n for a whole number n held as float32, by writing n into the exponent bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        integer = ir.IntType(32)
        exponent = builder.add(builder.fptosi(arguments[0], integer), ir.Constant(integer, 127))
        return builder.bitcast(builder.shl(exponent, ir.Constant(integer, 23)), ir.FloatType())

    return types.float32(types.float32), generate


@piece
def exp_of_negative(x: np.float32) -> np.float32:
    """e^x for x <= 0, within 5 units in the last place (2 above -20); below -87 it is e^-87, as
    good as 0 here.
    """
    x = max(x, SMALLEST_EXPONENT)
    n = np.floor(x * LOG2_OF_E + HALF)
    r = x - n * LOG_2_HIGH - n * LOG_2_LOW
    tail = E2 + r * (E3 + r * (E4 + r * (E5 + r * (E6 + r * E7))))
    result: np.float32 = (ONE + r + r * r * tail) * _power_of_two(n)
    return result


@piece
def _squash_block(x: NDArray[np.float32]) -> Any:
    positive = ZERO
    product = ONE
    for j in range(x.size):
        value = x[j]
        small = exp_of_negative(-abs(value))
        inverse = ONE / (ONE + small)
        x[j] = inverse if value >= ZERO else small * inverse
        positive += HALF * (value + abs(value))  # max(value, 0), but NaN stays NaN
        product *= ONE + small
    return positive + np.log(product)


@piece
def squash(x: NDArray[np.float32]) -> Any:
    """Replaces x by sigmoid(x), and returns the sum of softplus(x) (over fixed blocks, added up in
    float64).
    """
    total = 0.0
    for first in range(0, x.size, BLOCK):
        total += np.float64(_squash_block(x[first : min(first + BLOCK, x.size)]))
    return total


@piece
def squash_rows(x: NDArray[np.float32], sums: NDArray[np.float64]) -> None:
    """The same for every row of a matrix."""
    for row in range(sums.size):
        sums[row] = squash(x[row])
