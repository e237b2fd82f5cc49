"""A few texts are counted as many are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.corpus import Vectorizer, few_texts

LETTERS = st.text(alphabet="abBt ΣσΑ\u0301'.,\nİé<>&;-_7中文", max_size=30)
TEXTS = st.lists(
    st.lists(st.sampled_from(["the", "cats", "Cat", "running", "<b>run</b>", "&eacute;t"])).map(
        " ".join
    )
)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "stop_words": "english"},
    {"stop_words": ["cat", "ab"], "stemmer": "english"},
    {"lowercase": False, "strip_html": True},
    {"token_pattern": r"[\p{L} ]+"},
]


@pytest.mark.parametrize("options", OPTIONS)
@settings(max_examples=50, deadline=None)
@given(st.lists(LETTERS) | TEXTS, st.data())
def test_the_counts_are_those_of_transform(
    options: dict[str, Any], texts: list[str], data: st.DataObject
) -> None:
    model = Vectorizer(**options)
    try:
        model.fit([*texts, "the cats ran ab ab ét running é ΑΣ"])
    except ValueError:  # not a word in them
        return
    asked = data.draw(st.lists(st.sampled_from([*texts, "", "zebra"]), max_size=4))
    expected = model.transform(asked)
    for most in (few_texts.MOST, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(few_texts, "MOST", most)
            counts = model.counter().counts(asked)
        assert counts.shape == expected.shape
        assert (counts.dtype, counts.indices.dtype) == (expected.dtype, expected.indices.dtype)
        np.testing.assert_array_equal(counts.toarray(), expected.toarray())
        assert counts.has_canonical_format
