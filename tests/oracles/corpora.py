"""Corpora and models that hypothesis makes up to break the kernels."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.oracles.engine import Case
from undertow.counts import CountBatch
from undertow.model import Parameters

WEIGHTINGS = ("one", "some", "zero")


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """One word, one unit, units that do not fill a block, one token, repeated words, zero weights,
    empty documents.
    """
    words = draw(st.sampled_from([1, 2, 5, 40]))
    units = draw(st.sampled_from([1, 3, 64, 65, 130]))
    documents = draw(
        st.lists(st.lists(st.integers(0, words - 1), max_size=12), min_size=1, max_size=5)
    )
    scale = draw(st.sampled_from([0.01, 1.0, 8.0]))
    weighting = draw(st.sampled_from(WEIGHTINGS))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = (
        generator.choice([0.0, 0.3, 1.0, 2.7], words) if weighting == "some" else np.ones(words)
    )
    parameters = Parameters(
        weights=generator.normal(0.0, scale, (words, units)).astype(np.float32),
        hidden_bias=generator.normal(0.0, scale, units).astype(np.float32),
        visible_bias=generator.normal(-3.0, scale, words).astype(np.float32),
        word_weights=np.float32(0.0 if weighting == "zero" else 1.0) * weights.astype(np.float32),
    )
    counts = np.array(
        [np.bincount(np.array(document, dtype=np.int64), minlength=words) for document in documents]
    )
    return Case(parameters, np.full(words, 1.0 / words), counts)


def token_batch(case: Case) -> CountBatch:
    """The documents with an entry of count 1 for every token, so that words repeat."""
    tokens = [np.repeat(np.arange(len(counts)), counts) for counts in case.counts]
    starts = np.concatenate([[0], np.cumsum(case.counts.sum(axis=1))])
    words = np.concatenate(tokens).astype(np.int32)
    return CountBatch(np.arange(len(tokens)), starts, words, np.ones(len(words), dtype=np.int32))


def rows_alone(batch: CountBatch) -> list[CountBatch]:
    """Each document of a batch as a batch of its own."""
    single = []
    for d, document in enumerate(batch.document_ids):
        span = slice(batch.starts[d], batch.starts[d + 1])
        ends = np.array([0, span.stop - span.start], dtype=np.int64)
        single.append(CountBatch(np.array([document]), ends, batch.words[span], batch.counts[span]))
    return single
