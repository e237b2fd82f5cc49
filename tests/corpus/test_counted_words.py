"""What other packages are told of the words that a vectorizer counts."""

from __future__ import annotations

import pytest
from sklearn.exceptions import NotFittedError

from undertow.corpus import Vectorizer
from undertow.corpus.counted_words import columns_of, overlap


def test_columns_are_those_of_the_matrix() -> None:
    vectorizer = Vectorizer().fit(["plum pear plum", "pear apple"])
    columns = columns_of(vectorizer)
    counts = vectorizer.transform(["plum plum apple"])
    assert {word: counts[0, column] for word, column in columns.items()} == {
        "plum": 2,
        "pear": 0,
        "apple": 1,
    }


def test_a_fixed_vocabulary_needs_no_fitting() -> None:
    assert columns_of(Vectorizer(vocabulary=["pear", "plum"])) == {"pear": 0, "plum": 1}
    with pytest.raises(NotFittedError):
        columns_of(Vectorizer())


def test_only_pairs_of_letters_overlap() -> None:
    assert overlap(Vectorizer(segmenter="pairs"))
    assert not overlap(Vectorizer(segmenter="thai"))
    assert not overlap(Vectorizer().fit(["plum pear"]))
