"""Training behind the estimator: the run, how long it goes on, and when it stops early."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from scipy import sparse

from undertow._errors import InvalidInput, ModelFileError
from undertow.counts import CountBatch, CountSource
from undertow.estimators import _progress
from undertow.estimators._documents import HELD_OUT_AT_MOST
from undertow.learn import EpochRecord, Run, train
from undertow.model import Parameters
from undertow.tasks import split_half_mrr, split_halves, splittable
from undertow.vectors import posteriors

if TYPE_CHECKING:
    from undertow.estimators._saving import Saving

WATCHED_AT_MOST = 500  # documents whose split-half figure the progress bar shows


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

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint has to hold of it, as plain data and arrays."""
        best = None if self.parameters is None else self._best
        arrays = {} if self.parameters is None else self.parameters.arrays()
        return {"best": best, "best_epoch": self._best_epoch}, dict(arrays)

    def restore(
        self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], run: Run
    ) -> None:
        """Brings it to what `state` gave."""
        self._best_epoch = int(facts["best_epoch"])
        if facts["best"] is not None:
            self._best = float(facts["best"])
            own = run.parameters.arrays()
            if _forms(arrays) != _forms(own):
                raise ModelFileError(
                    f"the best parameters in a checkpoint must have the forms {_forms(own)}, got "
                    f"{_forms(arrays)!s:.300}"
                )
            self.parameters = replace(run.parameters.copy(), **arrays)

    def measure(self, run: Run) -> float | None:
        figure = super().measure(run)
        if figure is not None and figure > self._best:
            self._best, self._best_epoch, self.parameters = figure, run.epoch, run.result().copy()
        return figure

    def should_stop(self, record: EpochRecord) -> bool:
        """Whether the best epoch lies too far back."""
        return record.epoch - self._best_epoch >= self._patience


def _forms(arrays: Mapping[str, NDArray[Any]]) -> dict[str, tuple[object, ...]]:
    """Names, shapes and types."""
    return {name: (*array.shape, array.dtype.name) for name, array in sorted(arrays.items())}


def run_epochs(
    run: Run,
    source: CountSource,
    *,
    epochs: int,
    watch: SplitHalf | None,
    callbacks: Sequence[Callable[[Any, EpochRecord], bool | None]],
    caller: Any,
    verbose: int,
    saving: Saving | None = None,
) -> None:
    """Trains, showing a bar if asked to, and saving what a fit goes on from."""
    per_epoch = math.ceil(source.documents / run.settings.batch_size)
    with (
        _progress.training(epochs - run.epoch, per_epoch, verbose) as bar,
        nullcontext() if saving is None else saving.interruptible(),
    ):

        def after_epoch(run: Run, record: EpochRecord) -> bool:
            bar.epoch(record)
            answers = [callback(caller, record) for callback in callbacks]
            stop = any(answers) or (watch is not None and watch.should_stop(record))
            if saving is not None and not stop:
                saving.epoch(run)
            return stop

        def after_batch(run: Run) -> None:
            bar.batch(run)
            if saving is not None:
                saving.batch(run)

        measure = watch.measure if watch else None
        train(
            run, source, epochs=epochs, measure=measure, on_batch=after_batch, on_epoch=after_epoch
        )
        if saving is not None:
            saving.end(run)
