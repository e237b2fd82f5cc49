"""PCD and CD for two layers: the learner of the over-replicated softmax.

Srivastava, Salakhutdinov and Hinton, *Modeling Documents with a Deep Boltzmann Machine*, 2013. As
there, a run may begin as one of a single layer whose weights count (1 + M/N) times, which is a
document completed by words like its own, and go on by mean field. By default there is no
pretraining, and latent words are drawn by chains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import STARTED, Gradient, Place, Pressure, Session
from undertow.learn.completing import Completing
from undertow.learn.divergence import CHAINS, checked_steps, hold_chains, steps_at
from undertow.learn.learner import Corpus
from undertow.learn.optimizer import Adam
from undertow.learn.options import Options
from undertow.model.two_layers import TwoLayers, latent_words_of

LATENT = "learner.latent"  # the hidden units of every document beside its words, packed to bits


@dataclass(frozen=True)
class DeepDivergence(Options):
    """Options of PCD and CD for two layers.

    Parameters
    ----------
    n_steps : int or pair of int
        Gibbs steps of the second phase, as of `ContrastiveDivergence`.
    persistent : bool
        The chain of a document goes on from where it was in the last epoch.
    latent : "chains" or "mean-field"
        How the latent words of a document are drawn: by Gibbs sampling beside its own words, in
        chains that go on from epoch to epoch, or by mean field.
    passes : int
        Rounds of the chains in a step, or passes of mean field.
    pretraining : float
        The share of the planned steps in which latent words are like a document's own. None are
        where no end is planned (`partial_fit`, early stopping).

    Examples
    --------
    >>> from undertow.learn import DeepDivergence
    >>> DeepDivergence(latent="mean-field", passes=5).n_steps
    5
    """

    n_steps: int | tuple[int, int] = 5
    persistent: bool = True
    latent: Literal["chains", "mean-field"] = "chains"
    passes: int = 1
    pretraining: float = 0.0

    layers = 2

    def __post_init__(self) -> None:
        _check.keep(
            self,
            n_steps=checked_steps(self.n_steps),
            persistent=bool(self.persistent),
            latent=_check.one_of("latent", self.latent, ("chains", "mean-field")),
            passes=_check.whole_number("passes", self.passes, at_least=1),
            pretraining=_check.number("pretraining", self.pretraining, at_least=0.0),
        )
        if self.pretraining > 1.0:
            raise InvalidInput(f"pretraining must be a share from 0 to 1, got {self.pretraining!r}")

    @staticmethod
    def usual_optimizer() -> Adam:
        """What "auto" stands for: small steps, as the gradient carries a document's length, that
        shrink to almost nothing.

        Returns
        -------
        Adam
            With its rate, biases and L2 set.

        Examples
        --------
        >>> DeepDivergence.usual_optimizer().learning_rate
        0.002
        """
        return Adam(learning_rate=0.002, hidden_bias_rate=1.0, annealing=2.0, l2=1e-3)

    def calibrates(self, *, weighted: bool) -> bool:
        """Whether the model approaches the distribution of the documents.

        Parameters
        ----------
        weighted : bool
            Whether words have weights.

        Returns
        -------
        bool
            Not with word weights: chains draw words without them, as those of CD.

        Examples
        --------
        >>> DeepDivergence().calibrates(weighted=False)
        True
        """
        return not weighted

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> DeepDivergenceStep:
        """The step of a run.

        Parameters
        ----------
        session, corpus, pressure
            As for `AlphaNCE`; the parameters of the session are `TwoLayers`.

        Returns
        -------
        Step
            Turns minibatches into gradients.

        Raises
        ------
        InvalidInput
            Where the model has one layer.

        Examples
        --------
        >>> from undertow.engines import Place
        >>> from undertow.learn import Corpus, Run, Settings
        >>> from undertow.model import TwoLayers
        >>> deep = TwoLayers(**parameters.arrays(), latent_words=np.float32(20))
        >>> settings = Settings(learner=DeepDivergence())
        >>> learning = Run(deep, p, settings, documents=200, longest=source.longest)
        >>> batch = next(source.batches(seed=0, epoch=0, batch_size=50))
        >>> learning.step.gradient(batch, Place(epoch=0, number=0)).finite
        True
        """
        if not isinstance(session.parameters, TwoLayers):
            raise InvalidInput(
                "learner must be one for a model without latent words, got DeepDivergence, which "
                "is for DeepReplicatedSoftmax"
            )
        if self.persistent:
            hold_chains(session, CHAINS, corpus.documents)
        if self.latent == "chains":
            hold_chains(session, LATENT, corpus.documents)
        return DeepDivergenceStep(self, session, pressure, corpus.seed)


class DeepDivergenceStep:
    """Turns minibatches into gradients: completes documents, and learns from these as PCD does."""

    def __init__(
        self, options: DeepDivergence, session: Session, pressure: Pressure, seed: int
    ) -> None:
        self._options, self._session, self._pressure = options, session, pressure
        self._completing = Completing(latent_words_of(session.parameters), seed)
        self._progress = 1.0

    def reached(self, progress: float | None) -> None:
        """How much of the run is behind the next step."""
        self._progress = 1.0 if progress is None else progress

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """Both phases, of completed documents."""
        session, options = self._session, self._options
        seen = session.see(self._completed(batch, place.epoch))
        sample = session.gibbs(
            seen,
            place,
            steps=steps_at(options.n_steps, self._progress),
            weighted=False,
            chains=CHAINS if options.persistent else None,
        )
        return session.difference(seen, sample, self._pressure)

    def _completed(self, batch: CountBatch, epoch: int) -> CountBatch:
        options, completing = self._options, self._completing
        given = self._session.parameters, batch, epoch
        if self._progress < options.pretraining:
            return completing.like_their_own(*given)
        if options.latent == "mean-field":
            return completing.by_mean_field(*given, options.passes)
        arrays, ids = self._session.arrays(), batch.document_ids
        chains, started = arrays[LATENT], arrays[LATENT + STARTED]
        hidden = np.unpackbits(chains[ids], axis=1, count=given[0].units).astype(np.bool_)
        whole = completing.by_chains(*given, options.passes, hidden, started[ids] == 1)
        chains[ids], started[ids] = np.packbits(hidden, axis=1), 1
        return whole
