"""Training through the estimator's defaults, which is what users get: seconds over the size of the
vocabulary.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from benchmarks.effort import Effort
from benchmarks.progress import Say
from benchmarks.step import TOKENS, UNITS, zipf_counts
from benchmarks.tables import Sheet, columns_of
from undertow import ReplicatedSoftmax

DOCUMENTS, EPOCHS = 50_000, 3


def measure(effort: Effort, say: Say) -> dict[str, Any]:
    """Seconds of an epoch and of a whole fit of some epochs, and both as multiples of those at the
    smallest vocabulary. Sizes take turns.
    """
    sizes = effort.estimator_vocabularies
    epoch: dict[int, list[float]] = {size: [] for size in sizes}
    whole: dict[int, list[float]] = {size: [] for size in sizes}
    for number in range(effort.estimator_rounds):
        for size in sizes:
            say(f"fit {number + 1} of {effort.estimator_rounds} at K={size:,}")
            counts = zipf_counts(size, DOCUMENTS)
            model = ReplicatedSoftmax(UNITS, max_epochs=EPOCHS, random_state=0)
            began = time.perf_counter()
            model.fit(counts)
            whole[size].append(time.perf_counter() - began)
            # the first epoch touches fresh memory, which a longer training soon forgets
            epoch[size].append(statistics.median(one.seconds for one in model.history_[1:]))
    return {
        "epoch": _figures(epoch),
        "fit": _figures(whole),
        "documents": DOCUMENTS,
        "epochs": EPOCHS,
    }


def _figures(seconds: dict[int, list[float]]) -> dict[str, dict[str, float]]:
    medians = {size: statistics.median(found) for size, found in seconds.items()}
    smallest = next(iter(medians.values()))
    return {
        "seconds": {str(size): found for size, found in medians.items()},
        "growth": {str(size): found / smallest for size, found in medians.items()},
    }


def sheets(found: dict[str, Any]) -> list[Sheet]:
    """A row per vocabulary."""
    columns = {
        "epoch, s": found["epoch"]["seconds"],
        "times": found["epoch"]["growth"],
        f"fit of {found['epochs']} epochs, s": found["fit"]["seconds"],
        "times the smallest": found["fit"]["growth"],
    }
    title = (
        f"The estimator's defaults, H={UNITS}: {found['documents']:,} documents of {TOKENS} tokens"
    )
    return [columns_of(title, "words K", columns)]
