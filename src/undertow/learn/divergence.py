"""Contrastive divergence (CD-k) and its persistent form (PCD): the learners that alpha-NCE is
compared with.

The gradient is the mean over documents of <u h> in the data less <u h> after k Gibbs steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import STARTED, Gradient, Place, Pressure, Session
from undertow.learn.learner import Corpus
from undertow.learn.optimizer import Adam
from undertow.learn.options import Options

CHAINS = "learner.chains"  # the hidden units of every document, packed to bits


@dataclass(frozen=True)
class ContrastiveDivergence(Options):
    """Options of CD-k and PCD.

    Parameters
    ----------
    n_steps : int or pair of int
        Gibbs steps, k. Two numbers: k rises from the first to the second, each for an equal share
        of the planned steps; where no end is planned (`partial_fit`, early stopping) it is the
        second.
    persistent : bool
        The chain of a document goes on from where it was in the last epoch.
    words : "unweighted" or "exact"
        How the chain draws words where words have weights. "unweighted" draws from
        softmax(W.h + b), the paper's Eq. 3, and weights the words drawn; "exact" draws from the
        weighted model, softmax(w (W.h + b + a.h)), under which words of weight near 0 soon are all
        that is drawn. Without weights the two are the same.

    Examples
    --------
    >>> from undertow.learn import ContrastiveDivergence
    >>> ContrastiveDivergence(n_steps=5).get_params()
    {'n_steps': 5, 'persistent': False, 'words': 'unweighted'}
    """

    n_steps: int | tuple[int, int] = 1
    persistent: bool = False
    words: Literal["unweighted", "exact"] = "unweighted"

    def __post_init__(self) -> None:
        _check.keep(
            self,
            n_steps=checked_steps(self.n_steps),
            persistent=bool(self.persistent),
            words=_check.one_of("words", self.words, ("unweighted", "exact")),
        )

    @staticmethod
    def usual_optimizer() -> Adam:
        """What "auto" stands for: the gradient carries a document's length, so steps are small.

        Returns
        -------
        Adam
            With its rate and biases set.

        Examples
        --------
        >>> ContrastiveDivergence.usual_optimizer().learning_rate
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
            Not where chains draw words in another way than the model does.

        Examples
        --------
        >>> cd = ContrastiveDivergence()
        >>> cd.calibrates(weighted=False), cd.calibrates(weighted=True)
        (True, False)
        """
        return self.words == "exact" or not weighted

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> DivergenceStep:
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
        >>> learner = ContrastiveDivergence(persistent=True)
        >>> step = learner.begin(run.session, Corpus(200, 30), Sparsity().pressure)
        >>> batch = next(source.batches(seed=0, epoch=0, batch_size=50))
        >>> step.gradient(batch, Place(epoch=0, number=0)).finite
        True
        """
        if self.persistent:
            hold_chains(session, CHAINS, corpus.documents)
        return DivergenceStep(self, session, pressure)


def hold_chains(session: Session, name: str, documents: int) -> None:
    """A chain for every document, none of which has begun: hidden units, packed to bits."""
    bytes_per_chain = -(-session.parameters.units // 8)
    session.hold(name, np.zeros((documents, bytes_per_chain), dtype=np.uint8))
    session.hold(name + STARTED, np.zeros(documents, dtype=np.uint8))


def checked_steps(steps: object) -> int | tuple[int, int]:
    """A number of Gibbs steps, or two in order."""
    number = partial(_check.whole_number, at_least=1)
    if not isinstance(steps, tuple):
        return number("n_steps", steps)
    if len(steps) != 2:
        raise InvalidInput(f"n_steps must be one number or two, got {len(steps)} numbers")
    return _check.ascending("n_steps", steps, number)


def steps_at(n_steps: int | tuple[int, int], progress: float | None) -> int:
    """How many Gibbs steps there are at a point of a run."""
    if not isinstance(n_steps, tuple):
        return n_steps
    first, last = n_steps
    if progress is None:
        return last
    return min(first + int(progress * (last - first + 1)), last)


class DivergenceStep:
    """Turns minibatches into gradients.

    A persistent chain keeps its document's D. Its state is the document's hidden units: the words
    are drawn anew from them, so nothing else has to be remembered.
    """

    def __init__(
        self, options: ContrastiveDivergence, session: Session, pressure: Pressure
    ) -> None:
        self._options, self._session, self._pressure = options, session, pressure
        self._progress: float | None = None

    def reached(self, progress: float | None) -> None:
        """How much of the run is behind the next step."""
        self._progress = progress

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """Positive phase, k Gibbs steps, and what sets the two apart."""
        seen = self._session.see(batch)
        sample = self._session.gibbs(
            seen,
            place,
            steps=steps_at(self._options.n_steps, self._progress),
            weighted=self._options.words == "exact",
            chains=CHAINS if self._options.persistent else None,
        )
        return self._session.difference(seen, sample, self._pressure)
