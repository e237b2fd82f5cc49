"""Corpora at the edge of what a corpus can be, with every learner, engine and optimizer: what comes
out is finite, or an error says in words why not.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from undertow import InvalidInput, ReplicatedSoftmax, UndertowError
from undertow.learn.registry import LEARNERS
from undertow.vectors.encoding import FEATURES

LEARNER = sorted(name for name, entry in LEARNERS.items() if entry.layers == 1)
ENGINE = ("cpu", "reference", "torch")
OPTIMIZER = ("adam", "sgd")
HUGE = 10**9


def some(rows: int = 12, words: int = 5, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 4, (rows, words))


def lengths(longest: int) -> Any:
    """Documents of 1, 10, 100 ... words, up to the longest."""
    rows = [[10**n, 10**n // 3, 1, 0] for n in range(len(str(longest)))]
    return np.array(rows, dtype=np.int64)


def with_row(row: int, value: Any) -> Any:
    counts = some().astype(np.int64)
    counts[row] = value
    return counts


CORPORA: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "one word again and again": (
        lambda: with_row(0, [3000, 0, 0, 0, 0]),
        {"count_transform": None},
    ),
    "a long document": (lambda: with_row(1, 500), {"count_transform": None}),
    "one kind of word": (lambda: some(words=1) + 1, {"weighting": None}),
    "one unit": (some, {"n_components": 1}),
    "all documents alike": (lambda: np.tile([[1, 2, 0, 5, 1]], (9, 1)), {"weighting": None}),
    "from one word to many": (lambda: lengths(1000), {"count_transform": None}),
    "huge counts": (lambda: with_row(2, HUGE), {}),
    "a batch larger than the corpus": (some, {"batch_size": 10_000}),
    "empty documents": (lambda: np.vstack([np.zeros((7, 5), np.int64), some()]), {}),
    "one document": (lambda: some(rows=1) + 1, {"weighting": None}),
    "faint and heavy words": (some, {"weighting": [1e-12, 1e12, 1.0, 0.0, 1e-3]}),
    "more units than anything": (some, {"n_components": 70, "batch_size": 5}),
}
REFUSED: dict[str, tuple[Callable[[], Any], dict[str, Any], str]] = {
    "idf of nothing": (lambda: np.ones((9, 4), np.int64), {}, "word of positive weight"),
    "no document": (lambda: np.zeros((0, 4), np.int64), {}, "minimum of 1"),
    "no word": (lambda: np.zeros((4, 0), np.int64), {}, "minimum of 1"),
    "nothing but empty ones": (lambda: np.zeros((4, 3), np.int64), {}, "positive weight"),
    "counts beyond": (lambda: with_row(0, 2**40), {"count_transform": None}, "at most 2147483647"),
    "huge counts as they are": (
        lambda: with_row(0, [HUGE, 0, 0, 0, 0]),
        {"count_transform": None},
        r"at most 33,554,432 words, got one with 1,000,000,000: count_transform='log'",
    ),
    "a huge minibatch": (
        lambda: np.full((20, 2), 10**7, np.int64),
        {"count_transform": None, "weighting": None},
        r"batch_size must be so small .* 268,435,456 words, got 32, and documents with 400,000,000",
    ),
    "fainter words": (some, {"weighting": [1e-13, 1, 1, 1, 1]}, "weighting must hold 0 or numbers"),
    "heavier words": (some, {"weighting": [1e13, 1, 1, 1, 1]}, "weighting must hold 0 or numbers"),
}


def make(**options: Any) -> ReplicatedSoftmax:
    given = {"n_components": 3, "max_epochs": 2, "batch_size": 32, "random_state": 0, "n_jobs": 1}
    return ReplicatedSoftmax(**{**given, **options})


def fit_and_ask(counts: Any, **options: Any) -> str | None:
    """Fits, and looks at all that comes out; the message where it is refused."""
    try:
        model = make(**options).fit(counts)
    except UndertowError as error:
        return str(error)
    for name, array in model.parameters_.arrays().items():
        assert np.isfinite(array).all(), name
    asked = sparse.csr_array(counts)[:50]
    for kind in FEATURES:
        assert np.isfinite(model.encode(asked, kind=kind)).all(), kind
    assert all(np.isfinite(record.loss) for record in model.history_)
    return None


def diverged(message: str) -> bool:
    """Whether it says that this learner cannot learn from these documents with these steps."""
    told = ("hidden units are dead", "is not finite, or beyond", "the loss is")
    return any(part in message for part in told)


def skipped(engine: str) -> None:
    if engine == "torch":
        pytest.importorskip("torch")


QUICK = ("alpha-nce", "adam")  # what other engines run each time
CASES = [
    pytest.param(
        *(learner, engine, optimizer),
        marks=() if engine == "cpu" or (learner, optimizer) == QUICK else pytest.mark.torture,
    )
    for learner in LEARNER
    for engine in ENGINE
    for optimizer in OPTIMIZER
]


@pytest.mark.parametrize(("learner", "engine", "optimizer"), CASES)
def test_what_comes_of_odd_corpora_is_finite(learner: str, engine: str, optimizer: str) -> None:
    skipped(engine)
    for name, (corpus, options) in CORPORA.items():
        refused = fit_and_ask(
            corpus(), learner=learner, engine=engine, optimizer=optimizer, **options
        )
        assert refused is None or diverged(refused), (name, refused)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_learned_from_is_said(name: str) -> None:
    corpus, options, said = REFUSED[name]
    with pytest.raises((InvalidInput, ValueError), match=said):
        make(**options).fit(corpus())


def test_huge_counts_are_damped_by_the_logarithm() -> None:
    assert fit_and_ask(with_row(0, HUGE), count_transform="log") is None


LARGE: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "a word a million times": (
        lambda: with_row(0, [10**6, 0, 0, 0, 0]),
        {"count_transform": None},
    ),
    "a document of ten million": (lambda: with_row(1, 2 * 10**6), {"count_transform": None}),
    "from 1 to a million": (lambda: lengths(10**6), {"count_transform": None}),
    "4,096 units": (lambda: some(200, 300), {"n_components": 4096, "batch_size": 64}),
}


@pytest.mark.torture
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("engine", ["cpu", "torch"])
@pytest.mark.parametrize("learner", LEARNER)
def test_what_comes_of_large_ones_is_finite(learner: str, engine: str, name: str) -> None:
    skipped(engine)
    corpus, options = LARGE[name]
    if engine == "torch" and name == "a document of ten million":
        pytest.skip("minutes on the CPU device, which is there for tests of small models")
    assert fit_and_ask(corpus(), learner=learner, engine=engine, **options) is None


SOAK = 15 * 60  # seconds


def odd_settings(seed: int) -> tuple[Any, dict[str, Any]]:
    """A corpus and options that nobody chose."""
    random = np.random.default_rng(seed)
    rows, words = int(random.integers(1, 200)), int(random.integers(1, 60))
    counts = random.poisson(random.choice([0.05, 0.5, 3.0, 40.0]), (rows, words)).astype(np.int64)
    counts[random.integers(rows)] *= int(random.choice([1, 100]))
    weights = random.choice([0.0, 1e-9, 1.0, 7.0], words)
    learner = str(random.choice(LEARNER))
    return counts, {
        "learner": learner,
        "replicas": 1 if learner == "pcd" else int(random.integers(1, 4)),
        "optimizer": str(random.choice([*OPTIMIZER, "auto"])),
        "n_components": int(random.integers(1, 40)),
        "batch_size": int(random.choice([1, 3, 64, 5000])),
        "count_transform": random.choice(np.array(["log", None], dtype=object)),
        "weighting": [None, "idf", weights][random.integers(3)],
        "averaging": float(random.choice([0.0, 0.5, 0.999])),
        "sparsity_cost": random.choice(np.array(["auto", 0, 0.1, 10.0], dtype=object)),
        "random_state": seed,
    }


def soak(seeds: Any, seconds: float) -> int:
    """Fits of random settings; how many."""
    until, done = time.monotonic() + seconds, 0
    for seed in seeds:
        if time.monotonic() > until:
            break
        counts, options = odd_settings(seed)
        refused = fit_and_ask(counts, **options)
        known = refused is None or "positive weight" in refused or diverged(refused)
        assert known, (seed, refused)
        done += 1
    return done


def test_random_settings() -> None:
    assert soak(range(25), SOAK) == 25


@pytest.mark.torture
def test_random_settings_for_long() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert soak(range(100, 10**9), SOAK) > 0
