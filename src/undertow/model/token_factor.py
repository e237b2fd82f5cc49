"""What one more token adds to hidden units: the function g(h) that log Z is made of.

Given hidden units h, the words of a document are drawn independently. So the sum over all documents
of D words has a closed form,

    sum over V of exp(-E(V, h)) = exp(D g(h)),   g(h) = log sum_k exp(w_k (b_k + W_k.h + a.h)),

and Z_D, the sum over h of exp(D g(h)), is the normaliser of a distribution over hidden units in
which D is an inverse temperature. Nothing here needs D to be a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from undertow.model.parameters import Parameters

WIDEST_SINGLE = 40.0  # of a unit's effects on words: products of so many e-folds fit into float32
STATES_AT_A_TIME = 2**22  # numbers of a block of hidden states x words

Array = NDArray[np.float64]


class TokenFactor:
    """g(h), and Gibbs sweeps that leave p(h) ~ exp(t g(h)) as it is, for any real t."""

    def __init__(self, parameters: Parameters, *, double: bool = False) -> None:
        w = parameters.word_weights.astype(np.float64)
        # what a unit adds to the logit of each word: w_k (W_kj + a_j)
        pull = (parameters.weights.astype(np.float64) + parameters.hidden_bias).T * w
        single = not double and float(np.ptp(pull, axis=1).max(initial=0.0)) < WIDEST_SINGLE
        self.pull = np.ascontiguousarray(pull, dtype=np.float32 if single else np.float64)
        self._base = w * parameters.visible_bias

    @property
    def units(self) -> int:
        """H."""
        return int(self.pull.shape[0])

    @property
    def words(self) -> int:
        """K."""
        return int(self.pull.shape[1])

    def shares(
        self, hidden: NDArray[np.bool_] | NDArray[np.floating]
    ) -> tuple[NDArray[np.floating], Array]:
        """P(word | h) of each row, and g; of units that are partly on, too."""
        logits = hidden.astype(self.pull.dtype) @ self.pull
        logits += self._base.astype(self.pull.dtype)
        highest = logits.max(axis=1, keepdims=True)
        shares = np.exp(logits - highest)
        sums = shares.sum(axis=1, dtype=np.float64)
        shares /= sums[:, None].astype(shares.dtype)
        return shares, highest[:, 0] + np.log(sums)

    def sweep(
        self,
        hidden: NDArray[np.bool_],
        shares: NDArray[np.floating],
        length: float,
        uniforms: Array,
        inputs: Array | None = None,
    ) -> None:
        """Draws every unit in turn from p(h_j | the others) ~ exp(length g(h)), in place; with
        inputs (rows, units) from exp(length g(h) + inputs.h).

        To switch a unit multiplies the sum in g by the mean, over words drawn from P(word | h), of
        the word's factor: two products of a matrix and a vector, and no words have to be drawn.
        """
        for unit in range(self.units):
            pull, on = self.pull[unit], hidden[:, unit]
            # factors of at most 1, so that nothing overflows
            down, up = -pull.min(), pull.max()
            off_on, on_off = np.exp(pull - up), np.exp(-pull - down)
            means = np.where(on, shares @ on_off, shares @ off_on)
            with np.errstate(divide="ignore"):  # a mean that is 0 is a switch that never happens
                change = length * (np.log(means.astype(np.float64)) + np.where(on, down, up))
            if inputs is not None:
                change += np.where(on, -inputs[:, unit], inputs[:, unit])
            switched = np.flatnonzero(uniforms[:, unit] < logistic(change))
            if not len(switched):
                continue
            factors = np.where(on[switched, None], on_off, off_on)
            shares[switched] *= factors / means[switched, None]
            hidden[switched, unit] = ~on[switched]

    def word_log_weights(self) -> Array:
        """log of the sum over hidden units, for each document of one word: Z_1 is their sum."""
        total = self._base.copy()
        for pull in self.pull:
            total += np.logaddexp(0.0, pull.astype(np.float64))
        return total

    def of_all_states(self) -> Iterator[Array]:
        """g of all 2^H hidden states, block by block, in double precision."""
        pull, number = self.pull.astype(np.float64), 2**self.units
        rows = max(STATES_AT_A_TIME // self.words, 1)
        for first in range(0, number, rows):
            states = np.arange(first, min(first + rows, number))
            hidden = (states[:, None] >> np.arange(self.units)) & 1
            logits = hidden.astype(np.float64) @ pull + self._base
            yield log_sum(logits, axis=1)


def logistic(inputs: NDArray[np.floating]) -> NDArray[np.floating]:
    """The sigmoid, in the precision of the inputs."""
    half = inputs.dtype.type(0.5)
    result: NDArray[np.floating] = half * (np.tanh(half * inputs) + inputs.dtype.type(1.0))
    return result


def log_sum(values: Array, axis: int = 0) -> Array:
    """log of the sum of exponentials."""
    highest = values.max(axis=axis, keepdims=True)
    result: Array = np.log(np.exp(values - highest).sum(axis=axis)) + highest.squeeze(axis)
    return result


def log_mean(values: Array, axis: int = 0) -> Array:
    """log of the mean of exponentials."""
    result: Array = log_sum(values, axis) - np.log(values.shape[axis])
    return result
