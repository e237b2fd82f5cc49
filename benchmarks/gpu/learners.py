"""Figure 1 of the paper for this card: milliseconds of a minibatch by the number of words, for CD
and alpha-NCE, through the loop that estimators use.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.gpu.documents import DEVICE, UNITS, wait
from benchmarks.step import bare, zipf_counts
from undertow.counts import CsrSource, idf_weights, word_distribution
from undertow.engines.torch import TorchEngine
from undertow.learn import AlphaNCE, ContrastiveDivergence, Learner, Run, train
from undertow.model import initial_parameters

VOCABULARIES = (2_000, 10_000, 50_000, 200_000, 1_000_000)
BATCH = 128
LEARNERS: dict[str, tuple[Learner, int]] = {  # with minibatches of an epoch
    "CD-1": (ContrastiveDivergence(n_steps=1), 40),
    "CD-5": (ContrastiveDivergence(n_steps=5), 20),
    "alpha-NCE 5": (AlphaNCE(n_noise=5, noise_level=0.5), 512),
    "alpha-NCE 25": (AlphaNCE(n_noise=25, noise_level=0.5), 512),
}


def measure(tiny: bool) -> list[dict[str, Any]]:
    """A row for each number of words."""
    vocabularies = (50,) if tiny else VOCABULARIES
    return [
        {"words": words} | {name: _milliseconds(words, *LEARNERS[name], tiny) for name in LEARNERS}
        for words in vocabularies
    ]


def _milliseconds(words: int, learner: Learner, batches: int, tiny: bool) -> float:
    """Of a minibatch of 128 documents, in whole epochs."""
    counts = zipf_counts(words, 3, 9) if tiny else zipf_counts(words, batches * BATCH)
    weights, p = idf_weights(counts), word_distribution(counts)
    engine = TorchEngine(DEVICE.type)
    source = engine.source(CsrSource(counts, weights))  # once, as fits do, and not each epoch
    parameters = initial_parameters(UNITS, p, weights, 0)
    sizes = {"documents": counts.shape[0], "longest": source.longest}
    run = Run(parameters, p, bare(learner), **sizes, engine=engine)
    train(run, source, epochs=2)  # compiles; and takes the first stretches
    wait()
    began, before, epochs = time.perf_counter(), run.steps, 2
    while run.steps == before or (time.perf_counter() - began < 1.0 and epochs < 10):
        epochs += 1
        train(run, source, epochs=epochs)
    wait()
    taken = 1e3 * (time.perf_counter() - began) / (run.steps - before)
    print(f"{words} words, {type(learner).__name__}: {taken:.3f} ms", flush=True)
    return taken
