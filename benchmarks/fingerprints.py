"""Digests of small training runs: a move of code that should change nothing is held against them.

    python -m benchmarks.fingerprints --write before.json
    ... move the code ...
    python -m benchmarks.fingerprints --compare before.json
    python -m benchmarks.fingerprints --record      # keeps those that the tests look at

Every learner, kind of noise, optimizer, number of threads, sparsity and averaging is in one run at
least. The digests are of all parameters and losses, bit by bit. They hold for one kind of
processor and one version of numba: kernels are compiled for the machine at hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from undertow import ReplicatedSoftmax
from undertow.counts import CsrSource, checked_counts, idf_weights, word_distribution
from undertow.learn import (
    SGD,
    Adam,
    AlphaNCE,
    ContrastiveDivergence,
    MetropolisDivergence,
    RatioMatching,
    Run,
    Settings,
    Sparsity,
    train,
)
from undertow.model import initial_parameters

WINDOWS = AlphaNCE(noise_level=0.5, stream_length=256)
ELEMENTS = Adam(moments="element", momentum=0.9)
SOME = Sparsity(0.1, 0.5)

# name -> learner, optimizer, sparsity, averaging, threads, hidden units
RUNS: dict[str, tuple[Any, Any, Sparsity, float, int, int]] = {
    "windows": (WINDOWS, Adam(), Sparsity(cost=0.0), 0.0, 1, 70),
    "windows, sparse": (WINDOWS, Adam(), SOME, 0.0, 2, 70),
    "windows, averaged": (WINDOWS, Adam(), SOME, 0.9, 2, 128),
    "windows, three threads": (WINDOWS, Adam(), SOME, 0.999, 3, 256),
    "a level per document": (
        AlphaNCE(noise_level=(0.3, 0.9), stream_length=256),
        Adam(),
        SOME,
        0.9,
        2,
        64,
    ),
    "no noise kept": (AlphaNCE(noise_level=0.0), Adam(), Sparsity(cost=0.0), 0.9, 1, 33),
    "independent": (
        AlphaNCE(noise_level=0.5, n_noise=3, noise="independent"),
        Adam(),
        SOME,
        0.9,
        2,
        70,
    ),
    "independent, learned bias": (
        AlphaNCE(noise_level=0.5, n_noise=3, noise="independent", visible_bias="learned"),
        Adam(),
        Sparsity(cost=0.0),
        0.0,
        1,
        70,
    ),
    "all learned": (
        AlphaNCE(noise_level=0.5, stream_length=256, visible_bias="learned", normaliser="learned"),
        Adam(),
        SOME,
        0.9,
        2,
        70,
    ),
    "nce": (
        AlphaNCE(noise_level=0.0, uniform=False, sharpness=1.0, stream_length=256),
        Adam(),
        Sparsity(cost=0.0),
        0.9,
        2,
        70,
    ),
    "nce, sgd": (
        AlphaNCE(
            noise_level=0.0,
            uniform=False,
            sharpness=1.0,
            visible_bias="learned",
            normaliser="learned",
        ),
        SGD(learning_rate=0.01, l2=1e-4),
        Sparsity(cost=0.0),
        0.0,
        2,
        70,
    ),
    "adam per element": (WINDOWS, ELEMENTS, SOME, 0.9, 2, 70),
    "adam per element, learned bias": (
        AlphaNCE(noise_level=0.5, stream_length=256, visible_bias="learned"),
        ELEMENTS,
        Sparsity(cost=0.0),
        0.0,
        1,
        70,
    ),
    "sgd": (WINDOWS, SGD(early_steps=7, l2=1e-4), SOME, 0.9, 2, 70),
    "sgd, annealed": (WINDOWS, SGD(annealing=3.0), Sparsity(cost=0.0), 0.0, 1, 70),
    "cd": (ContrastiveDivergence(n_steps=2), Adam(annealing=0.0), SOME, 0.9, 2, 70),
    "cd, exact words": (
        ContrastiveDivergence(words="exact"),
        Adam(annealing=0.0),
        Sparsity(cost=0.0),
        0.0,
        1,
        70,
    ),
    "cd, sgd": (ContrastiveDivergence(), SGD(learning_rate=0.01), SOME, 0.9, 3, 70),
    "pcd": (ContrastiveDivergence(persistent=True), Adam(annealing=0.0), SOME, 0.9, 2, 70),
    "pcd, per element": (
        ContrastiveDivergence(persistent=True, n_steps=2),
        ELEMENTS,
        Sparsity(cost=0.0),
        0.0,
        2,
        70,
    ),
}
RUNS |= {
    "cd rising": (ContrastiveDivergence(n_steps=(1, 3)), Adam(), SOME, 0.9, 2, 70),
    "mh-cd": (MetropolisDivergence(n_steps=2), Adam(annealing=0.0), SOME, 0.9, 2, 70),
    "ratio matching": (RatioMatching(), Adam(), SOME, 0.9, 2, 70),
    "ratio matching, all words alike": (
        RatioMatching(5, "uniform", "frozen"),
        Adam(),
        Sparsity(cost=0.0),
        0.0,
        1,
        70,
    ),
}
KEPT = Path(__file__).parent / "kept_fingerprints.json"
KINDS = ("balanced", "posterior", "soft", "activation", "strength", "code")


def corpus(documents: int = 400, words: int = 300) -> sparse.csr_array:
    """Documents whose words follow Zipf's law."""
    generator = np.random.default_rng(3)
    popularity = 1.0 / np.arange(1, words + 1)
    shares = popularity / popularity.sum()
    lengths = generator.integers(1, 80, documents)
    return checked_counts(np.array([generator.multinomial(n, shares) for n in lengths]))


