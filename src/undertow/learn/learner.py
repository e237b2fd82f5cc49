"""What learners have in common: what they are given at the beginning of a run, and what a step is.

A learner is a frozen dataclass of options. A run begins its step, which turns minibatches into
gradients with the verbs of the engine's session. Learners of your own are made known by
`undertow.learn.registry.register_learner`, so that models that were trained with them load again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from undertow.counts import CountBatch
from undertow.engines import Gradient, Place, Pressure, Session


@dataclass(frozen=True)
class Corpus:
    """What a learner may need to know of the documents.

    Parameters
    ----------
    documents : int
        The largest document id, and 1.
    longest : int
        Tokens of the longest document.
    seed : int
        That of the run: what a learner draws itself is keyed by it.

    Examples
    --------
    >>> from undertow.learn import Corpus
    >>> Corpus(documents=source.documents, longest=source.longest).documents
    200
    """

    documents: int
    longest: int
    seed: int = 0


class Step(Protocol):
    """Turns minibatches into gradients.

    A step that changes in the course of a run may have a method `reached(progress)`, which is told
    before each gradient how much of the planned run is behind it, from 0 to 1; None where no end is
    planned.

    Examples
    --------
    >>> from undertow.engines import Place
    >>> batch = next(source.batches(seed=0, epoch=2, batch_size=50))
    >>> gradient = run.step.gradient(batch, Place(epoch=2, number=0))
    >>> words, rows = gradient.rows()
    >>> rows.shape == (len(words), 8)
    True
    """

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """The gradient of the loss of one minibatch."""
        ...


class Learner(Protocol):
    """Options of a learner, from which a run begins its step.

    `AlphaNCE`, `ContrastiveDivergence`, `MetropolisDivergence` and `RatioMatching` are ours, and
    `DeepDivergence` for models of two layers, which says so by `layers = 2`.
    docs/extending.md has one of one's own. A learner may say which optimizer suits it: a static
    method `usual_optimizer` stands for `optimizer="auto"`. It may say whether the model approaches
    the distribution of the documents: a method `calibrates(weighted)`, told whether words have
    weights.

    Examples
    --------
    >>> from undertow.learn import AlphaNCE, Learner
    >>> learner: Learner = AlphaNCE(n_noise=10)
    """

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> Step:
        """The step of a run. What has to survive a resume is held by the session."""
        ...
