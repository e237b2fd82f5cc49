"""Training behind the estimator: the run, how long it goes on, and when it stops early."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow import _check
from undertow._errors import InvalidInput
from undertow.counts import CountBatch, CsrSource
from undertow.kernels import randomness
from undertow.learn import Adam, AlphaNCE, ContrastiveDivergence, EpochRecord, Run, train
from undertow.learn.optimiser import Optimiser
from undertow.learn.step import Learner
from undertow.model import Parameters, posteriors
from undertow.tasks import split_half_mrr, split_halves, splittable

HELD_OUT_AT_MOST = 2000
WATCHED_AT_MOST = 500  # documents whose split-half figure the progress bar shows
STEPS, FEWEST_EPOCHS, MOST_EPOCHS = 4500, 10, 500

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
    raise InvalidInput(f"learner must be one of {names}, an AlphaNCE or a ContrastiveDivergence, got {learner!r}")


def make_optimiser(optimizer: Any, learner: Learner) -> Optimiser:
    """The optimiser given, or the one that suits the learner."""
    if optimizer == "auto":
        if isinstance(learner, ContrastiveDivergence):
            return Adam(learning_rate=0.001, hidden_bias_rate=1.0, annealing=0.0)
        return Adam()
    if hasattr(optimizer, "begin"):
        chosen: Optimiser = optimizer
        return chosen
    raise InvalidInput(f"optimizer must be 'auto', an Adam or an SGD, got {optimizer!r}")


def epochs_for(max_epochs: Any, documents: int, batch_size: int) -> int:
    """The number of epochs given, or as many as make about 4,500 steps: a small corpus is seen more often."""
    if max_epochs == "auto":
        batches = math.ceil(documents / batch_size)
        return min(max(math.ceil(STEPS / batches), FEWEST_EPOCHS), MOST_EPOCHS)
    return _check.whole_number("max_epochs", max_epochs, at_least=1)


def hold_out(counts: sparse.csr_array, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to train on and rows held out, by a number drawn for each row."""
    rows = np.arange(counts.shape[0])
    order = np.argsort(randomness.uniforms(seed, randomness.Purpose.HOLD_OUT, 0, 0, rows, 0), kind="stable")
    size = min(round(fraction * len(rows)), HELD_OUT_AT_MOST)
    return np.sort(order[size:]), np.sort(order[:size])


class SplitHalf:
    """Watches split-half retrieval of some documents."""

    def __init__(self, counts: sparse.csr_array, at_most: int = WATCHED_AT_MOST) -> None:
        self._halves = split_halves(counts[splittable(counts)[:at_most]], seed=0)

    def measure(self, run: Run) -> float | None:
        """The split-half figure of the present parameters; None where there are no two documents to tell apart."""
        if self._halves[0].shape[0] < 2:
            return None
        parameters = run.result()
        return split_half_mrr(*(posteriors(parameters, CountBatch.from_csr(half)) for half in self._halves))

    def should_stop(self, record: EpochRecord) -> bool:
        """Only watches."""
        return False


class EarlyStopping(SplitHalf):
    """Stops when split-half retrieval of held-out documents has not risen for a while; keeps the best parameters."""

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
    source: CsrSource,
    *,
    epochs: int,
    watch: SplitHalf | None,
    callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]],
    caller: Any,
    verbose: int,
) -> None:
    """Trains, showing a bar if asked to."""
    with _progress(epochs - run.epoch, verbose) as show:

        def after_epoch(run: Run, record: EpochRecord) -> bool:
            show(record)
            answers = [callback(caller, record) for callback in callbacks]
            return any(answers) or (watch is not None and watch.should_stop(record))

        train(run, source, epochs=epochs, measure=watch.measure if watch else None, on_epoch=after_epoch)


@contextmanager
def _progress(epochs: int, verbose: int) -> Iterator[Callable[[EpochRecord], None]]:
    if not verbose:
        yield lambda record: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("epoch"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=epochs)

        def show(record: EpochRecord) -> None:
            speed = record.tokens / max(record.seconds, 1e-9) / 1e6
            retrieval = "" if record.split_half is None else f", split-half {record.split_half:.3f}"
            bar.update(task, advance=1, description=f"loss {record.loss:.4f}{retrieval}, {speed:.1f} M tokens/s")

        yield show