def digest(arrays: dict[str, Any]) -> str:
    """Of arrays by name, with their types and shapes."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()[:24]


def of_run(name: str, counts: sparse.csr_array) -> str:
    """The digest of one run: what was learned, and what its history says."""
    learner, optimizer, sparsity, averaging, threads, units = RUNS[name]
    weights, p = idf_weights(counts), word_distribution(counts)
    source = CsrSource(counts, weights)
    settings = Settings(
        learner=learner,
        optimizer=optimizer,
        sparsity=sparsity,
        averaging=averaging,
        batch_size=70,
        planned_steps=30,
        seed=2**40 + 5,
    )
    run = Run(
        initial_parameters(units, p, weights, settings.seed),
        p,
        settings,
        documents=counts.shape[0],
        longest=source.longest,
        threads=threads,
    )
    train(run, source, epochs=3)
    learned = run.result()
    names = ("weights", "hidden_bias", "visible_bias", "word_weights")
    history = [[record.loss, record.activity, record.dead_units] for record in run.history]
    arrays = {name: getattr(learned, name) for name in names}
    return digest(
        arrays
        | {f"run.{name}": getattr(run.parameters, name) for name in names}
        | {"history": np.array(history)}
    )


def of_estimators(counts: sparse.csr_array) -> Iterator[tuple[str, str]]:
    """Digests of what users get by default: parameters, every kind of vector, samples, score."""
    for learner in ("alpha-nce", "nce", "cd", "pcd"):
        model = ReplicatedSoftmax(48, learner=learner, max_epochs=3, random_state=1, n_jobs=2)
        vectors = model.fit(counts).transform(counts)
        yield f"estimator, {learner}", digest({"W": model.components_, "vectors": vectors})
    yield "free energies", digest({"F": model.free_energy(counts)})
    yield "samples", digest({"samples": model.sample([5, 9, 30], random_state=2).toarray()})
    yield "score", digest({"score": np.array(model.score(counts))})
    for kind in KINDS:
        yield f"vectors, {kind}", digest({"vectors": model.encode(counts, kind)})


def kind_of_machine() -> str:
    """What bits depend on: the processor, and the libraries that compute."""
    import llvmlite.binding
    import numba
    import scipy

    features = llvmlite.binding.get_host_cpu_features().flatten()
    marks = hashlib.sha256(features.encode()).hexdigest()[:8]
    return (
        f"{llvmlite.binding.get_host_cpu_name()} ({marks}), {'-'.join(platform.libc_ver())}, "
        f"numba {numba.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    )


def kept() -> dict[str, dict[str, str]]:
    """Digests by name, by kind of machine."""
    found: dict[str, dict[str, str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def fingerprints(say: Callable[[str], None]) -> dict[str, str]:
    """All digests by name."""
    counts = corpus()
    found = {}
    for name in RUNS:
        found[name] = of_run(name, counts)
        say(f"{found[name]}  {name}")
    for name, value in of_estimators(counts):
        found[name] = value
        say(f"{value}  {name}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="keep the digests in this JSON file")
    parser.add_argument("--compare", type=Path, help="hold them against those in this JSON file")
    parser.add_argument("--record", action="store_true", help="keep them for this kind of machine")
    options = parser.parse_args()
    found = fingerprints(print)
    if options.write:
        options.write.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.record:
        text = json.dumps(kept() | {kind_of_machine(): found}, indent=1)
        KEPT.write_text(text + "\n", encoding="utf-8")
    if options.compare:
        before = json.loads(options.compare.read_text(encoding="utf-8"))
        other = [name for name in before if found.get(name) != before[name]]
        print(f"{len(before) - len(other)} of {len(before)} are the same")
        for name in other:
            print(f"differs: {name}")
        return 1 if other else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
