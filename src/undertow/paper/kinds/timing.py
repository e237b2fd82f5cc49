"""A cell that takes the time of training steps: gradient and update, through the engine's own
loop.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from undertow.paper.cells import Cell, Record
from undertow.paper.corpora import Corpora, Corpus
from undertow.paper.recipe import Recipe, learner

Timed = Literal["cd", "pcd", "mh-cd", "nce", "alpha-nce", "ratio-matching"]
BATCH, UNITS = 128, 128
GIBBS = ("cd", "pcd")
WARM_UP = 5  # steps that are not counted
ZIPF_SHIFT = 2.7  # p(rank) is proportional to 1 / (rank + 2.7)


@dataclass(frozen=True)
class TimingCell(Cell):
    """Learner, vocabulary size and corpus; `corpus.words` is the largest vocabulary of real
    words.
    """

    kind: ClassVar[str] = "timing"
    alone: ClassVar[bool] = True
    corpus: Corpus
    words: int
    learner: Timed
    draws: int  # Gibbs steps, offers to a token (MH-CD), noises, or neighbours (ratio matching)
    steps: int
    threads: int

    @property
    def corpora(self) -> tuple[Corpus, ...]:
        return (self.corpus,)

    @property
    def cost(self) -> float:
        milliseconds = (
            self.draws * (5 + self.words / 1000) if self.learner in GIBBS else 3 + self.words / 1e5
        )
        return 1e-3 * milliseconds * (self.steps + WARM_UP) + 1e-5 * self.words + 0.5

    def labels(self) -> dict[str, Any]:
        return {
            "data": self.corpus.data,
            "words": self.words,
            "learner": self.learner,
            "gibbs_steps": self.draws if self.learner in GIBBS else None,
            "noises": self.draws if self.learner in ("nce", "alpha-nce") else None,
            "proposals": self.draws if self.learner == "mh-cd" else None,
            "neighbours": self.draws if self.learner == "ratio-matching" else None,
            "threads": self.threads,
        }

    def run(self, corpora: Corpora) -> dict[str, Any]:
        from undertow.counts import log_counts

        counts = log_counts(corpora.counted(self.corpus).learn)
        made_up = self.words > counts.shape[1]
        documents = (
            self.steps + WARM_UP
        ) * BATCH  # enough for a single epoch: what ends an epoch is not timed
        if made_up:
            counts, shares = zipf_counts(counts, self.words, documents)
        else:
            counts, shares = _first_words(counts, self.words, documents)
        times = self._times(counts, shares)
        return {
            "median_ms": statistics.median(times),
            "mean_ms": statistics.mean(times),
            "steps": len(times),
            "tokens": float(counts.sum() / counts.shape[0]),
            "made_up": made_up,
        }

    def _times(self, counts: sparse.csr_array, shares: NDArray[np.float64]) -> list[float]:
        """Milliseconds of each step after the first few."""
        from undertow.counts import CsrSource
        from undertow.learn import Run, Settings, Sparsity, train
        from undertow.model import initial_parameters

        source = CsrSource(counts)
        parameters = initial_parameters(UNITS, shares, np.ones(self.words), 0)
        settings = Settings(
            learner=learner(timed_recipe(self.learner, self.draws)),
            sparsity=Sparsity(cost=0.0),
            averaging=0.0,
            batch_size=BATCH,
        )
        run = Run(
            parameters,
            shares,
            settings,
            documents=counts.shape[0],
            longest=source.longest,
            threads=self.threads,
        )
        times: list[float] = []
        last = time.perf_counter()

        def after_batch(run: Run) -> None:
            nonlocal last
            if run.steps > WARM_UP:
                times.append(1e3 * (time.perf_counter() - last))
            if len(times) == self.steps:
                raise _Enough
            last = time.perf_counter()

        with suppress(_Enough):
            train(run, source, epochs=10**6, on_batch=after_batch)
        return times


def timed_recipe(name: Timed, draws: int) -> Recipe:
    """What is timed: learning alone."""
    if name == "pcd":
        return Recipe(learner="cd", n_steps=draws, learner_options=(("persistent", True),))
    if name == "mh-cd":
        return Recipe(learner="mh-cd", learner_options=(("proposals", draws),))
    if name == "ratio-matching":
        return Recipe(learner="ratio-matching", learner_options=(("n_neighbours", draws),))
    return Recipe(learner=name, n_steps=draws, n_noise=draws)


def milliseconds(results: Mapping[Cell, Record], cell: Cell) -> float | None:
    """The median of a cell's steps; None where times were left out."""
    return results[cell].figures["median_ms"] if cell in results else None


def zipf_counts(
    like: sparse.csr_array, words: int, documents: int
) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Documents with the lengths of real ones, whose words follow Zipf's law over `words` words,
    and that law.
    """
    generator = np.random.default_rng(0)
    lengths = generator.choice(np.asarray(like.sum(axis=1)).ravel(), documents)
    masses = 1.0 / (np.arange(words, dtype=np.float64) + ZIPF_SHIFT)
    shares = masses / masses.sum()
    drawn = np.searchsorted(np.cumsum(shares), generator.random(int(lengths.sum())))
    drawn = np.minimum(drawn, words - 1)  # a sum of shares may fall short of 1 by its rounding
    rows = np.repeat(np.arange(documents), lengths)
    ones = np.ones(len(drawn), dtype=np.int32)
    return sparse.coo_array((ones, (rows, drawn)), shape=(documents, words)).tocsr(), shares


def _first_words(
    counts: sparse.csr_array, words: int, documents: int
) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Some of the documents with their most frequent words (columns fall in frequency), and all
    words' shares.
    """
    from undertow.counts import word_distribution

    counts = counts[:, :words]
    drawn = np.random.default_rng(0).permutation(counts.shape[0])[:documents]
    return counts[np.sort(drawn)], word_distribution(counts)


class _Enough(Exception):
    pass
