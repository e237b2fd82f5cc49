"""Learning a Replicated Softmax model: alpha-NCE, NCE, CD and PCD, their optimizers, and the
training loop.
"""

from undertow.learn.alpha_nce import AlphaNCE
from undertow.learn.divergence import ContrastiveDivergence
from undertow.learn.history import EpochRecord
from undertow.learn.learner import Corpus, Learner
from undertow.learn.loop import train
from undertow.learn.optimizer import SGD, Adam, Moment, Optimizer
from undertow.learn.run import Run, Settings
from undertow.learn.sparsity import Sparsity

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
    "Run",
    "Settings",
    "Sparsity",
    "train",
]
