"""Choosing the noise level without labels: short runs, judged by questions that documents held out
can ask.

Close to the data, noise teaches fine differences but little else; far from it, it is told apart by
a few words. What is right between the two depends on the corpus. Half of a document asks, and what
it finds should share words with the other half (`undertow.tasks.UnseenHalves`). Split-half
retrieval, which asks for the other half itself, prefers levels that tell documents apart better
than they group them (docs/design_notes.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.learn.defaults import STEPS
from undertow.tasks import UnseenHalves, splittable

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHARE_OF_STEPS = 0.25  # of the run to come: what each level is tried for
FOUND_AMONG = 8000  # training documents, at most
# trials are short and noisy, and the longer a run, the higher the level that serves it best
TOLERANCE = 0.03


def trial_epochs(epochs: int, documents: int, sample: int, batch_size: int) -> int:
    """How long each level is tried on a sample of the documents, before a run of so many epochs
    over all of them.
    """
    # the run's own steps, but no more than a run on the sample alone would be given
    if sample < documents:
        steps = min(epochs * math.ceil(documents / batch_size), STEPS)
        epochs = math.ceil(steps / math.ceil(sample / batch_size))
    return max(math.ceil(epochs * SHARE_OF_STEPS), 1)


def questions(held_out: sparse.csr_array, known: sparse.csr_array) -> UnseenHalves:
    """Halves of the held-out documents, and training documents to find."""
    documents = len(splittable(held_out))
    if documents < 2:
        raise InvalidInput(
            f"noise_level='auto' needs at least two held-out documents of two tokens, got "
            f"{documents}: give a number"
        )
    # evenly, as rows may be sorted
    rows = np.unique(np.linspace(0, known.shape[0] - 1, FOUND_AMONG).astype(np.int64))
    return UnseenHalves(held_out, known[rows])


def figures(trial: Callable[[float], float], *, verbose: int) -> dict[float, float]:
    """The figure of each level tried; `best` says which of them to take."""
    found: dict[float, float] = {}
    with _progress(verbose) as show:
        for level in LEVELS:
            found[level] = trial(level)
            show(level, found[level])
    return found


def best(figures: dict[float, float]) -> float:
    """The highest level whose figure is about as good as the best one."""
    enough = (1.0 - TOLERANCE) * max(figures.values())
    return max(level for level, figure in figures.items() if figure >= enough)


@contextmanager
def _progress(verbose: int) -> Iterator[Callable[[float, float], None]]:
    if not verbose:
        yield lambda level, figure: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from undertow._bars import progress

    columns = (
        TextColumn("noise level"),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.description}"),
    )
    with progress(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=len(LEVELS))
        yield lambda level, figure: bar.update(
            task, advance=1, description=f"{level:g}: {figure:.2f} times chance"
        )
