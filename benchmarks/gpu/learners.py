"""Figure 1 of the paper for this card: milliseconds of a minibatch by the number of words, for CD
and alpha-NCE, through the loop that estimators use.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from benchmarks.step import UNITS, bare, zipf_counts
from undertow.counts import CsrSource, idf_weights, word_distribution
from undertow.engines import find_engine
from undertow.learn import AlphaNCE, ContrastiveDivergence, Learner, Run, train
from undertow.model import initial_parameters

VOCABULARIES = (2_000, 10_000, 50_000, 200_000)
LEARNERS: dict[str, Learner] = {
    "CD-1": ContrastiveDivergence(n_steps=1),
    "CD-5": ContrastiveDivergence(n_steps=5),
    "alpha-NCE 5": AlphaNCE(n_noise=5, noise_level=0.5),
    "alpha-NCE 25": AlphaNCE(n_noise=25, noise_level=0.5),
}


def measure(devices: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each number of words and each device."""
    return [
        {"words": words, "device": device}
        | {name: _milliseconds(words, learner, device) for name, learner in LEARNERS.items()}
        for words in VOCABULARIES
        for device in devices
    ]


def _milliseconds(words: int, learner: Learner, device: str) -> float:
    """Of a minibatch of 128 documents, in whole epochs of 40."""
    counts = zipf_counts(words)
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    parameters = initial_parameters(UNITS, p, weights, 0)
    engine = find_engine("torch", device="cuda") if device == "cuda" else "cpu"
    sizes = {"documents": counts.shape[0], "longest": source.longest}
    run = Run(parameters, p, bare(learner), **sizes, engine=engine)
    train(run, source, epochs=1)
    begun, steps, epochs = time.perf_counter(), run.steps, 1
    while time.perf_counter() - begun < 1.0 and epochs < 8:
        epochs += 1
        train(run, source, epochs=epochs)
    if device == "cuda":
        torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begun) / (run.steps - steps)
