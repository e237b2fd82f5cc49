"""Contrastive divergence whose words move by Metropolis-Hastings (Dahl, Adams and Larochelle,
"Training Restricted Boltzmann Machines on Word Observations", 2012): a step of CD at a cost that
does not grow with the number of words.

A Gibbs step of CD draws every token's word from P(k | h), a softmax over the whole vocabulary. Here
a token keeps its word k, and is offered a word k' from p, by an alias table, a few times over. It
takes it with probability

    min(1, e^(l_k' - l_k) p_k / p_k'),    l_k = w_k (W_k.h + b_k + a.h)

which leaves P(k | h) as it is. An offer costs one row of W. Since b is near log p, what decides is
near W_k'.h - W_k.h: most offers are taken while units say little, fewer once they say much. The
chain begins at the document's own words, as that of CD does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from undertow import _check
from undertow.counts import CountBatch
from undertow.engines import Gradient, Place, Pressure, Session
from undertow.learn.learner import Corpus
from undertow.learn.optimizer import Adam
from undertow.learn.options import Options


@dataclass(frozen=True)
class MetropolisDivergence(Options):
    """Options of CD by Metropolis-Hastings.

    Parameters
    ----------
    n_steps : int
        Gibbs steps: hidden units given words, then words that move given hidden units.
    proposals : int
        Words that each token is offered in every Gibbs step. Many of them come near CD.
    words : "unweighted" or "exact"
        Towards which words move where words have weights: as of `ContrastiveDivergence`.

    Examples
    --------
    >>> from undertow.learn import MetropolisDivergence
    >>> MetropolisDivergence(proposals=10).n_steps
    1
    """

    n_steps: int = 1
    proposals: int = 5
    words: Literal["unweighted", "exact"] = "unweighted"

    def __post_init__(self) -> None:
        _check.keep(
            self,
            n_steps=_check.whole_number("n_steps", self.n_steps, at_least=1),
            proposals=_check.whole_number("proposals", self.proposals, at_least=1),
            words=_check.one_of("words", self.words, ("unweighted", "exact")),
        )

    @staticmethod
    def usual_optimizer() -> Adam:
        """What "auto" stands for: the gradient carries a document's length, as that of CD does.

        Returns
        -------
        Adam
            With its rate and biases set.

        Examples
        --------
        >>> MetropolisDivergence.usual_optimizer().learning_rate
        0.001
        """
        return Adam(learning_rate=0.001, hidden_bias_rate=1.0, annealing=0.0)

    def calibrates(self, *, weighted: bool) -> bool:
        """Whether the model approaches the distribution of the documents.

        Parameters
        ----------
        weighted : bool
            Whether words have weights.

        Returns
        -------
        bool
            Not where words move towards another distribution than the model's.

        Examples
        --------
        >>> learner = MetropolisDivergence()
        >>> learner.calibrates(weighted=False), learner.calibrates(weighted=True)
        (True, False)
        """
        return self.words == "exact" or not weighted

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> MetropolisStep:
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
        >>> learner = MetropolisDivergence()
        >>> step = learner.begin(run.session, Corpus(200, 30), Sparsity().pressure)
        >>> batch = next(source.batches(seed=0, epoch=0, batch_size=50))
        >>> step.gradient(batch, Place(epoch=0, number=0)).finite
        True
        """
        return MetropolisStep(self, session, pressure)


class MetropolisStep:
    """Turns minibatches into gradients."""

    def __init__(self, options: MetropolisDivergence, session: Session, pressure: Pressure) -> None:
        self._options, self._session, self._pressure = options, session, pressure

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """Positive phase, a walk away from the documents, and what sets the two apart."""
        options, seen = self._options, self._session.see(batch)
        exact = options.words == "exact"
        sample = self._session.walk(
            seen, place, steps=options.n_steps, proposals=options.proposals, weighted=exact
        )
        return self._session.difference(seen, sample, self._pressure)
