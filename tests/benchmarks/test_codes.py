"""The benchmark of codes at a tiny size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks import codes
from benchmarks.codes import Corpus, above, figures, opponents, ours, signs


@pytest.fixture
def corpus() -> Corpus:
    generator = np.random.default_rng(0)
    labels = np.arange(120) % 3
    rates = generator.gamma(0.3, size=(3, 40))
    counts = sparse.csr_array(generator.poisson(4 * rates[labels]).astype(np.int32))
    return Corpus(counts, counts, labels, counts[:30], labels[:30])


def test_map_and_precision(corpus: Corpus) -> None:
    one_hot = np.eye(3, dtype=np.int8)[corpus.known_labels]
    assert figures((one_hot[:30], one_hot), corpus) == pytest.approx((1.0, 0.4))
    alike = np.ones_like(one_hot)
    worst = float(np.mean(np.arange(1, 41) / np.arange(81, 121)))  # the right ones come last
    assert figures((alike[:30], alike), corpus) == pytest.approx((worst, 0.2))


def test_signs() -> None:
    bits = np.array([[1, 0, 1, 1, 0, 0, 0, 1, 0, 1]])
    np.testing.assert_array_equal(signs(np.packbits(bits, axis=1), 10), 2 * bits - 1)
    both = above((np.array([[-0.5, 0.5]]), np.array([[0.0, 2.0]])))
    np.testing.assert_array_equal(both, [[[-1, 1]], [[-1, 1]]])


def test_all_are_judged(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BITS", (8,)), ("DIMENSIONS", (4, 8)), ("LSH_DIMENSIONS", 8)):
        monkeypatch.setattr(codes, name, value)
    found = [*ours(corpus, 0), *opponents(corpus, corpus, 0)]
    assert [(name.split("-")[0], bits) for name, bits, _ in found] == [
        ("thresholds", 8),
        ("strengths, whole", 0),
        ("codes", 8),
        ("LSA", 0),
        ("LSH of LSA", 8),
        ("ITQ of LSA", 8),
    ]
    for _, bits, sides in found:
        assert [len(side) for side in sides] == [30, 120]
        assert bits in (0, sides[0].shape[1])
