"""Choosing the noise level without labels: short runs, judged by split-half retrieval of documents held out.

Close to the data, noise teaches fine differences but little else; far from it, it is told apart by a few words. What
is right between the two depends on the corpus. One half of a document finds the other the more often, the more the
vectors say about what the document is about, and no label is needed to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from undertow._errors import InvalidInput
from undertow.learn import Run

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHARE_OF_STEPS = 0.25  # of the run to come: what each level is tried for


def figures(
    trial: Callable[[float], Run], measure: Callable[[Run], float | None], *, verbose: int
) -> dict[float, float]:
    """The split-half figure of each level tried; `best` says which of them to take."""
    found: dict[float, float] = {}
    with _progress(verbose) as show:
        for level in LEVELS:
            figure = measure(trial(level))
            if figure is None:
                raise InvalidInput(
                    "noise_level='auto' needs at least two held-out documents of two tokens, got fewer: give a number"
                )
            found[level] = figure
            show(level, figure)
    return found


def best(figures: dict[float, float]) -> float:
    """The level of the highest figure; the lower one of two that are equal."""
    return max(figures, key=lambda level: (figures[level], -level))


@contextmanager
def _progress(verbose: int) -> Iterator[Callable[[float, float], None]]:
    if not verbose:
        yield lambda level, figure: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("noise level"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=len(LEVELS))
        yield lambda level, figure: bar.update(task, advance=1, description=f"{level:g}: split-half {figure:.3f}")
