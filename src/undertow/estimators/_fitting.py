"""Training behind the estimator: the run, how long it goes on, and when it stops early."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CountSource
from undertow.estimators import _progress
from undertow.estimators._documents import HELD_OUT_AT_MOST
from undertow.learn import Adam, AlphaNCE, ContrastiveDivergence, EpochRecord, Run, Sparsity, train
from undertow.learn.alpha_nce import SHARPNESS
from undertow.learn.learner import Learner
from undertow.learn.optimizer import Optimizer
from undertow.model import Parameters
from undertow.tasks import split_half_mrr, split_halves, splittable
from undertow.vectors import posteriors

WATCHED_AT_MOST = 500  # documents whose split-half figure the progress bar shows
STEPS, FEWEST_EPOCHS, MOST_STEPS = 4500, 10, 40_000
SPARSITY_COST = 0.3
FEW = 1000  # documents, below which sparsity counts less
LONG = 400.0  # weighted length from which on documents are long: `brevity`
SHORT = 300.0  # weighted length below which documents are short: `sharpness`
SHORT_STEPS, SHORT_EPOCHS, MOST_EPOCHS = (
    1500,
    52,
    167,
)  # small corpora: `pace` makes up for the steps that are saved

LEARNERS: dict[str, Callable[[], Learner]] = {
    "alpha-nce": lambda: AlphaNCE(noise_level=0.7),
    "nce": lambda: AlphaNCE(
        noise_level=0.0, uniform=False, sharpness=1.0, visible_bias="learned", normaliser="learned"
    ),
    "cd": ContrastiveDivergence,
    "pcd": lambda: ContrastiveDivergence(persistent=True),
}


def make_learner(learner: Any) -> Learner:
    """The learner that a name stands for, or the one given."""
    if isinstance(learner, (AlphaNCE, ContrastiveDivergence)):
        return learner
    if isinstance(learner, str) and learner in LEARNERS:
        return LEARNERS[learner]()
    names = ", ".join(repr(name) for name in LEARNERS)
    raise InvalidInput(
        f"learner must be one of {names}, an AlphaNCE or a ContrastiveDivergence, got {learner!r}"
    )


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
    optimizer: Any, learner: Learner, planned_steps: int = 0, typical_length: float = LONG
) -> Optimizer:
    """The optimizer given, or one that suits the learner, the planned steps (0: no end is known)
    and the documents.
    """
    if optimizer == "auto":
        if isinstance(learner, ContrastiveDivergence):
            return Adam(learning_rate=0.001, hidden_bias_rate=1.0, annealing=0.0)
        usual, times = Adam(), pace(planned_steps)
        return replace(
            usual,
            learning_rate=usual.learning_rate * brevity(typical_length),
            annealing=usual.annealing * (1.0 + times) / 2.0,
            l2=usual.l2 * times,
        )
    if hasattr(optimizer, "begin"):
        chosen: Optimizer = optimizer
        return chosen
    raise InvalidInput(f"optimizer must be 'auto', an Adam or an SGD, got {optimizer!r}")


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
        cost = SPARSITY_COST * brevity(typical_length) ** 3 * min(1.0, documents / FEW)
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


class SplitHalf:
    """Watches split-half retrieval of some documents."""

    def __init__(self, counts: sparse.csr_array, at_most: int = WATCHED_AT_MOST) -> None:
        self._halves = split_halves(counts[splittable(counts)[:at_most]], seed=0)

    def measure(self, run: Run) -> float | None:
        """The split-half figure of the present parameters; None where there are no two documents to
        tell apart.
        """
        if self._halves[0].shape[0] < 2:
            return None
        parameters = run.result()
        return split_half_mrr(
            *(posteriors(parameters, CountBatch.from_csr(half)) for half in self._halves)
        )

    def should_stop(self, record: EpochRecord) -> bool:
        """Only watches."""
        return False


class EarlyStopping(SplitHalf):
    """Stops when split-half retrieval of held-out documents has not risen for a while; keeps the
    best parameters.
    """

    def __init__(self, held_out: sparse.csr_array, patience: int) -> None:
        documents = len(splittable(held_out))
        if documents < 2:
            raise InvalidInput(
                "early_stopping needs at least two held-out documents of two tokens, "
                f"got {documents}: set early_stopping=False or raise validation_fraction"
            )
        super().__init__(held_out, at_most=HELD_OUT_AT_MOST)
        self._patience = patience
        self._best, self._best_epoch = -math.inf, 0
        self.parameters: Parameters | None = None

    def measure(self, run: Run) -> float | None:
        figure = super().measure(run)
        if figure is not None and figure > self._best:
            self._best, self._best_epoch, self.parameters = figure, run.epoch, run.result().copy()
        return figure

    def should_stop(self, record: EpochRecord) -> bool:
        """Whether the best epoch lies too far back."""
        return record.epoch - self._best_epoch >= self._patience


def run_epochs(
    run: Run,
    source: CountSource,
    *,
    epochs: int,
    watch: SplitHalf | None,
    callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]],
    caller: Any,
    verbose: int,
) -> None:
    """Trains, showing a bar if asked to."""
    left = epochs - run.epoch
    with _progress.training(
        left, left * math.ceil(source.documents / run.settings.batch_size), verbose
    ) as bar:

        def after_epoch(run: Run, record: EpochRecord) -> bool:
            bar.epoch(record)
            answers = [callback(caller, record) for callback in callbacks]
            return any(answers) or (watch is not None and watch.should_stop(record))

        measure = watch.measure if watch else None
        train(run, source, epochs=epochs, measure=measure, on_batch=bar.batch, on_epoch=after_epoch)
