"""Results, counts and texts small enough for tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.effort import Effort
from benchmarks.quality import Labelled

TINY = Effort(
    "tiny",
    rounds=1,
    steps=2,
    vocabularies=(50, 100),
    divergence_vocabularies=(50,),
    thread_vocabularies=(50,),
    noises=(1, 2),
    units=(8, 16),
    starts=1,
    cold_fit=False,
    short_texts=50,
    reviews=5,
    documents=(20, 40),
    topics=8,
    fits=(1, 2),
    systems=("undertow", "LSA"),
    workers=(1,),
    seconds=5.0,
    due=(0.0,),
)


def labelled(documents: int = 60, words: int = 40) -> Labelled:
    """Documents of two labels, each with words of its own."""
    generator = np.random.default_rng(0)
    labels = np.arange(documents) % 2
    rates = np.where((np.arange(words) % 2)[None, :] == labels[:, None], 1.0, 0.1)
    counts = sparse.csr_array(np.minimum(generator.poisson(rates), 3).astype(np.int32))
    half = documents * 2 // 3
    return Labelled(counts[:half], counts[half:], labels[:half], labels[half:])


def reviews() -> list[str]:
    """Texts of 100 words."""
    generator = np.random.default_rng(0)
    words = [f"word{number}" for number in range(30)]
    return [" ".join(generator.choice(words, 100)) for _ in range(20)]


def results() -> dict[str, Any]:
    """A run with a figure for every plot."""
    times = {"2000": 1.5, "20000": 1.75}
    system = {
        "version": "1.0",
        "workers": 2,
        "tokens_per_second": 5e6,
        "documents_per_second": 1e6,
        "memory_mib": 300.0,
        "best_map": 0.4,
        "kind": "posterior",
        "curves": {"posterior": [[2.0, 0.4], [1.0, 0.3]]},
        "seconds_to": {"posterior": {"0.200": 1.0, "0.259": 1.0, "0.380": 2.0}},
    }
    worse = {**system, "best_map": 0.25, "tokens_per_second": 9e6, "kind": "shares"}
    worse |= {"seconds_to": {"shares": {"0.200": 0.5, "0.259": None, "0.380": None}}}
    return {
        "machine": {
            "date": "2026-01-02",
            "processor": "made up",
            "cores": 2,
            "memory_gib": 1,
            "system": "Linux",
            "python": "3.11",
            "versions": {},
        },
        "time": "2026-01-02T03:04:05+00:00",
        "effort": "full",
        "steps": {
            "ms": times,
            "growth": {"20000": 1.2, "200000": 1.25},
            "loop_tokens_per_second": 6e6,
            "over_yardstick": 2.0,
        },
        "divergence": {"cd1_ms": times, "cd5_ms": times, "cd1_over_alpha_nce": {"20000": 7.0}},
        "growth": {
            "noises": {"ms": {"1": 1.0, "100": 2.0}},
            "units": {"ms": {"32": 1.0, "64": 1.5}},
        },
        "threads": {"gain": {"2000": 1.8}},
        "quality": {
            "systems": {"undertow": system, "another": worse},
            "skipped": {"third": "not installed"},
        },
    }
