"""Optimizers: a lazy Adam over the touched rows, and the paper's SGD with momentum.

The gradient of the hidden bias a carries the factor L, so at W's rate all units would die within an
epoch: its step is scaled down by `hidden_bias_rate`.

Where a run knows its end, `annealing` lets the rate begin at that many times `learning_rate` and
fall in a straight line to almost nothing: large steps first find better topics, small ones then
settle them. Without an end in sight (`partial_fit`) the rate is `learning_rate` throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from undertow import _check
from undertow.engines import OPTIMIZER, AdamRule, Gradient, MomentumRule, Session
from undertow.learn.options import Options

LAST_SHARE = 0.01  # of the rate that annealing begins with: what it never falls below


@dataclass(frozen=True)
class Moment:
    """Where in a run a step is.

    Parameters
    ----------
    step : int
        Its number, from 1 on.
    progress : float or None
        The share of the run behind it; None where no end is known.

    Examples
    --------
    >>> from undertow.learn import Moment
    >>> Moment(step=1, progress=0.0).step
    1
    """

    step: int
    progress: float | None


class Updater(Protocol):
    """Applies gradients to the parameters of a run.

    Examples
    --------
    >>> run.updater.moves_every_row  # Adam leaves rows alone that have no gradient
    False
    """

    @property
    def moves_every_row(self) -> bool:
        """Whether rows of W move that a gradient does not touch."""
        ...

    def apply(self, gradient: Gradient, moment: Moment) -> None:
        """One step down the gradient."""
        ...


class Optimizer(Protocol):
    """Options of an optimizer, from which a run begins its updater.

    `Adam` and `SGD` are ours. docs/extending.md has one of one's own.

    Examples
    --------
    >>> from undertow.learn import Adam, Optimizer
    >>> optimizer: Optimizer = Adam(learning_rate=0.02)
    """

    def begin(self, session: Session) -> Updater:
        """The updater of a run. What has to survive a resume is held by the session, under names
        that begin with "optimizer.".
        """
        ...


def annealed(learning_rate: float, annealing: float, progress: float | None) -> float:
    """The learning rate at a point of a run."""
    if progress is None or annealing == 0.0:
        return learning_rate
    return learning_rate * annealing * max(1.0 - progress, LAST_SHARE)


@dataclass(frozen=True)
class Adam(Options):
    """Adam over touched rows.

    Parameters
    ----------
    learning_rate : float
        The length of steps.
    decay : float
        Of the second moments, which are means of squared gradients.
    momentum : float
        Of the first moments; used with moments="element" alone.
    moments : "row" or "element"
        Whether a row or every element has a second moment. One per row trains as well, and its 8
        bytes a word are what keeps the cost flat in the number of words.
    l2 : float
        How much weights shrink, where their words occur.
    hidden_bias_rate : float
        The rate of the hidden bias, as a multiple of `learning_rate`.
    annealing : float
        The rate begins at so many times `learning_rate` and falls to almost nothing, where a run
        knows its end; 0 for a constant rate.

    Examples
    --------
    >>> from undertow.learn import Adam
    >>> Adam().changed(learning_rate=0.02).learning_rate
    0.02
    """

    learning_rate: float = 0.01
    decay: float = 0.999
    momentum: float = 0.0
    moments: Literal["row", "element"] = "row"
    l2: float = 1e-4
    hidden_bias_rate: float = 0.01
    annealing: float = 3.0

    def __post_init__(self) -> None:
        _check.keep(
            self,
            learning_rate=_check.number("learning_rate", self.learning_rate, above=0.0),
            decay=_check.number("decay", self.decay, at_least=0.0, below=1.0),
            momentum=_check.number("momentum", self.momentum, at_least=0.0, below=1.0),
            moments=_check.one_of("moments", self.moments, ("row", "element")),
            l2=_check.number("l2", self.l2, at_least=0.0),
            hidden_bias_rate=_check.number("hidden_bias_rate", self.hidden_bias_rate, at_least=0.0),
            annealing=_check.number("annealing", self.annealing, at_least=0.0),
        )

    def begin(self, session: Session) -> AdamUpdater:
        """Adam's moments: of every row or element of W, and of everything else that is learned.

        Parameters
        ----------
        session : undertow.engines.Session
            What an engine made for a run; it holds the moments.

        Returns
        -------
        Updater
            Applies gradients.

        Examples
        --------
        >>> updater = Adam().begin(run.session)
        >>> [name for name in run.session.arrays() if name.startswith("optimizer.row")]
        ['optimizer.row_moments']
        """
        words, units = session.parameters.words, session.parameters.units
        moments: dict[str, NDArray[Any]] = {"row_moments": np.zeros((words, 2), dtype=np.float32)}
        if self.moments == "element":
            moments = {
                "first_moments": np.zeros((words, units), dtype=np.float32),
                "second_moments": np.zeros((words, units), dtype=np.float32),
                "masses": np.zeros((words, 2), dtype=np.float32),
            }
        for name, array in session.learned().items():
            if name == "visible_bias":  # its moments are lazy, as those of rows are
                moments["visible_bias_moments"] = np.zeros((words, 2), dtype=np.float32)
            elif name != "weights":
                moments[f"{name}_moments"] = np.zeros(array.shape)
        for name, values in moments.items():
            session.hold(OPTIMIZER + name, values)
        return AdamUpdater(self, session)


class AdamUpdater:
    """Adam at the rate of the moment."""

    moves_every_row = False

    def __init__(self, options: Adam, session: Session) -> None:
        self._options, self._session = options, session

    def apply(self, gradient: Gradient, moment: Moment) -> None:
        self._session.adam(gradient, self.rule(moment))

    def rule(self, moment: Moment) -> AdamRule:
        """What an engine is told of a step, which may lie ahead."""
        options = self._options
        return AdamRule(
            rate=annealed(options.learning_rate, options.annealing, moment.progress),
            hidden_bias_rate=options.hidden_bias_rate,
            decay=options.decay,
            momentum=options.momentum,
            l2=options.l2,
            step=moment.step,
        )


@dataclass(frozen=True)
class SGD(Options):
    """Stochastic gradient descent with momentum, as in the paper.

    Every row moves at every step: the cost grows with the number of words.

    Parameters
    ----------
    learning_rate : float
        For the mean gradient of a minibatch; a rate that belongs to the sum is multiplied by
        `batch_size`, and `l2` divided by it.
    momentum : float
        How much of its velocity a step takes over.
    early_momentum, early_steps : float, int
        The momentum of so many first steps, as Hinton's guide advises.
    l2 : float
        How much weights shrink, where their words occur.
    hidden_bias_rate, annealing : float
        As of `Adam`.

    Examples
    --------
    >>> from undertow.learn import SGD
    >>> SGD(learning_rate=0.05).momentum
    0.9
    """

    learning_rate: float = 0.1
    momentum: float = 0.9
    early_momentum: float = 0.5
    early_steps: int = 0
    l2: float = 0.0
    hidden_bias_rate: float = 0.01
    annealing: float = 0.0

    def __post_init__(self) -> None:
        _check.keep(
            self,
            learning_rate=_check.number("learning_rate", self.learning_rate, above=0.0),
            momentum=_check.number("momentum", self.momentum, at_least=0.0, below=1.0),
            early_momentum=_check.number(
                "early_momentum", self.early_momentum, at_least=0.0, below=1.0
            ),
            early_steps=_check.whole_number("early_steps", self.early_steps, at_least=0),
            l2=_check.number("l2", self.l2, at_least=0.0),
            hidden_bias_rate=_check.number("hidden_bias_rate", self.hidden_bias_rate, at_least=0.0),
            annealing=_check.number("annealing", self.annealing, at_least=0.0),
        )

    def begin(self, session: Session) -> SGDUpdater:
        """A velocity for everything that is learned.

        Parameters
        ----------
        session : undertow.engines.Session
            What an engine made for a run; it holds the velocities.

        Returns
        -------
        Updater
            Applies gradients.

        Examples
        --------
        >>> SGD().begin(run.session).moves_every_row
        True
        """
        for name, array in session.learned().items():
            session.hold(f"{OPTIMIZER}{name}_velocities", np.zeros_like(array))
        return SGDUpdater(self, session)


class SGDUpdater:
    """Momentum at the rate of the moment: rows coast."""

    moves_every_row = True

    def __init__(self, options: SGD, session: Session) -> None:
        self._options, self._session = options, session

    def apply(self, gradient: Gradient, moment: Moment) -> None:
        options = self._options
        rule = MomentumRule(
            rate=annealed(options.learning_rate, options.annealing, moment.progress),
            hidden_bias_rate=options.hidden_bias_rate,
            momentum=self._momentum(moment.step),
            next_momentum=self._momentum(moment.step + 1),
            l2=options.l2,
        )
        self._session.momentum(gradient, rule)

    def _momentum(self, step: int) -> float:
        """How much of its velocity a step takes over; the first step has number 1."""
        options = self._options
        return options.early_momentum if step <= options.early_steps else options.momentum
