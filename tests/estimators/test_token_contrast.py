"""The estimator of vectors that tell tokens from noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import undertow
from undertow import InvalidInput, TokenContrast, TrainingDiverged

GROUPS = 2


@parametrize_with_checks([TokenContrast(4, max_epochs=1, random_state=0)])  # type: ignore[untyped-decorator]  # scikit-learn has no types
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def made_up(documents: int, seed: int) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """Documents that hold many words of their group, and some of the other."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, GROUPS, documents)
    shares = np.full((GROUPS, 80), 0.1)
    shares[0, :40] = shares[1, 40:] = 0.25
    counts = generator.binomial(3, shares[labels])
    return sparse.csr_array(counts), labels


def test_vectors_tell_groups_of_documents_that_were_not_seen() -> None:
    counts, labels = made_up(300, 0)
    asked, wanted = made_up(200, 1)
    model = TokenContrast(8, random_state=0).fit(counts)
    probe = LogisticRegression().fit(model.transform(counts), labels)
    assert probe.score(model.transform(asked), wanted) > 0.95


def test_a_vector_depends_on_its_document_alone() -> None:
    counts, _ = made_up(1200, 0)  # more than a thread takes at a time
    model = TokenContrast(4, random_state=0, max_epochs=1).fit(counts)
    whole = model.transform(counts)
    np.testing.assert_array_equal(model.transform(counts[7:9]), whole[7:9])
    np.testing.assert_array_equal(model.transform(counts[::-1]), whole[::-1])


def test_any_number_of_threads_gives_the_same_bits_and_another_seed_others() -> None:
    counts, _ = made_up(1200, 0)
    one = TokenContrast(4, random_state=3, max_epochs=1, n_jobs=1).fit(counts)
    two = TokenContrast(4, random_state=3, max_epochs=1, n_jobs=2).fit(counts)
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.transform(counts), two.transform(counts))
    other = TokenContrast(4, random_state=4, max_epochs=1).fit(counts)
    assert not np.array_equal(one.components_, other.components_)


def test_empty_documents_are_zeros_and_more_directions_than_there_are_are_zeros() -> None:
    counts = sparse.csr_array(np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 0]]))
    vectors = TokenContrast(6, random_state=0).fit_transform(counts)
    assert np.isfinite(vectors).all()
    np.testing.assert_array_equal(vectors[3], 0.0)


def test_callbacks_see_epochs_and_may_end_the_training() -> None:
    counts, seen = made_up(50, 0)[0], list[int]()

    def look(model: Any, epoch: int) -> bool:
        seen.append(epoch)
        return epoch == 2

    model = TokenContrast(4, max_epochs=5, callbacks=[look], random_state=0).fit(counts)
    assert seen == [1, 2]
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_components": 0}, "n_components must be a whole number"),
        ({"n_noise": 0}, "n_noise must be a whole number"),
        ({"max_epochs": -1}, "max_epochs must be a whole number"),
        ({"n_steps": 1.5}, "n_steps must be a whole number"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        TokenContrast(**options).fit(made_up(20, 0)[0])


def test_no_word_at_all_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="at least one count above 0"):
        TokenContrast(2).fit(sparse.csr_array(np.zeros((3, 4))))


def test_a_rate_that_is_too_high_is_said() -> None:
    with pytest.raises(TrainingDiverged, match="after epoch 1"):
        TokenContrast(4, learning_rate=1e38, random_state=0).fit(made_up(100, 0)[0])


def test_pairs_of_words_from_texts() -> None:
    """What the page shows: two orders of the same words have different vectors."""
    from sklearn.pipeline import make_pipeline

    texts = ["not good but bad", "not bad but good"] * 20 + ["good and not bad", "bad and not good"]
    vectors = make_pipeline(
        undertow.Vectorizer(ngram_range=(1, 2)), TokenContrast(4, random_state=0)
    ).fit_transform(texts)
    assert np.abs(vectors[0] - vectors[1]).max() > 0.5
