"""What estimators show while they work, if they are asked to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from undertow.learn import EpochRecord, Run

if TYPE_CHECKING:
    from undertow.files.scratch import Scratch

EVERY = 0.1  # seconds between two updates: a minibatch takes a few milliseconds
WORTH_SAYING = 0.05  # the share of time spent waiting for minibatches from which on it is shown


class TrainingBar:
    """A bar that moves with the minibatches, with the time that is left; silent unless verbose."""

    def __init__(self, bar: Any, task: Any, per_epoch: int = 0) -> None:
        self._bar, self._task, self._per_epoch = bar, task, per_epoch
        self._steps = self._epochs = 0
        self._retrieval = ""
        self._next = time.monotonic() + EVERY

    def batch(self, run: Run) -> None:
        """After a minibatch, or several."""
        self._steps = self._epochs * self._per_epoch + run.batch
        if time.monotonic() < self._next:
            return
        tally = run.tally
        self._show(tally.loss / max(tally.documents, 1), tally.tokens, tally.seconds, tally.waited)
        self._next = time.monotonic() + EVERY

    def epoch(self, record: EpochRecord) -> None:
        """After an epoch."""
        self._epochs += 1
        self._steps = self._epochs * self._per_epoch
        self._retrieval = (
            "" if record.split_half is None else f", split-half {record.split_half:.3f}"
        )
        self._show(record.loss, record.tokens, record.seconds, record.waited)

    def _show(self, loss: float, tokens: int, seconds: float, waited: float) -> None:
        if self._bar is None:
            return
        seconds = max(seconds, 1e-9)
        idle = (
            f", waited {waited / seconds:.0%}"
            if waited > max(WORTH_SAYING * seconds, EVERY)
            else ""
        )
        text = f"loss {loss:.4f}{self._retrieval}, {tokens / seconds / 1e6:.1f} M tokens/s{idle}"
        self._bar.update(self._task, completed=self._steps, done=self._epochs, description=text)


@contextmanager
def training(epochs: int, per_epoch: int, verbose: int) -> Iterator[TrainingBar]:
    """A bar for so many epochs of so many minibatches each."""
    if not verbose:
        yield TrainingBar(None, None)
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    from undertow._bars import progress

    counter = TextColumn(f"epoch {{task.fields[done]}}/{epochs}")
    with progress(
        counter, BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn()
    ) as bar:
        yield TrainingBar(bar, bar.add_task("", total=epochs * per_epoch, done=0), per_epoch)


@contextmanager
def reading(verbose: int, scratch: Scratch) -> Iterator[Callable[[str, int], None]]:
    """A line that counts documents, to be told of each chunk what was done with how many."""
    if not verbose:
        yield lambda work, documents: None
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    from undertow._bars import progress

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    began, counted = time.monotonic(), {}
    with progress(*columns) as line:
        task = line.add_task("reading", total=None)

        def show(work: str, documents: int) -> None:
            nonlocal began
            if work not in counted:
                began, counted[work] = time.monotonic(), 0
            counted[work] += documents
            speed = counted[work] / max(time.monotonic() - began, 1e-3)
            line.update(
                task, description=f"{work} {counted[work]:,} documents, {speed:,.0f} a second"
            )
            if scratch.used and "on disk" not in counted:
                counted["on disk"] = 0
                message = (
                    f"Counts do not fit into the memory granted: they go to {scratch.folder} for "
                    f"the time being."
                )
                line.console.print(message, soft_wrap=True, highlight=False)

        yield show


@contextmanager
def growing(verbose: int) -> Iterator[None]:
    """A spinner while the tree of topics grows, which takes seconds."""
    if not verbose:
        yield
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    from undertow._bars import progress

    with progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as line:
        task = line.add_task("growing the tree of topics", total=None)
        yield
        line.update(task, description="grew the tree of topics")


@contextmanager
def annealing(verbose: int) -> Iterator[Callable[[float], None] | None]:
    """A bar that is told the share of the work that is done."""
    if not verbose:
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    from undertow._bars import progress

    columns = (TextColumn("annealing"), BarColumn(), TimeRemainingColumn())
    with progress(*columns) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda done: bar.update(task, completed=done)
