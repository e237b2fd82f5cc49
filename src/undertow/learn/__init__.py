"""Learning a Replicated Softmax model: alpha-NCE, NCE, CD, PCD, CD by Metropolis-Hastings and ratio
matching, their optimizers, and the training loop.

Learners and optimizers say what they want of an engine's session (`undertow.engines`), and know
nothing of threads or devices. docs/extending.md has a learner and an optimizer of one's own.

Examples
--------
A run over 200 documents of 30 words. The examples of this package go on from it.

>>> import numpy as np
>>> from undertow.counts import CsrSource, checked_counts, word_distribution
>>> from undertow.learn import Run, Settings, train
>>> from undertow.model import initial_parameters
>>> counts = checked_counts(np.random.default_rng(0).poisson(0.5, (200, 30)))
>>> source, p = CsrSource(counts), word_distribution(counts)
>>> parameters = initial_parameters(8, p, np.ones(30), seed=0)
>>> run = Run(parameters, p, Settings(batch_size=50), documents=200, longest=source.longest)
>>> run = train(run, source, epochs=2)
>>> len(run.history), run.steps, run.result().weights.shape
(2, 8, (30, 8))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.learn.alpha_nce import AlphaNCE
    from undertow.learn.deep_divergence import DeepDivergence
    from undertow.learn.divergence import ContrastiveDivergence
    from undertow.learn.history import EpochRecord
    from undertow.learn.learner import Corpus, Learner, Step
    from undertow.learn.loop import train
    from undertow.learn.merging import Moved, added
    from undertow.learn.metropolis import MetropolisDivergence
    from undertow.learn.optimizer import SGD, Adam, Moment, Optimizer, Updater
    from undertow.learn.options import Options
    from undertow.learn.ratio_matching import RatioMatching
    from undertow.learn.registry import register_learner, register_optimizer
    from undertow.learn.run import Run
    from undertow.learn.settings import Settings
    from undertow.learn.sparsity import Sparsity

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.learn.alpha_nce": ("AlphaNCE",),
        "undertow.learn.deep_divergence": ("DeepDivergence",),
        "undertow.learn.divergence": ("ContrastiveDivergence",),
        "undertow.learn.history": ("EpochRecord",),
        "undertow.learn.learner": ("Corpus", "Learner", "Step"),
        "undertow.learn.loop": ("train",),
        "undertow.learn.merging": ("Moved", "added"),
        "undertow.learn.metropolis": ("MetropolisDivergence",),
        "undertow.learn.optimizer": ("SGD", "Adam", "Moment", "Optimizer", "Updater"),
        "undertow.learn.options": ("Options",),
        "undertow.learn.ratio_matching": ("RatioMatching",),
        "undertow.learn.registry": ("register_learner", "register_optimizer"),
        "undertow.learn.run": ("Run",),
        "undertow.learn.settings": ("Settings",),
        "undertow.learn.sparsity": ("Sparsity",),
    },
)

__all__ = [
    "SGD",
    "Adam",
    "AlphaNCE",
    "ContrastiveDivergence",
    "Corpus",
    "DeepDivergence",
    "EpochRecord",
    "Learner",
    "MetropolisDivergence",
    "Moment",
    "Moved",
    "Optimizer",
    "Options",
    "RatioMatching",
    "Run",
    "Settings",
    "Sparsity",
    "Step",
    "Updater",
    "added",
    "register_learner",
    "register_optimizer",
    "train",
]
