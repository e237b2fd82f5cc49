"""alpha-NCE: Partial Noise Sampling with the Uniform Contrastive Estimate (section 3 of the paper).

A step reads as the algorithm: split every document into tokens kept and tokens replaced, draw the
noise that replaces them, contrast each document with its noises, and follow the gradient back to
the words.

Plain NCE is `AlphaNCE(noise_level=0, uniform=False)`; a learned log Z is `normaliser="learned"`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch
from undertow.engines import (
    AdamRule,
    Gradient,
    Noise,
    Objective,
    Place,
    Pressure,
    Session,
    Steps,
)
from undertow.learn.learner import Corpus
from undertow.learn.options import Options

CORRECTIONS = "learner.corrections"  # c_D: log Z of D tokens less the frozen one; c_0 = 0
SHARPNESS = 10.0  # where nothing is known of the documents


@dataclass(frozen=True)
class AlphaNCE(Options):
    """Options of alpha-NCE.

    Parameters
    ----------
    n_noise : int
        Noise documents for each document.
    noise_level : float, pair of float or "auto"
        The share of a document that its noise keeps: a number; two numbers, between which each
        document draws its own in every epoch; or "auto", for estimators alone, which choose it by
        trials without labels.
    uniform : bool
        Divide the log-ratio by the length of the document, as the paper does.
    sharpness : float or "auto"
        What the log-ratio is multiplied by: 1 is the paper, the length would be plain NCE. "auto"
        is 10, and less where an estimator finds that documents are short.
    noise : "windows" or "independent"
        Noise words are windows of a stream that 32 documents share, or each document's own.
    stream_length : int
        How many words that stream has at least.
    visible_bias : "frozen" or "learned"
        Frozen biases stay log p, so that words are told by what stands beside them.
    normaliser : "frozen" or "learned"
        Whether log Z is learned, for each length.

    Examples
    --------
    >>> from undertow.learn import AlphaNCE
    >>> learner = AlphaNCE(n_noise=10, noise_level=(0.5, 0.9))
    >>> learner.changed(noise_level=0.6).noise_level
    0.6
    """

    n_noise: int = 25
    noise_level: float | tuple[float, float] | Literal["auto"] = 0.7
    uniform: bool = True
    sharpness: float | Literal["auto"] = "auto"
    noise: Literal["windows", "independent"] = "windows"
    stream_length: int = 1024
    visible_bias: Literal["frozen", "learned"] = "frozen"
    normaliser: Literal["frozen", "learned"] = "frozen"

    def __post_init__(self) -> None:
        if isinstance(self.sharpness, str):
            sharpness: object = _check.one_of("sharpness", self.sharpness, ("auto",))
        else:
            sharpness = _check.number("sharpness", self.sharpness, above=0.0)
        _check.keep(
            self,
            n_noise=_check.whole_number("n_noise", self.n_noise, at_least=1),
            noise_level=_checked_level(self.noise_level),
            uniform=bool(self.uniform),
            sharpness=sharpness,
            noise=_check.one_of("noise", self.noise, ("windows", "independent")),
            stream_length=_check.whole_number("stream_length", self.stream_length, at_least=1),
            visible_bias=_check.one_of("visible_bias", self.visible_bias, ("frozen", "learned")),
            normaliser=_check.one_of("normaliser", self.normaliser, ("frozen", "learned")),
        )

    def calibrates(self, *, weighted: bool) -> bool:
        """Whether the model approaches the distribution of the documents: by plain NCE alone.

        Parameters
        ----------
        weighted : bool
            Whether words have weights.

        Returns
        -------
        bool
            Not with the uniform estimate, sharpness, partial noise, a frozen log Z or word weights.

        Examples
        --------
        >>> AlphaNCE().calibrates(weighted=False)
        False
        """
        plain = self.sharpness == 1.0 and self.noise_level == 0.0 and not self.uniform
        return plain and self.normaliser == "learned" and not weighted

    def begin(self, session: Session, corpus: Corpus, pressure: Pressure) -> AlphaNCEStep:
        """The step of a run.

        Parameters
        ----------
        session : undertow.engines.Session
            What an engine made for the run.
        corpus : Corpus
            What is known of the documents.
        pressure : undertow.engines.Pressure
            What sparsity costs.

        Returns
        -------
        Step
            Turns minibatches into gradients.

        Raises
        ------
        InvalidInput
            Where the noise level is still "auto".

        Examples
        --------
        >>> from undertow.engines import Place
        >>> from undertow.learn import Corpus, Sparsity
        >>> step = AlphaNCE().begin(run.session, Corpus(200, 30), Sparsity().pressure)
        >>> batch = next(source.batches(seed=0, epoch=0, batch_size=50))
        >>> step.gradient(batch, Place(epoch=0, number=0)).finite
        True
        """
        if self.noise_level == "auto":
            raise InvalidInput(
                "noise_level must be chosen before a run begins, got 'auto', which estimators "
                "choose"
            )
        if self.normaliser == "learned":
            session.hold(CORRECTIONS, np.zeros(corpus.longest + 1), learned=True)
        return AlphaNCEStep(self, session, pressure)


def _checked_level(level: object) -> float | tuple[float, float] | str:
    share = partial(_check.number, at_least=0.0, below=1.0)
    if isinstance(level, tuple):
        if len(level) != 2:
            raise InvalidInput(
                f"noise_level must be one number, two numbers or 'auto', got {len(level)} numbers"
            )
        return _check.ascending("noise_level", level, share)
    if isinstance(level, str):
        return _check.one_of("noise_level", level, ("auto",))
    return share("noise_level", level)


class AlphaNCEStep:
    """Turns minibatches into gradients."""

    def __init__(self, options: AlphaNCE, session: Session, pressure: Pressure) -> None:
        self._session, self._pressure = session, pressure
        self._level: Any = options.noise_level
        self._noise = Noise(
            documents=options.n_noise,
            independent=options.noise == "independent",
            stream_length=options.stream_length,
        )
        self._objective = Objective(
            uniform=options.uniform,
            sharpness=SHARPNESS if options.sharpness == "auto" else options.sharpness,
            learns_visible_bias=options.visible_bias == "learned",
            corrections=CORRECTIONS if options.normaliser == "learned" else None,
        )

    @property
    def stands_still(self) -> tuple[str, ...]:
        """Parameters that have no gradient."""
        return () if self._objective.learns_visible_bias else ("visible_bias",)

    def steps(self, rules: tuple[AdamRule, ...], averaging: float) -> Steps:
        """Steps of `gradient` and of Adam, as an engine is told of many in advance."""
        return Steps(self._level, self._noise, self._objective, self._pressure, rules, averaging)

    def gradient(self, batch: CountBatch, place: Place) -> Gradient:
        """The gradient of J on one minibatch: keep words, draw noise, contrast."""
        kept = self._session.keep_words(batch, place, self._level)
        noise = self._session.draw_noise(kept, self._noise)
        return self._session.contrast(noise, self._objective, self._pressure)
