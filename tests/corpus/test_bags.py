"""Corpora and dictionaries of gensim, told by what they look like; and the real ones, where they
are.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from undertow import InvalidInput, ReplicatedSoftmax, TopicModel
from undertow.corpus import gensim_counts, gensim_tokens

WORDS = {"pear": 1, "apple": 0, "moon": 7}  # with a gap, as after words were filtered
BAGS: list[list[tuple[int, float]]] = [[(0, 2), (1, 1.0)], [], [(7, 3), (0, 1), (7, 1)]]


@pytest.mark.parametrize("dictionary", [WORDS, SimpleNamespace(token2id=WORDS)])
def test_counts_and_words(dictionary: Any) -> None:
    counts, words = gensim_counts(iter(BAGS), dictionary)
    assert words == ["apple", "pear", "moon"]
    assert counts.toarray().tolist() == [[2, 1, 0], [0, 0, 0], [1, 0, 4]]
    assert counts.dtype == np.int32


def test_tokens_count_the_same() -> None:
    tokens = gensim_tokens(BAGS, WORDS)
    assert isinstance(tokens, Iterator)
    assert list(tokens) == [["apple"] * 2 + ["pear"], [], ["moon"] * 3 + ["apple", "moon"]]


def test_a_topic_model_of_bags_has_the_counts_of_the_matrix() -> None:
    bags = BAGS * 20
    counts, words = gensim_counts(bags, WORDS)
    model = TopicModel(3, max_epochs=2, random_state=0, vocabulary=words)
    model.fit(gensim_tokens(bags, WORDS))
    np.testing.assert_array_equal(
        model.counts(list(gensim_tokens(bags, WORDS))).toarray(), counts.toarray()
    )
    assert ReplicatedSoftmax(3, max_epochs=2, random_state=0).fit(counts).transform(counts).any()


@pytest.mark.parametrize(
    ("bags", "dictionary", "message"),
    [
        ([[(3, 1)]], WORDS, "bags must hold ids of the dictionary, got 3 in document 0"),
        ([[], [(0, 0.5)]], WORDS, "bags must hold whole numbers, got 0.5 in document 1: weights"),
        ([[(0, -1)]], WORDS, "bags must hold whole numbers, got -1 in document 0"),
        ([[(0, float("nan"))]], WORDS, "bags must hold whole numbers, got nan"),
        (["moon"], WORDS, "bags must be lists of .id, count., got 'moon' for document 0"),
        ([7], WORDS, "bags must be lists of .id, count., got 7 for document 0"),
        ([], {}, "dictionary must map words to ids, or have token2id, got {}"),
        ([], {"a": 0, "b": 0}, "dictionary must give each word an id of its own"),
    ],
)
def test_what_cannot_be_read_is_said(bags: Any, dictionary: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        gensim_counts(bags, dictionary)


def test_gensim_itself() -> None:
    corpora = pytest.importorskip("gensim.corpora")
    texts = [["moon", "moon", "orbit"], ["pear", "moon"]]
    dictionary = corpora.Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    counts, words = gensim_counts(bags, dictionary)
    assert [dict(zip(words, row, strict=True)) for row in counts.toarray().tolist()] == [
        {"moon": 2, "orbit": 1, "pear": 0},
        {"moon": 1, "orbit": 0, "pear": 1},
    ]
    assert sorted(map(sorted, gensim_tokens(bags, dictionary))) == sorted(map(sorted, texts))
