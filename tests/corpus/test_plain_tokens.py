"""Tokens without polars are polars' tokens."""

from __future__ import annotations

import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.corpus import Vectorizer
from undertow.corpus._english import _from_file, english_stop_words
from undertow.corpus._plain_tokens import parts_of, tokens
from undertow.corpus.analyzer import WORDS

LETTERS = map(chr, [*range(0xD800), *range(0xE000, 0x110000)])
KNOWN = [letter for letter in LETTERS if unicodedata.category(letter) != "Cn"]
PATTERNS = (
    WORDS,
    r"[\p{L}\p{N}_]{2,}",
    r"[a-zA-Z]+[0-9]*",
    r"[\d]{1,3}",
    r"[\p{Lu}][\p{Ll}\x{301}]*",
    r"[ \p{L}']+",
)
UNKNOWN = (
    *(r"\w+", "[^a]+", "[a&&b]+", "[a-]+", r"\p{L}+", "[a]*", "[a]+?"),
    *("", "[a", r"[\p{Greek}]+", "[a~~b]", "(?i)[a]"),
    *("[a-z]*" * 40 + "[0-9]", "[a]?" * 40 + "[a]{40}", "[a-z]+[0-9]", "[a]{99999999999}"),
)
TEXT = st.text() | st.text("abAZ09_ '-\u0301éßİ\u200dञ中ſ\u212a", max_size=40)


@pytest.mark.parametrize("category", ["L", "M", "N"])
def test_letters_are_the_same_in_both_tables(category: str) -> None:
    theirs = pl.Series(KNOWN).str.contains(rf"\p{{{category}}}").to_list()
    assert [letter for letter, there in zip(KNOWN, theirs, strict=True) if there] == [
        letter for letter in KNOWN if unicodedata.category(letter)[0] == category
    ]


def test_small_letters_are_the_same() -> None:
    assert pl.Series(KNOWN).str.to_lowercase().to_list() == [letter.lower() for letter in KNOWN]


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXT, max_size=3), lowercase=st.booleans())
def test_tokens_are_those_of_polars(pattern: str, texts: list[str], lowercase: bool) -> None:
    found = tokens(texts, pattern, lowercase=lowercase)
    column = pl.Series(texts, dtype=pl.String)
    column = column.str.to_lowercase() if lowercase else column
    assert found is None or found == column.str.extract_all(pattern).to_list()


def test_what_is_not_certain_is_left_to_polars() -> None:
    assert tokens(["ΑΣ"], WORDS, lowercase=True) is None
    assert tokens(["ΑΣ"], WORDS, lowercase=False) == [["ΑΣ"]]
    assert tokens(["\U000e01f0 unassigned"], WORDS, lowercase=True) is None
    for pattern in UNKNOWN:
        assert parts_of(pattern) is None
        assert tokens(["a b"], pattern, lowercase=True) is None


def test_a_pattern_that_takes_its_time_is_left_to_polars() -> None:
    """Python's `re` would try 10^20 ways of cutting these letters up."""
    slow = Vectorizer(token_pattern="[a-z]*" * 40 + "[0-9]", vocabulary=["a"])
    assert slow.fit([]).counter().counts(["a" * 300]).sum() == 0


def test_english_stop_words_are_scikit_learns() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert _from_file() == english_stop_words() == ENGLISH_STOP_WORDS
