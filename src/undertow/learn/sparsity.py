"""A target for how often a hidden unit is on: sparse units retrieve better, and units that are
never on learn nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from undertow import _check
from undertow.engines import Pressure

COST = 0.3  # of documents of usual length, and not too few


@dataclass(frozen=True)
class Sparsity:
    """Adds cost * sum_j (mean activity of unit j in the minibatch - target)^2 to the loss.

    Parameters
    ----------
    target : float
        The share of documents that a unit should be on in.
    cost : float
        How much that counts; 0 switches it off.

    Examples
    --------
    >>> from undertow.learn import Settings, Sparsity
    >>> Settings(sparsity=Sparsity(target=0.2, cost=1.0)).sparsity.target
    0.2
    """

    target: float = 0.1
    cost: float = COST

    def __post_init__(self) -> None:
        _check.keep(
            self,
            target=_check.number("sparsity_target", self.target, above=0.0, below=1.0),
            cost=_check.number("sparsity_cost", self.cost, at_least=0.0),
        )

    @property
    def pressure(self) -> Pressure:
        """As engines take it."""
        return Pressure(self.target, self.cost)
