"""Words in the order of their texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from undertow import Vectorizer
from undertow.corpus.in_order import words_in_order

TEXTS = ["the sun and the moon", "moon light light", "", "stars the 42", "sun moon"]


@pytest.mark.parametrize("chunk_size", [1, 2, 5000])
def test_words_come_in_the_order_of_the_text(chunk_size: int) -> None:
    vectorizer = Vectorizer(
        stop_words=["the"], chunk_size=chunk_size, vocabulary=["moon", "sun", "light", "comet"]
    )
    found = [numbers.tolist() for numbers in words_in_order(vectorizer, TEXTS)]
    assert found == [[1, 0], [0, 2, 2], [], [], [1, 0]]


def test_an_n_gram_stands_after_its_first_word() -> None:
    vectorizer = Vectorizer(ngram_range=(1, 2)).fit(TEXTS)
    words = vectorizer.get_feature_names_out()
    found = [[words[number] for number in numbers] for numbers in words_in_order(vectorizer, TEXTS)]
    assert found[1] == ["moon", "moon light", "light", "light light", "light"]
    assert found[4] == ["sun", "sun moon", "moon"]


@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (2, 3)}, {"min_df": 2, "stemmer": "english"}]
)
def test_words_in_order_are_those_that_are_counted(options: dict[str, Any]) -> None:
    vectorizer = Vectorizer(**options)
    counts = vectorizer.fit_transform(TEXTS)
    again = [
        np.bincount(numbers, minlength=counts.shape[1])
        for numbers in words_in_order(vectorizer, TEXTS)
    ]
    np.testing.assert_array_equal(again, counts.toarray())


def test_no_texts_no_words() -> None:
    assert words_in_order(Vectorizer(vocabulary=["sun"]), []) == []
