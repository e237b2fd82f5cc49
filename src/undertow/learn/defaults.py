"""What "auto" stands for: settings that suit the documents, by their number and their length.

docs/design_notes.md has the measurements that these numbers were chosen by.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from undertow import _check
from undertow.learn.alpha_nce import SHARPNESS, AlphaNCE
from undertow.learn.learner import Learner
from undertow.learn.optimizer import Adam, Optimizer
from undertow.learn.registry import find_optimizer
from undertow.learn.sparsity import COST, Sparsity

STEPS, FEWEST_EPOCHS, MOST_STEPS = 4500, 10, 40_000
FEW = 1000  # documents, below which sparsity counts less
LONG = 400.0  # weighted length from which on documents are long: `brevity`
SHORT = 300.0  # weighted length below which documents are short: `sharpness`
# small corpora: `pace` makes up for the steps that are saved
SHORT_STEPS, SHORT_EPOCHS, MOST_EPOCHS = 1500, 52, 167
MOST_REPLICAS, DOCUMENTS_A_REPLICA, BYTES_OF_REPLICAS = 4, 25_000, 2**31


def suited(learner: Learner, noise_level: Any, typical_length: float) -> Learner:
    """The learner with what is "auto" chosen for these documents."""
    chosen = {"noise_level": noise_level, "sharpness": sharpness(typical_length)}
    open_ones = [name for name in chosen if getattr(learner, name, None) == "auto"]
    if not open_ones:
        return learner
    found: Learner = replace(learner, **{name: chosen[name] for name in open_ones})  # type: ignore[type-var]
    return found


def sharpness(typical_length: float) -> float:
    """What "auto" stands for: 10, and less where documents are short.

    The uniform estimate divides a log-ratio by the length, so that of a short document is large
    already: sharpened as much as that of a long one, it leaves units nothing to learn, and they die
    (docs/design_notes.md, Short documents).
    """
    return (
        SHARPNESS * min(1.0, math.sqrt(typical_length / SHORT)) if typical_length > 0 else SHARPNESS
    )


def make_optimizer(
    optimizer: Any,
    learner: Learner,
    planned_steps: int = 0,
    typical_length: float = LONG,
    replicas: int = 1,
) -> Optimizer:
    """The optimizer given, or one that suits the learner, the planned steps (0: no end is known)
    and the documents.

    Planned steps are those of each replica, which goes as far in them as one alone. Weights shrink
    by the steps of all: these see as much as one alone would (docs/design_notes.md, Replicas).
    """
    if optimizer == "auto":
        if hasattr(learner, "usual_optimizer"):
            own: Optimizer = learner.usual_optimizer()
            return own
        usual, times = Adam(), pace(planned_steps)
        shrinking = pace(planned_steps * replicas)
        return replace(
            usual,
            learning_rate=usual.learning_rate * brevity(typical_length),
            annealing=usual.annealing * (1.0 + times) / 2.0,
            l2=usual.l2 * shrinking,
        )
    return find_optimizer(optimizer)


def brevity(typical_length: float) -> float:
    """1 for documents of usual length, less for long ones: what the learning rate is multiplied by.

    A unit's input is a sum over the words of a document, so a step of the weights moves the inputs
    of long documents further, and units die (docs/design_notes.md, Long documents).
    """
    return min(1.0, LONG / typical_length) if typical_length > 0 else 1.0


def make_sparsity(
    target: float, cost: Any, typical_length: float, documents: int = FEW
) -> Sparsity:
    """The sparsity given; at "auto" it counts less where documents are long, or few.

    Its gradient is not divided by a document's length, as that of alpha-NCE is: on long documents
    it would be all that is learned from. Few documents do not fill as many units as it would press
    into use.
    """
    if isinstance(cost, str):
        _check.one_of("sparsity_cost", cost, ("auto",))
        cost = COST * brevity(typical_length) ** 3 * min(1.0, documents / FEW)
    return Sparsity(target, cost)


def pace(planned_steps: int) -> float:
    """How much faster than in 4,500 steps a run has to learn: 3 for 1,500 steps or fewer; 1 where
    no end is known.

    L2 is multiplied by it, and the rate that annealing begins with by its mean with 1: at a pace of
    3, by 3 and by 2. A third of the steps loses quality without this, and nothing with it
    (docs/design_notes.md, Small corpora).
    """
    return min(max(STEPS / planned_steps, 1.0), STEPS / SHORT_STEPS) if planned_steps else 1.0


def epochs_for(max_epochs: Any, documents: int, batch_size: int) -> int:
    """The number of epochs given, or one that goes by the size of the corpus: a small one is seen
    more often.

    About 52 epochs, but 1,500 steps at least (below 3,700 documents in minibatches of 128) and
    4,500 at most (from 11,000 on); never more than 167 epochs (fewer than 1,150 documents). Ten
    epochs at least, unless they were more than 40,000 steps: a corpus of millions is seen a few
    times, or once.
    """
    if max_epochs == "auto":
        batches = math.ceil(documents / batch_size)
        steps = min(max(SHORT_EPOCHS * batches, SHORT_STEPS), STEPS)
        epochs = min(max(math.ceil(steps / batches), FEWEST_EPOCHS), MOST_EPOCHS)
        return max(min(epochs, MOST_STEPS // batches), 1)
    return _check.whole_number("max_epochs", max_epochs, at_least=1)


def replicas_for(
    replicas: Any, learner: Learner, optimizer: Any, documents: int, bytes_each: int
) -> int:
    """The number of replicas given, or one that goes by the number of documents (0: not known).

    2 from 50,000 documents on, 4 from 100,000: so each takes some 2,000 steps, which is as many as
    quality needs. Never more than four, however many documents there are: each costs some quality,
    and four have teams that keep 16 cores busy (docs/design_notes.md, Replicas). All replicas
    together take 2 GiB at most. More than one was measured for alpha-NCE with the usual optimizer
    alone; others have one.

    It does not go by the number of cores, since it is part of the result.
    """
    if replicas != "auto":
        return _check.whole_number("replicas", replicas, at_least=1)
    if not isinstance(learner, AlphaNCE) or optimizer != "auto":
        return 1
    found = MOST_REPLICAS
    while found > 1 and (
        documents < found * DOCUMENTS_A_REPLICA or found * bytes_each > BYTES_OF_REPLICAS
    ):
        found //= 2
    return found
