"""Words of the unseen half: against loops, at chance, and as a judge of vectors that group or do
not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from undertow.counts import checked_counts, idf_weights
from undertow.tasks import UnseenHalves, split_halves

WORDS, THEMES = 60, 3


def make_counts(documents: int, seed: int) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """Documents of one of three themes, each theme with words of its own, and words that all
    share.
    """
    generator = np.random.default_rng(seed)
    theme = generator.integers(0, THEMES, documents)
    likes = np.where(np.arange(WORDS) % (THEMES + 1) == theme[:, None], 4.0, 1.0)
    rows = [generator.multinomial(20, row / row.sum()) for row in likes]
    return checked_counts(np.array(rows)), theme


QUESTIONS, _ = make_counts(40, 1)
DOCUMENTS, _ = make_counts(90, 2)


def by_themes(counts: sparse.csr_array) -> NDArray[np.float64]:
    """What an ideal model would say: how much of each theme there is."""
    dense = counts.toarray()
    return (
        np.stack(
            [dense[:, np.arange(WORDS) % (THEMES + 1) == t].sum(axis=1) for t in range(THEMES)],
            axis=1,
        )
        + 0.01
    )


def test_lift_is_that_of_loops() -> None:
    nearest = 7
    found = UnseenHalves(QUESTIONS, DOCUMENTS, nearest=nearest, seed=3).lift(
        lambda counts: _words(counts), block=16
    )
    seen, unseen = split_halves(QUESTIONS, seed=3)
    weights = idf_weights(DOCUMENTS)
    tf_idf = [_unit(matrix.toarray() * weights) for matrix in (unseen, DOCUMENTS)]
    similarity = _unit(_words(seen)) @ _unit(_words(DOCUMENTS)).T
    shared = tf_idf[0] @ tf_idf[1].T
    best = [np.sort(row)[-nearest] for row in similarity]
    # Rounding cannot decide who is found where the seventh and the eighth differ by more than it.
    assert all(
        np.sum(row > edge - 1e-9) == nearest for row, edge in zip(similarity, best, strict=True)
    )
    means = [shared[i, similarity[i] >= best[i] - 1e-12].mean() for i in range(len(shared))]
    assert found == pytest.approx(np.mean(means) / shared.mean(), rel=1e-9)


def _words(counts: sparse.csr_array) -> NDArray[np.float64]:
    return counts.toarray() @ np.random.default_rng(0).normal(size=(WORDS, 12))


def _unit(matrix: NDArray[Any]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return result


def test_vectors_that_group_by_theme_beat_noise_and_noise_is_chance() -> None:
    questions, _ = make_counts(400, 5)
    documents, _ = make_counts(600, 6)
    halves = UnseenHalves(questions, documents)
    generator = np.random.default_rng(7)
    noise = [
        halves.lift(lambda counts: generator.normal(size=(counts.shape[0], 8))) for _ in range(20)
    ]
    error = np.std(noise, ddof=1) / np.sqrt(len(noise))
    assert abs(np.mean(noise) - 1.0) < 5 * error
    assert halves.lift(by_themes) > np.mean(noise) + 5 * np.std(noise, ddof=1)
    alike = halves.lift(lambda counts: np.ones((counts.shape[0], 4)))
    assert abs(alike - 1.0) < 0.2  # fifty documents, chosen by their place


def test_more_are_never_asked_for_than_half_of_the_documents() -> None:
    few = UnseenHalves(QUESTIONS, DOCUMENTS[:6], nearest=50)
    assert np.isfinite(few.lift(by_themes))


@pytest.mark.parametrize(
    ("questions", "documents", "message"),
    [
        (QUESTIONS, DOCUMENTS[:, :10], "questions must have 10 words, got 60"),
        (
            np.eye(3, WORDS),
            DOCUMENTS,
            "questions must hold a document of at least 2 tokens, got none",
        ),
        (
            np.array([[2, 2, 0, 0]]),
            np.array([[0, 0, 1, 2], [0, 0, 2, 0]]),
            "documents must share a word of positive weight with questions, got none in common",
        ),
    ],
)
def test_wrong_input_is_named(questions: Any, documents: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UnseenHalves(questions, documents)
