"""Learning a Replicated Softmax model: alpha-NCE, NCE, CD and PCD, their optimizers, and the
training loop.

Learners and optimizers say what they want of an engine's session (`undertow.engines`), and know
nothing of threads or devices. docs/extending.md has a learner of one's own as an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from undertow import _lazy

if TYPE_CHECKING:
    from undertow.learn.alpha_nce import AlphaNCE
    from undertow.learn.divergence import ContrastiveDivergence
    from undertow.learn.history import EpochRecord
    from undertow.learn.learner import Corpus, Learner, Step
    from undertow.learn.loop import train
    from undertow.learn.optimizer import SGD, Adam, Moment, Optimizer, Updater
    from undertow.learn.options import Options
    from undertow.learn.registry import register_learner, register_optimizer
    from undertow.learn.run import Run, Settings
    from undertow.learn.sparsity import Sparsity

__getattr__, __dir__ = _lazy.names_of(
    __name__,
    {
        "undertow.learn.alpha_nce": ("AlphaNCE",),
        "undertow.learn.divergence": ("ContrastiveDivergence",),
        "undertow.learn.history": ("EpochRecord",),
        "undertow.learn.learner": ("Corpus", "Learner", "Step"),
        "undertow.learn.loop": ("train",),
        "undertow.learn.optimizer": ("SGD", "Adam", "Moment", "Optimizer", "Updater"),
        "undertow.learn.options": ("Options",),
        "undertow.learn.registry": ("register_learner", "register_optimizer"),
        "undertow.learn.run": ("Run", "Settings"),
        "undertow.learn.sparsity": ("Sparsity",),
    },
)

__all__ = [
    "SGD",
    "Adam",
    "AlphaNCE",
    "ContrastiveDivergence",
    "Corpus",
    "EpochRecord",
    "Learner",
    "Moment",
    "Optimizer",
    "Options",
    "Run",
    "Settings",
    "Sparsity",
    "Step",
    "Updater",
    "register_learner",
    "register_optimizer",
    "train",
]
