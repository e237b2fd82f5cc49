"""How much of a document is about each topic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.subjects import COMMON, VOCABULARY, changeable, document, fitted, halves, pure
from undertow.topics._shares import AHEAD, LEAST, mixture, mixture_in_numpy, shares
from undertow.vectors.joining import unit

EYE = np.eye(4, dtype=np.float32)
ROUNDING = 4 * 2.0**-24  # four shares, each rounded once


def shares_of(vector: list[float], own: int = 0, near: float = 1.0) -> list[float]:
    rows = unit(np.array([vector]))
    found = shares(
        mixture(rows, EYE),
        np.array([own], dtype=np.int32),
        np.array([near], dtype=np.float32),
        (0.2, 0.6),
    )
    return [float(share) for share in found[0]]


def test_a_document_of_one_topic_is_all_of_it() -> None:
    assert shares_of([0, 1, 0, 0], own=1) == [0.0, 1.0, 0.0, 0.0]


def test_equal_parts_have_equal_shares_but_the_own_comes_first() -> None:
    for own in (0, 1):
        found = shares_of([1, 1, 0, 0], own=own)
        assert found[:2] == pytest.approx([0.5, 0.5], abs=AHEAD - 1)
        assert int(np.argmax(found)) == own


def test_small_parts_are_not_told() -> None:
    found = shares_of([1, LEAST / 2, 0, 0])
    assert found == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=ROUNDING)
    assert shares_of([1, 4 * LEAST, 0, 0])[1] > LEAST


def test_what_is_far_from_all_has_less_to_share() -> None:
    sums = [sum(shares_of([1, 1, 1, 0], near=near)) for near in (0.1, 0.2, 0.3, 0.4, 0.6, 0.9)]
    assert sums == pytest.approx(
        [0.0, 0.0, 0.25, 0.5, 1.0, 1.0], abs=ROUNDING + 2.0**-22
    )  # of nearness over 0.4


def test_many_small_parts_leave_the_own_topic() -> None:
    directions = np.eye(40, dtype=np.float32)
    amounts = mixture(unit(np.ones((1, 40))), directions)
    found = shares(amounts, np.array([7]), np.ones(1, dtype=np.float32), (0.0, 0.1))
    assert int(found.argmax()) == 7
    assert found.sum() == pytest.approx(1.0, abs=40 * 2.0**-24)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_shares_add_to_at_most_1_and_none_is_negative(
    documents: int, topics: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    vectors = unit(generator.normal(0.3, 1.0, (documents, 12)))
    own = generator.integers(0, topics, documents).astype(np.int32)
    near = generator.uniform(-1, 1, documents).astype(np.float32)
    directions = unit(generator.normal(0.3, 1.0, (topics, 12)))
    amounts = mixture(vectors, directions)
    np.testing.assert_allclose(mixture_in_numpy(vectors, directions), amounts, rtol=0, atol=1e-3)
    found = shares(amounts, own, near, (0.1, 0.5))
    assert (found >= 0).all()
    assert (found.sum(axis=1) <= 1 + topics * 2.0**-24).all()
    told = found.sum(axis=1) > 0
    np.testing.assert_array_equal(told, near > 0.1)
    np.testing.assert_array_equal(found[told].argmax(axis=1), own[told])


def test_limits_are_never_too_strict() -> None:
    """Half of each of two topics is near both, even where all training documents are purer than
    that.
    """
    half = unit(np.array([[1.0, 1.0, 0.0, 0.0]]))
    near = np.full(1, np.sqrt(0.5), dtype=np.float32)
    found = shares(mixture(half, EYE), np.zeros(1, dtype=np.int32), near, (0.99, 0.999))
    np.testing.assert_allclose(found, [[0.5, 0.5, 0.0, 0.0]], rtol=0, atol=AHEAD - 1)
    assert not shares(
        mixture(half, EYE), np.zeros(1, dtype=np.int32), near - 0.3, (0.99, 0.999)
    ).any()


# Of a model


def places() -> dict[str, int]:
    """Subject -> its column among two topics."""
    ids = list(fitted().model.topic_names(2))
    table, model = fitted().table, fitted().model
    own = model.transform_topics(
        table.filter(table["id"].str.starts_with("sport"))["text"], 2
    ).argmax(axis=1)
    sport = int(np.bincount(own, minlength=2).argmax())
    assert len(ids) == 2
    return {"sport": sport, "politics": 1 - sport}


@pytest.mark.parametrize("subject", ["sport", "politics"])
def test_a_pure_document_is_about_its_subject(subject: str) -> None:
    found = fitted().model.transform_topics(pure(subject, 20), 2)
    assert (found[:, places()[subject]] > 0.8).all()


def test_half_and_half_is_two_topics_of_about_equal_share() -> None:
    found = fitted().model.transform_topics(halves("sport", "politics", 40), 2)
    mean = found.mean(axis=0)
    # A share of a single mixture has a deviation of about .28, so the difference of two means of 40
    # has one of .09.
    assert abs(mean[0] - mean[1]) < 0.18
    assert mean.sum() > 0.8
    assert ((found > 0.1).sum(axis=1) == 2).mean() > 0.3


def test_more_of_a_subject_is_a_larger_share() -> None:
    generator, column = np.random.default_rng(3), places()["sport"]
    means = []
    for share in (0.2, 0.5, 0.8):
        texts = [document(generator, {"sport": share, "politics": 1 - share}) for _ in range(30)]
        means.append(float(fitted().model.transform_topics(texts, 2)[:, column].mean()))
    assert means[0] < 0.3
    assert means[0] + 0.1 < means[1] < means[2] - 0.1
    assert means[2] > 0.7


def test_unknown_words_are_none() -> None:
    model = fitted().model
    found = model.document_topics(["quux zyzzy", "", pure("sport", 1)[0]], 2)
    assert [str(one) for one in found[:2]] == ["none", "none"]
    assert [one.none for one in found[:2]] == [1.0, 1.0]
    assert found[2].topics[0].share > 0.8
    assert found[2].none < 0.2
    np.testing.assert_array_equal(
        model.transform_topics(["quux", ""], 2), np.zeros((2, 2), dtype=np.float32)
    )


@pytest.mark.parametrize("n", [2, 5, 12, None])
def test_the_largest_share_is_where_a_document_is_counted(n: int | None) -> None:
    model, table = fitted().model, fitted().table
    found = model.transform_topics(table, n)
    told = found.sum(axis=1) > 0
    vectors = next(model._vectors_of_texts(table))
    rows, _ = model.atlas_.leaves_of(vectors)
    own = model.atlas_.topics_of_leaves(rows, model.atlas_.cut(n))
    assert told.mean() > 0.95
    np.testing.assert_array_equal(found[told].argmax(axis=1), own[told])
    sizes = np.bincount(own, minlength=found.shape[1])
    assert [topic.documents for topic in model.topics(n)] == sizes.tolist()


def test_records_say_what_the_matrix_says() -> None:
    model, texts = fitted().model, halves("sport", "politics", 10)
    ids, matrix = list(model.topic_names(4)), model.transform_topics(texts, 4)
    for row, found in zip(matrix, model.document_topics(texts, 4), strict=True):
        assert {topic.id: topic.share for topic in found.topics} == {
            ids[place]: float(share) for place, share in enumerate(row) if share > 0
        }
        told = [topic.share for topic in found.topics]
        assert told == sorted(told, reverse=True)
        assert found.none == pytest.approx(1 - row.sum(), abs=1e-6)


def test_documents_of_a_dropped_topic_belong_to_none() -> None:
    model = changeable()
    dropped = list(model.topic_names(2))[places()["sport"]]
    model.drop_topic(dropped)
    for n in (2, 6):
        assert not model.transform_topics(pure("sport", 5), n).any()
        assert (model.transform_topics(pure("politics", 5), n).sum(axis=1) > 0.8).all()


def test_common_words_alone_are_no_crash() -> None:
    found = fitted().model.transform_topics([COMMON], 3)
    assert np.isfinite(found).all()
    assert found.sum() <= 1 + 3 * 2.0**-24


def test_a_topic_points_to_the_sum_of_its_documents() -> None:
    """Means of leaves are kept in single precision, which is off by a unit or so for each of
    them.
    """
    model = fitted().model
    vectors = next(model._vectors_of_texts(fitted().table)).astype(np.float64)
    rows, _ = model.atlas_.leaves_of(vectors.astype(np.float32))
    for n in (2, 6, 20):
        nodes = model.atlas_.cut(n)
        own = model.atlas_.topics_of_leaves(rows, nodes)
        for place, direction in enumerate(model.atlas_.directions(nodes)):
            total = vectors[own == place].sum(axis=0)
            np.testing.assert_allclose(
                direction, total / np.linalg.norm(total), rtol=0, atol=8 * 2.0**-24
            )


# Reasons


def test_reasons_add_up_to_the_product_with_the_topic() -> None:
    """Each unit's part is a product of two numbers of single precision, shared out in double."""
    model = fitted().model
    texts = [
        "",
        *pure("sport", 5),
        "quux",
        *halves("sport", "politics", 5),
        "goal",
        "goal vote",
        "goal match",
        "",
    ]
    vectors = next(model._vectors_of_texts(texts))
    for topic in model.topic_names(4):
        reasons = model.explain_topic(texts, topic)
        direction = model.atlas_.directions([topic])[0]
        expected = np.nan_to_num(vectors.astype(np.float64)) @ direction.astype(np.float64)
        np.testing.assert_allclose(
            reasons.sum(axis=1), expected, rtol=0, atol=len(direction) * 2.0**-23
        )
        assert reasons.shape == (len(texts), len(model.words()))
        np.testing.assert_array_equal(reasons.indices, model.counts(texts).indices)


def test_words_of_the_other_subject_contribute_less() -> None:
    model = fitted().model
    ids = list(model.topic_names(2))
    words = np.array(model.words())
    for subject, other in (("sport", "politics"), ("politics", "sport")):
        reasons = np.asarray(
            model.explain_topic(halves("sport", "politics", 30), ids[places()[subject]]).sum(axis=0)
        )
        inside, outside = (
            reasons[np.isin(words, VOCABULARY[name])].sum() for name in (subject, other)
        )
        assert inside > 2 * outside
