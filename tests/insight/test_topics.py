"""How alike topics are."""

from __future__ import annotations

import numpy as np
import pytest

from undertow import InvalidInput, TopicModel
from undertow.estimators.units import pushes
from undertow.insight import similar_topics, topic_names, topic_similarity, topics


def test_similarities_are_the_cosines_of_ranked_pushes(model: TopicModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "WORDS_AT_ONCE", 7)  # several blocks, the last one smaller
    parameters, shares = model.softmax_.parameters_, model.softmax_.noise_distribution_
    ranks = [pushes(parameters, unit) * np.sqrt(shares) for unit in range(parameters.units)]
    found = topic_similarity(model)
    for one, first in enumerate(ranks):
        for other, second in enumerate(ranks):
            cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
            assert found[one, other] == pytest.approx(cosine, abs=1e-6)


def test_similarities_are_symmetric_with_one_on_the_diagonal(model: TopicModel) -> None:
    found = topic_similarity(model)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1.0)
    assert np.abs(found).max() <= 1.0


def test_a_topic_that_no_word_moves_is_like_no_other(model: TopicModel) -> None:
    import copy

    silent = copy.deepcopy(model)
    silent.softmax_.parameters_.weights[:, 3] = 0.0
    silent.softmax_.parameters_.hidden_bias[3] = 0.0
    found = topic_similarity(silent)
    assert np.isfinite(found).all()
    assert found[3].tolist() == [0.0, 0.0, 0.0, 1.0] + 8 * [0.0]


def test_the_most_similar_come_first(model: TopicModel) -> None:
    cosines = topic_similarity(model)[4]
    found = similar_topics(model, 4, n=11)
    assert [one.id for one in found] == [int(unit) for unit in np.argsort(-cosines, kind="stable") if unit != 4]
    assert all(one.similarity == cosines[one.id] and one.name == topic_names(model)[one.id] for one in found)
    assert similar_topics(model, 4, n=2) == found[:2]
    assert len(similar_topics(model, 4, n=1000)) == 11


def test_names_are_those_of_topics(model: TopicModel) -> None:
    assert topic_names(model) == [topic.name for topic in sorted(model.units(), key=lambda topic: topic.id)]
    assert model.unit_names([5, 2]) == [topic_names(model)[5], topic_names(model)[2]]
    assert model.unit_names([]) == []


@pytest.mark.parametrize("topic", [-1, 12, 1.5, "3", None, True])
def test_a_topic_that_is_none_is_refused(model: TopicModel, topic: object) -> None:
    with pytest.raises(InvalidInput, match="topic must be"):
        similar_topics(model, topic)  # type: ignore[arg-type]
