"""Words of full-text search: polars reads documents, Python reads questions, and they have to
agree.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from undertow.fulltext.word_rule import LONGEST, WordRule

RULES = [WordRule(), WordRule("english"), WordRule("german")]


def of_texts(rule: WordRule, text: str) -> list[str]:
    words, starts, codes = rule.of_texts(pl.Series(["x", text, ""]))
    assert starts.tolist() == [0, 1, len(codes), len(codes)]
    return [words[code] for code in codes[1:] if code >= 0]


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
@example("Naïve Façade, Straße ΣΊΣΥΦΟΣ İstanbul ﬁne x²")
@example("e\u0301te\u0301 \u0301 नमस्ते दुनिया สวัสดี")
def test_documents_and_questions_are_read_alike(rule: WordRule, text: str) -> None:
    # No half surrogates, which no database holds, and no letters that this Python has not heard of
    # yet.
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cs", "Cn"))
    assert rule.of_question(text) == of_texts(rule, text)


def test_words_are_small_bare_and_whole() -> None:
    words = WordRule().of_question("Café-Crème, 42 don't STRASSE Straße naïve_x")
    assert words == ["cafe", "creme", "42", "don", "t", "strasse", "strasse", "naive", "x"]
    assert WordRule("english").of_question("phones phone phoning") == ["phone", "phone", "phone"]
    assert WordRule().of_question("x" * 100) == ["x" * LONGEST]


def test_a_script_without_spaces_is_spaced_first() -> None:
    rule = WordRule(segmenter="pairs", spaced=lambda texts: [" ".join(text) for text in texts])
    assert rule.of_question("天気") == ["天", "気"] == of_texts(rule, "天気")
    assert rule.name != WordRule().name


def test_a_mark_alone_is_no_word() -> None:
    words, starts, codes = WordRule().of_texts(pl.Series(["\u0301 word \u0301"]))
    assert words == ["word"]
    assert starts.tolist() == [0, 3]
    np.testing.assert_array_equal(codes, [-1, 0, -1])
