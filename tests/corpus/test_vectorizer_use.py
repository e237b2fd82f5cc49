"""The vectorizer as a scikit-learn transformer, and what it says of wrong options."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from undertow import ReplicatedSoftmax
from undertow._errors import InvalidInput
from undertow.corpus import Vectorizer

TEXTS = ["the cat sat on the mat", "The dog sat; the CAT ran", "", "birds fly, dogs ran", "!"]


def test_clone_pickle_and_pipeline() -> None:
    model = Vectorizer(10, ngram_range=(1, 2), stop_words=["the"], stemmer="english").fit(TEXTS)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).transform(TEXTS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.transform(TEXTS).toarray(), model.transform(TEXTS).toarray()
    )
    assert again.partial_fit(["zebra zebra"]).n_documents_ == 6
    pipeline = make_pipeline(Vectorizer(), ReplicatedSoftmax(4, max_epochs=2, random_state=0))
    assert pipeline.fit_transform(TEXTS * 4).shape == (
        20,
        8,
    )  # units, and as many directions of words


def test_a_fixed_vocabulary_needs_no_fitting() -> None:
    for vocabulary in (["mat", "cat"], {"cat": 1, "mat": 0}, {"mat": 0, "cat": 1}):
        model = Vectorizer(vocabulary=vocabulary)
        np.testing.assert_array_equal(model.transform(["mat mat cat zoo"]).toarray(), [[2, 1]])
        assert model.get_feature_names_out().tolist() == ["mat", "cat"]
        assert model.fit(["zoo"]).partial_fit(["zoo"]).vocabulary_ == {"mat": 0, "cat": 1}
        np.testing.assert_array_equal(model.fit_transform(["mat mat cat zoo"]).toarray(), [[2, 1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary_size": 0}, "vocabulary_size must be a whole number of at least 1, got 0"),
        ({"ngram_range": 2}, "ngram_range must be two whole numbers, got 2"),
        ({"ngram_range": (0, 1)}, "ngram_range[0] must be a whole number of at least 1, got 0"),
        ({"ngram_range": (2, 1)}, "ngram_range[1] must be a whole number of at least 2, got 1"),
        (
            {"stop_words": "klingon"},
            "stop_words must be None, a list of words or one of afrikaans, arabic, armenian, ",
        ),
        ({"stop_words": [1]}, "stop_words must be None, a language or a list of words, got [1]"),
        ({"stemmer": "klingon"}, "stemmer must be one of 'arabic', "),
        ({"min_df": 0}, "min_df must be a whole number of at least 1, got 0"),
        (
            {"min_df": 1.5},
            "min_df must be a share of the documents in [0, 1] or a whole number, got 1.5",
        ),
        ({"max_df": "all"}, "max_df must be a whole number of at least 1, got 'all'"),
        (
            {"min_df": 3, "max_df": 2},
            "max_df must allow at least as many documents as min_df, got 2 and 3",
        ),
        (
            {"token_pattern": "(?=a)"},
            "token_pattern must be a regular expression in the syntax of Rust's regex",
        ),
        ({"token_pattern": r"\w*"}, "token_pattern must not match nothing at all, got '\\\\w*'"),
        ({"token_pattern": None}, "token_pattern must be a regular expression, got None"),
        ({"chunk_size": 0}, "chunk_size must be a whole number of at least 1, got 0"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1, got 0"),
        ({"max_types": 0}, "max_types must be a whole number of at least 1, got 0"),
        (
            {"vocabulary": "word"},
            "vocabulary must be a collection of words or a mapping word -> column, got 'word'",
        ),
        ({"vocabulary": ["a", 1]}, "vocabulary must hold strings, got 1"),
        ({"vocabulary": []}, "vocabulary must hold strings, got no word"),
        ({"vocabulary": ["a", "b", "a"]}, "vocabulary must hold each word once, got 'a' twice"),
        ({"vocabulary": {"a": 1}}, "vocabulary must map its 1 words to the columns 0 to 0"),
        ({"min_df": 4}, "min_df and max_df must leave a word, got 4 and 1.0, which leave none of "),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        Vectorizer(**options).fit(TEXTS)


def test_texts_without_tokens_are_refused() -> None:
    with pytest.raises(InvalidInput, match="texts must hold a token, got none in 3 documents"):
        Vectorizer().fit(["", "!", "a"])
    with pytest.raises(InvalidInput, match="texts must be strings, got None in row 1"):
        Vectorizer().fit(["a", None])
