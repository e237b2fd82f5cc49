"""Annealed importance sampling of log Z_D, for all lengths D at once.

The distribution of hidden units that has Z_t as its normaliser, p(h) ~ exp(t g(h)), is flat at t =
0 and sharp at the longest length. A chain begins at t = 1, where its first state can be drawn
exactly and Z_1 is a sum over words, and goes up in small steps: at each it multiplies its weight by
exp((t' - t) g(h)) and draws its units anew. The mean weight at t = D estimates Z_D without bias, so
one run has every length on its way (Neal 2001; the length in the place of the temperature).

**A wrong answer shows.** The mean of few weights is too low where the weights of chains differ
much. A second run goes the other way, down from the longest length, and the mean of one over its
weights errs to the other side, as long as it begins where the model has its mass. If it begins at
documents, and the model's mass is elsewhere, it errs to either side. Where both agree, chains have
kept up with the changing distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from undertow.kernels import randomness
from undertow.kernels.randomness import Purpose
from undertow.model.token_factor import Array, TokenFactor, log_sum, logistic

FIRST, UP, DOWN, SETTLE, RESAMPLE = range(5)  # stages of draws
SETTLING = 0.1  # sweeps at the longest length before the way down, as a share of the temperatures

Hidden = NDArray[np.bool_]
Told = Callable[[], None]


@dataclass(frozen=True)
class Path:
    """The lengths that chains pass, which the temperatures are, and those that are asked about."""

    points: Array  # ascending, from 1 to the longest
    lengths: NDArray[np.int64]  # ascending, at least 1

    @classmethod
    def to(cls, lengths: NDArray[np.int64], temperatures: int) -> Path:
        """Steps in proportion to the length: that is how the spread of g shrinks."""
        points = np.exp(np.linspace(0.0, np.log(float(lengths[-1])), temperatures))
        points[-1] = lengths[-1]
        return cls(points, lengths)

    def passed(self, step: int) -> slice:
        """The lengths from this point on to just before the next; at the last, that one too."""
        first, next_ = self.points[step], self.points[min(step + 1, len(self.points) - 1)]
        low = int(np.searchsorted(self.lengths, first))
        if step + 2 >= len(self.points):
            return slice(low, len(self.lengths))
        return slice(low, int(np.searchsorted(self.lengths, next_)))


class Chains:
    """Some of the chains of a run; draws go by their numbers, so it does not matter which some."""

    def __init__(
        self, factor: TokenFactor, path: Path, seed: int, ids: NDArray[np.int64], told: Told
    ) -> None:
        self._factor, self._path, self._seed, self._ids = factor, path, seed, ids
        self._told = told

    def up(self) -> tuple[Array, Hidden]:
        """log of each chain's estimate of Z_D, (chains, lengths), and the hidden units at the
        end.
        """
        points, lengths = self._path.points, self._path.lengths
        hidden, log_weights = self._first()
        found = np.empty((len(self._ids), len(lengths)))
        for step, point in enumerate(points):
            shares, g = self._factor.shares(hidden)
            ahead = self._path.passed(step)
            found[:, ahead] = log_weights[:, None] + (lengths[ahead] - point) * g[:, None]
            if step + 1 < len(points):
                log_weights += (points[step + 1] - point) * g
                uniforms = self._uniforms(UP, step)
                self._factor.sweep(hidden, shares, float(points[step + 1]), uniforms)
            self._told()
        return found, hidden

    def down(self, hidden: Hidden) -> Array:
        """The same from above, (chains, lengths): of each length the weight of the way from there
        down to one token. Chains begin at these hidden units, which are changed.
        """
        points, lengths = self._path.points, self._path.lengths
        for step in range(settling_sweeps(len(points))):
            shares, _ = self._factor.shares(hidden)
            self._factor.sweep(hidden, shares, float(points[-1]), self._uniforms(SETTLE, step))
            self._told()
        gone = np.zeros(len(self._ids))  # log-weight of the way from the top to the present point
        before = np.empty((len(self._ids), len(lengths)))  # and to each length
        last = len(points) - 1
        before[:, lengths == lengths[-1]] = 0.0
        for step in range(last, 0, -1):
            shares, g = self._factor.shares(hidden)
            behind = self._between(step)
            before[:, behind] = gone[:, None] + (points[step] - lengths[behind]) * g[:, None]
            gone += (points[step] - points[step - 1]) * g
            uniforms = self._uniforms(DOWN, step)
            self._factor.sweep(hidden, shares, float(points[step - 1]), uniforms)
            self._told()
        before[:, lengths == 1] = gone[:, None]
        log_z_one = log_sum(self._factor.word_log_weights())
        result: Array = log_z_one + gone[:, None] - before
        return result

    def _between(self, step: int) -> slice:
        """The lengths above the point before this one, up to this one."""
        low, high = self._path.points[step - 1], self._path.points[step]
        first, last = np.searchsorted(self._path.lengths, (low, high), side="right")
        return slice(int(first), int(last))

    def _first(self) -> tuple[Hidden, Array]:
        """Hidden units of documents of one word, drawn exactly, and log Z_1."""
        log_weights = self._factor.word_log_weights()
        log_z = float(log_sum(log_weights))
        sums = np.cumsum(np.exp(log_weights - log_z))
        drawn = randomness.uniforms(self._seed, Purpose.ANNEALING, FIRST, 0, self._ids, 0)
        words = np.searchsorted(sums, drawn * sums[-1], side="right")
        words = np.minimum(words, len(sums) - 1)
        pulls = self._factor.pull[:, words].T.astype(np.float64)
        return self._uniforms(FIRST, 1) < logistic(pulls), np.full(len(self._ids), log_z)

    def _uniforms(self, stage: int, step: int) -> Array:
        """A number in (0, 1) for each chain and unit."""
        fours = np.arange(-(-self._factor.units // 4))
        bits = randomness.philox(
            self._seed, Purpose.ANNEALING, stage, step, self._ids[:, None], fours
        )
        whole = bits.reshape(len(self._ids), -1)[:, : self._factor.units].astype(np.float64)
        numbers: Array = (whole + 0.5) * 2.0**-32
        return numbers


def settling_sweeps(temperatures: int) -> int:
    """How many sweeps there are at the longest length before the way down."""
    return max(int(SETTLING * temperatures), 1)


def resampled(hidden: Hidden, log_weights: Array, seed: int) -> Hidden:
    """As many states, drawn in proportion to the weights of their chains."""
    shares = np.cumsum(np.exp(log_weights - log_weights.max()))
    at = randomness.uniforms(seed, Purpose.ANNEALING, RESAMPLE, 0, np.arange(len(hidden)), 0)
    rows = np.minimum(np.searchsorted(shares, at * shares[-1], "right"), len(hidden) - 1)
    drawn: Hidden = hidden[rows]
    return drawn
