"""A first small fit in a process of its own, timed: `python -m benchmarks.first_fit`.

Where numba's cache is empty, this is what a new user waits for.
"""

from __future__ import annotations

import json
import time

from benchmarks.step import zipf_counts
from undertow.estimators import ReplicatedSoftmax

DOCUMENTS, WORDS, TOPICS = 256, 500, 32


def main() -> None:
    """Prints the seconds of a fit and of a transform after it, as JSON."""
    counts = zipf_counts(WORDS, DOCUMENTS, 20)
    began = time.perf_counter()
    ReplicatedSoftmax(TOPICS, max_epochs=1, random_state=0).fit(counts).transform(counts)
    print(json.dumps({"seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
