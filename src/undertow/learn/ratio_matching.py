"""Ratio matching for counts of words (Hyvärinen, "Some extensions of score matching", 2007), with
neighbours that are drawn, as Dauphin and Bengio ("Stochastic ratio matching of RBMs for sparse
high-dimensional inputs", 2013) draw theirs.

A neighbour V' of a document V has another word k in the place of one token's word i. Of two
neighbours, the model says which is the likelier without its normaliser, which is the same for both.
Ratio matching makes the document the likelier one:

    J = mean over documents, over their tokens, and over words k ~ q of  sigmoid(s)^2
    s = log P(V') - log P(V) + log q_i - log q_k

For pairs {V, V'} that come up as V with q_k and as V' with q_i, J is, up to a constant, the squared
error of what the model says about which of the two came up: so it is least where the model has the
ratios of the data. Hyvärinen's objective has all neighbours alike: q is 1/K. With q = p, here
called proposal-weighted ratio matching, s is what the units alone say,

    s = S(V') - S(V) + g_k - g_i,    g_k = w_k (b_k - log p_k)  (with log p_k added where q is 1/K)

where g is zero at b = log p. Where words have weights, b enters through w (b - log p), as it does
in alpha-NCE: this is the model whose words have the shares p where units say nothing.

Words are drawn from q itself, so nothing has to be weighed again, and the gradient has J's own as
its mean. W.u is computed once a document, and a neighbour costs two rows of W.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from undertow import _check
from undertow.counts import CountBatch
from undertow.engines import Gradient, Neighbours, Place, Pressure, Session
from undertow.learn.learner import Corpus
from undertow.learn.optimizer import Adam
from undertow.learn.options import Options


@dataclass(frozen=True)
class RatioMatching(Options):
    """Options of stochastic ratio matching.

    Parameters
    ----------
    n_neighbours : int
        Neighbours that are drawn for each document in each step.
    neighbours : "proposal" or "uniform"
        What words replace a token: words as likely as they are in the corpus, or all words alike.
        This is part of what is learned, not only of how it is drawn.
    visible_bias : "learned" or "frozen"
        Frozen biases stay log p.

    Examples
    --------
    >>> from undertow.learn import RatioMatching
    >>> RatioMatching(n_neighbours=10).neighbours
    'proposal'
    """

    n_neighbours: int = 25
    neighbours: Literal["proposal", "uniform"] = "proposal"
    visible_bias: Literal["frozen", "learned"] = "learned"

    def __post_init__(self) -> None:
        _check.keep(
            self,
            n_neighbours=_check.whole_number("n_neighbours", self.n_neighbours, at_least=1),
            neighbours=_check.one_of("neighbours", self.neighbours, ("proposal", "uniform")),
            visible_bias=_check.one_of("visible_bias", self.visible_bias, ("frozen", "learned")),
        )

    @staticmethod
    def usual_optimizer() -> Adam:
        """What "auto" stands for: J is a mean over tokens, so gradients are small and steps large.

        Returns
        -------
        Adam
            With its rate and biases set.

        Examples
        --------
        >>> RatioMatching.usual_optimizer().learning_rate
        0.03
        """
        return Adam(learning_rate=0.03)

    def calibrates(self, *, weighted: bool) -> bool:
        """Whether the model approaches the distribution of the documents.

        Parameters
        ----------
        weighted : bool
            Whether words have weights.

        Returns
        -------
        bool
            Not with word weights, where b enters less log p (docs/family.md).

        Examples
        --------
        >>> learner = RatioMatching()
        >>> learner.calibrates(weighted=False), learner.calibrates(weighted=True)
        (True, False)
        """
        return not weighted

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> RatioStep:
        """The step of a run.

        Parameters
        ----------
        session, corpus, pressure
            As for `AlphaNCE`.

        Returns
        -------
        Step
            Turns minibatches into gradients.

        Examples
        --------
        >>> from undertow.engines import Place
        >>> from undertow.learn import Corpus, Sparsity
        >>> step = RatioMatching().begin(run.session, Corpus(200, 30), Sparsity().pressure)
        >>> batch = next(source.batches(seed=0, epoch=0, batch_size=50))
        >>> step.gradient(batch, Place(epoch=0, number=0)).finite
        True
        """
        return RatioStep(self, session, pressure)


class RatioStep:
    """Turns minibatches into gradients."""

    def __init__(self, options: RatioMatching, session: Session, pressure: Pressure) -> None:
        self._session, self._pressure = session, pressure
        self._neighbours = Neighbours(
            replacements=options.n_neighbours,
            uniform=options.neighbours == "uniform",
            learns_visible_bias=options.visible_bias == "learned",
        )

    @property
    def stands_still(self) -> tuple[str, ...]:
        """Parameters that have no gradient."""
        return () if self._neighbours.learns_visible_bias else ("visible_bias",)

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """The gradient of J on one minibatch, at neighbours that are drawn for it."""
        return self._session.match_ratios(batch, place, self._neighbours, self._pressure)
