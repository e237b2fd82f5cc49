"""Small models and minibatches, and the oracle's view of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.counts import CountBatch
from undertow.engines import Gradient, Place, Pressure, Start
from undertow.engines.cpu.engine import CpuEngine
from undertow.engines.cpu.session import CpuSession
from undertow.kernels.cpu.alias import build_alias_table
from undertow.kernels.cpu.rows import RowGradient
from undertow.kernels.randomness import SHARD
from undertow.kernels.reference import draws
from undertow.kernels.reference.objectives import Draws, Model
from undertow.learn.alpha_nce import CORRECTIONS, AlphaNCE
from undertow.learn.learner import Corpus
from undertow.learn.sparsity import Sparsity
from undertow.model import Parameters

SEED, EPOCH, NUMBER = 7, 3, 2
PLACE = Place(EPOCH, NUMBER)
NO_PRESSURE = Pressure(0.1, 0.0)


@dataclass(frozen=True)
class Case:
    """A model, a noise distribution and dense counts."""

    parameters: Parameters
    p: NDArray[np.float64]
    counts: NDArray[np.int64]

    def batch(self) -> CountBatch:
        """The counts as a minibatch."""
        return CountBatch.from_csr(sparse.csr_array(self.counts))

    @property
    def corpus(self) -> Corpus:
        """What a learner is told of the documents."""
        return Corpus(len(self.counts), int(self.counts.sum(axis=1).max()))

    @property
    def start(self) -> Start:
        """What a session begins with."""
        return Start(self.p, SEED)

    def session(self, *, threads: int = 1) -> CpuSession:
        """A session on the CPU, whose parameters are those of the case."""
        return CpuEngine(threads).begin(self.parameters, self.start)

    def model(self, corrections: NDArray[np.float64]) -> Model:
        """The oracle's parameters."""
        theirs = self.parameters
        arrays = (theirs.weights, theirs.hidden_bias, theirs.visible_bias, theirs.word_weights)
        W, a, b, w = (array.astype(np.float64) for array in arrays)
        return Model(W, a, b, w, self.p, corrections)


def make_case(
    *,
    words: int = 5,
    units: int = 3,
    documents: int = 6,
    most_tokens: int = 9,
    weighted: bool = True,
    free_bias: bool = True,
    scale: float = 0.7,
    seed: int = 0,
) -> Case:
    """A random model whose every term matters: hidden biases, visible biases other than log p, and
    weights with a zero.
    """
    generator = np.random.default_rng(seed)
    p = generator.dirichlet(np.full(words, 2.0))
    weights = generator.uniform(0.3, 2.0, words) if weighted else np.ones(words)
    if weighted and words > 2:
        weights[1] = 0.0
    counts = np.array(
        [generator.multinomial(n, p) for n in generator.integers(1, most_tokens + 1, documents)]
    )
    counts[:, 0] += (counts @ weights == 0).astype(np.int64)  # every document has a length
    bias = np.log(p) + (generator.normal(0.0, 0.3, words) if free_bias else 0.0)
    parameters = Parameters(
        weights=generator.normal(0.0, scale, (words, units)).astype(np.float32),
        hidden_bias=generator.normal(0.0, 0.2, units).astype(np.float32),
        visible_bias=bias.astype(np.float32),
        word_weights=weights.astype(np.float32),
    )
    return Case(parameters, p, counts.astype(np.int64))


def oracle_draws(case: Case, options: AlphaNCE) -> Draws:
    """What the step draws for the whole case as one minibatch, drawn again by the oracle."""
    table = build_alias_table(case.p)
    tokens = case.counts.sum(axis=1)
    level: Any = options.noise_level
    if isinstance(level, tuple):
        level = draws.noise_levels(SEED, EPOCH, list(range(len(tokens))), *level)
    to_keep = draws.kept_tokens(tokens, level)
    replaced = tokens - to_keep
    kept, noise, stream = [], [], []
    for d, counts in enumerate(case.counts):
        if d % SHARD == 0:  # documents of a shard share a stream
            length = max(options.stream_length, 2 * int(replaced[d : d + SHARD].max()))
            stream = draws.stream(SEED, EPOCH, NUMBER, d // SHARD, table, length)
        kept.append(draws.kept_counts(SEED, EPOCH, d, counts, int(to_keep[d])))
        size = int(replaced[d])
        if options.noise == "windows":
            drawn = draws.window_noise(SEED, EPOCH, d, stream, size, options.n_noise, len(case.p))
        else:
            drawn = draws.independent_noise(SEED, EPOCH, d, table, size, options.n_noise)
        noise.append(drawn)
    return Draws(case.counts, np.array(kept), np.array(noise))


def step_gradient(
    case: Case,
    options: AlphaNCE,
    *,
    sparsity: Sparsity | None = None,
    threads: int = 1,
    corrections: NDArray[np.float64] | None = None,
) -> Gradient:
    """The gradient that the fast step computes for the whole case as one minibatch."""
    session = case.session(threads=threads)
    pressure = NO_PRESSURE if sparsity is None else sparsity.pressure
    step = options.begin(session, case.corpus, pressure)
    if corrections is not None:
        session.restore({CORRECTIONS: corrections})
    return step.gradient(case.batch(), PLACE)


def dense_rows(gradient: Gradient, words: int) -> NDArray[np.float64]:
    """W's gradient, with zeros for words that have none."""
    touched, slopes = gradient.rows()
    assert len(np.unique(touched)) == len(touched)
    dense = np.zeros((words, slopes.shape[1]))
    dense[touched] = slopes
    return dense


def row_entries(rows: RowGradient) -> Iterator[tuple[int, float, int]]:
    """Word, coefficient and vector of every entry of a factored gradient."""
    for part, size in enumerate(rows.sizes):
        for i in range(size):
            for entry in range(rows.starts[part, i], rows.starts[part, i + 1]):
                coefficient, vector = rows.coefficients[part, entry], rows.vector_ids[part, entry]
                yield int(rows.rows[part, i]), float(coefficient), int(vector)
