"""log Z_D of any lengths: exact where hidden states are few, else by annealing, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from threadpoolctl import threadpool_limits

from undertow import _check
from undertow._errors import InvalidInput
from undertow.engines import Engine, find_engine
from undertow.model.annealing import Chains, Path, resampled, settling_sweeps
from undertow.model.parameters import Parameters
from undertow.model.token_factor import Array, TokenFactor, log_mean, log_sum

METHODS = ("auto", "exact", "annealing")
MOST_NUMBERS = 2**28  # hidden states x words that "auto" takes for few: some seconds
MOST_UNITS = 20
CHAINS_AT_A_TIME = 32
FEWEST_TEMPERATURES, FEWEST_CHAINS = 10, 4

Told = Callable[[float], None]


@dataclass(frozen=True)
class Annealing:
    """How log Z is found.

    Parameters
    ----------
    method : {"auto", "exact", "annealing"}
        "exact" sums over all hidden states; "auto" does so where these are few (16 units and 2,000
        words, say).
    temperatures : int
        Steps of a chain.
    chains : int
        Of the way up, and as many of the way down.
    seed : int
        What is drawn from.

    Examples
    --------
    >>> from undertow.vectors import Annealing
    >>> Annealing(chains=50).temperatures
    1000
    """

    method: str = "auto"
    temperatures: int = 1000
    chains: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _check.one_of("method", self.method, METHODS)
        _check.whole_number("n_temperatures", self.temperatures, at_least=FEWEST_TEMPERATURES)
        _check.whole_number("n_chains", self.chains, at_least=FEWEST_CHAINS)


@dataclass(frozen=True)
class LogNormalisers:
    """log Z_D of some lengths.

    Parameters
    ----------
    lengths : array of int64, (lengths,)
        D, ascending.
    up : array of float64, (chains, lengths)
        The logarithm of each chain's estimate of Z_D; one row where Z_D is exact.
    down : array of float64, (chains, lengths), or None
        The same of chains from above; None where Z_D is exact.

    Examples
    --------
    >>> from undertow.vectors import log_normalisers
    >>> found = log_normalisers(parameters, [1, 7])
    >>> found.exact, found.values.shape
    (True, (2,))
    """

    lengths: NDArray[np.int64]
    up: Array
    down: Array | None

    @property
    def exact(self) -> bool:
        """Whether these are sums over all hidden states."""
        return self.down is None

    @property
    def values(self) -> Array:
        """log Z_D of each length."""
        return log_mean(self.up)

    def of(self, lengths: NDArray[np.int64]) -> Array:
        """log Z_D of lengths in any order, each of which is among `lengths`.

        Parameters
        ----------
        lengths : array of int64
            Such as those of documents.

        Returns
        -------
        array of float64
            As many.

        Examples
        --------
        >>> found.of(np.array([7, 1, 7])).shape
        (3,)
        """
        return self.values[np.searchsorted(self.lengths, lengths)]

    def interval(
        self, parts: ArrayLike, confidence: float = 0.95
    ) -> tuple[float, float, float, float]:
        """A weighted sum of log Z_D and where it lies.

        Parameters
        ----------
        parts : array (lengths,)
            How much of each length's log Z there is in the sum.
        confidence : float
            Of each of two intervals, one from below and one from above, whose hull is given.

        Returns
        -------
        tuple of float
            The sum, the lower and the upper end, and the sum as it is from above. All are the same
            where log Z is exact.

        Examples
        --------
        >>> found.interval([0.0, 1.0])[0] == found.values[1]
        np.True_
        """
        inside = _check.number("confidence", confidence, above=0.0, below=1.0)
        weights = np.asarray(parts, dtype=np.float64)
        value, spread = _jackknife(self.up, weights)
        if self.down is None:
            return value, value, value, value
        minus, other_spread = _jackknife(-self.down, weights)
        t = float(stats.t.ppf(0.5 + inside / 2.0, len(self.up) - 1))
        low = min(value - t * spread, -minus - t * other_spread)
        high = max(value + t * spread, -minus + t * other_spread)
        return value, low, high, -minus


def _jackknife(log_weights: Array, parts: Array) -> tuple[float, float]:
    """The weighted sum of log-means over chains, and its standard error: how much it changes when
    one chain is left out.
    """
    value = float(log_mean(log_weights) @ parts)
    chains = len(log_weights)
    if chains == 1:
        return value, 0.0
    without = np.empty(chains)
    for one in range(chains):
        without[one] = log_mean(np.delete(log_weights, one, axis=0)) @ parts
    error = np.sqrt((chains - 1) * np.mean((without - without.mean()) ** 2))
    return value, float(error)


def log_normalisers(
    parameters: Parameters,
    tokens: ArrayLike,
    annealing: Annealing | None = None,
    *,
    start: NDArray[np.floating] | None = None,
    engine: Engine | None = None,
    told: Told | None = None,
) -> LogNormalisers:
    """log Z_D, the logarithm of the sum over all sequences of D words of exp(-F).

    Parameters
    ----------
    parameters : undertow.Parameters
        The model.
    tokens : list of int
        Lengths D; each is answered once.
    annealing : Annealing, optional
        How.
    start : array (documents, units), optional
        P(unit is on) of documents, where chains of the way down begin, so that regions show which
        the way up did not find. Without them they begin where it ended.
    engine : Engine, optional
        Whose threads are used; all cores where none is given.
    told : function, optional
        Is told the share of the work that is done, again and again.

    Returns
    -------
    LogNormalisers
        Of every length that there is in `tokens`.

    Examples
    --------
    >>> from undertow.vectors import Annealing, log_normalisers
    >>> exact = log_normalisers(parameters, [5])
    >>> close = log_normalisers(parameters, [5], Annealing(method="annealing", chains=8))
    >>> bool(abs(exact.values - close.values)[0] < 0.01)
    True
    """
    how, lengths = annealing or Annealing(), np.asarray(tokens)
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 0).any():
        raise InvalidInput(f"tokens must be a list of whole numbers of at least 0, got {tokens!r}")
    lengths = np.unique(lengths).astype(np.int64)
    if is_exact(how.method, parameters) or lengths.max(initial=0) <= 1:
        return LogNormalisers(lengths, exact_log_z(parameters, lengths)[None], None)
    factor = TokenFactor(parameters)
    run = _Run(factor, lengths[lengths > 0], how, engine or find_engine("cpu"), told)
    up, down = run.both_ways(start)
    if lengths[0] == 0:  # hidden units alone
        of_none = np.full((how.chains, 1), factor.units * np.log(2.0))
        up, down = np.hstack([of_none, up]), np.hstack([of_none, down])
    return LogNormalisers(lengths, up, down)


def is_exact(method: str, parameters: Parameters) -> bool:
    """Whether the sum over all hidden states is taken."""
    few = parameters.units <= MOST_UNITS and 2**parameters.units * parameters.words <= MOST_NUMBERS
    if method == "exact" and not few:
        raise InvalidInput(
            f"method 'exact' must be asked of at most {MOST_UNITS} units and {MOST_NUMBERS:,} "
            f"states x words, got {parameters.units} units and {parameters.words:,} words"
        )
    return few and method != "annealing"


def exact_log_z(parameters: Parameters, lengths: NDArray[np.int64]) -> Array:
    """log Z_D by the sum over all hidden states; of one token, over words."""
    factor = TokenFactor(parameters, double=True)
    if not len(lengths):
        return np.empty(0)
    if lengths[-1] <= 1:
        one = float(log_sum(factor.word_log_weights()))
        return np.where(lengths == 0, factor.units * np.log(2.0), one)
    blocks = [log_sum(lengths[:, None] * g, axis=1) for g in factor.of_all_states()]
    return log_sum(np.stack(blocks))


class _Run:
    """Chains up, and chains down, some at a time on each thread."""

    def __init__(
        self,
        factor: TokenFactor,
        lengths: NDArray[np.int64],
        how: Annealing,
        engine: Engine,
        told: Told | None,
    ) -> None:
        self._factor, self._how, self._engine, self._told = factor, how, engine, told
        self._path = Path.to(lengths, how.temperatures)
        self._firsts = range(0, how.chains, CHAINS_AT_A_TIME)
        self._sweeps = 0
        sweeps = 2 * how.temperatures - 1 + settling_sweeps(how.temperatures)
        self._planned = sweeps * len(self._firsts)

    def both_ways(self, start: NDArray[np.floating] | None) -> tuple[Array, Array]:
        ups = self._on_all(lambda chains, first: chains.up())
        up, ends = (np.concatenate(parts) for parts in zip(*ups, strict=True))
        ends = self._resampled(up, ends) if start is None or not len(start) else self._drawn(start)
        size = CHAINS_AT_A_TIME
        downs = self._on_all(lambda chains, first: chains.down(ends[first : first + size].copy()))
        return up, np.concatenate(downs)

    def _resampled(self, up: Array, ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return resampled(ends, up[:, -1], self._how.seed)

    def _drawn(self, start: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Hidden units of documents: the settling sweeps draw them all anew, so a threshold does
        for a start.
        """
        rows = np.arange(self._how.chains) % len(start)
        return start[rows] > 0.5

    def _on_all(self, work: Callable[[Chains, int], Any]) -> list[Any]:
        found: list[Any] = [None] * len(self._firsts)

        def part(number: int, first: int) -> None:
            ids = np.arange(first, min(first + CHAINS_AT_A_TIME, self._how.chains))
            chains = Chains(self._factor, self._path, self._how.seed, ids, self._swept)
            found[number] = work(chains, first)

        with threadpool_limits(limits=1, user_api="blas"):  # threads are the engine's business
            parts = [partial(part, number, first) for number, first in enumerate(self._firsts)]
            self._engine.together(parts)
        return found

    def _swept(self) -> None:
        self._sweeps += 1  # of several threads: a count that is a little off is good enough
        if self._told is not None:
            self._told(min(self._sweeps / self._planned, 1.0))
