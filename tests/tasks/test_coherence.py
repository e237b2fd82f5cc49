"""NPMI and diversity against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from undertow._errors import InvalidInput
from undertow.tasks import diversity, npmi


def by_hand(counts: np.ndarray, words: list[int]) -> float:
    values = []
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            first, second = counts[:, words[i]] > 0, counts[:, words[j]] > 0
            joint = (first & second).mean()
            if joint == 0:
                values.append(-1.0)
            elif joint == 1:
                values.append(1.0)
            else:
                values.append(np.log(joint / (first.mean() * second.mean())) / -np.log(joint))
    return float(np.mean(values)) if values else 0.0


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_npmi_matches_counting_by_hand(seed: int, documents: int) -> None:
    generator = np.random.default_rng(seed)
    counts = generator.poisson(0.6, (documents, 8))
    topics = [list(generator.permutation(8)[:size]) for size in (1, 2, 5, 8)]
    expected = [by_hand(counts, topic) for topic in topics]
    np.testing.assert_allclose(npmi(sparse.csr_array(counts), topics), expected, atol=1e-12)


def test_npmi_of_words_that_belong_together_and_apart() -> None:
    counts = sparse.csr_array(np.array([[1, 2, 0, 0], [3, 1, 0, 0], [0, 0, 1, 0], [0, 0, 5, 0]]))
    np.testing.assert_allclose(npmi(counts, [[0, 1], [0, 2], [0, 3]]), [1.0, -1.0, -1.0])


def test_diversity() -> None:
    assert diversity([["a", "b"], ["c", "d"]]) == 1.0
    assert diversity([["a", "b"], ["a", "b"]]) == 0.5


def test_errors() -> None:
    counts = sparse.csr_array(np.eye(3, dtype=int))
    with pytest.raises(InvalidInput, match="topics must hold words 0 to 2, got 0 to 7"):
        npmi(counts, [[0, 7]])
    with pytest.raises(InvalidInput, match="counts must hold at least one document, got none"):
        npmi(counts[:0], [[0, 1]])
    with pytest.raises(InvalidInput, match="topics must hold at least one word, got none"):
        diversity([[]])
