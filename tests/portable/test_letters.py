"""Patterns of Rust's regex, and lower-casing, as Python has them; polars is the oracle."""

from __future__ import annotations

import re
from functools import cache

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from undertow import InvalidInput
from undertow.corpus.analyzer import ENTITY, TAGS, WORDS
from undertow.portable.encoder import Reader
from undertow.portable.letters import lower_case, python_pattern, written_class

PATTERNS = [
    WORDS,
    rf"{WORDS}|\p{{Han}}",
    TAGS,
    ENTITY,
    r"[\p{L}\p{N}_]{2,}",
    r"\S+",
    r"(?i)[a-k\x{e9}]+?x",
    r"\b\w\w+\b",
    r"[\p{L}--[aeiou]]+",
    r"[[:alpha:]&&[^x]]{2,3}",
    r"\p{Greek}+|[0-9]+(?:\.\d+)?",
    r"(?P<sign>[#@])\w+|\w+",
    r"[]a\]b-]+",
    r"a(b|bc)(c|\.)",
    r".\n",
]
LETTERS = st.text(
    st.sampled_from("aAbcBxXzZ ΣσΑςİıſKé'.,#@_-]\n\t<>&;/!scriptSTYLE129٣中文カ\u0301\u200d")
    | st.characters(exclude_categories=["Cs"]),
    max_size=40,
)


@cache
def reader(pattern: str, *, lowercase: bool) -> Reader:
    return Reader(
        {
            "pattern": python_pattern(pattern),
            "tags": None,
            "lower": lower_case() if lowercase else None,
            "longest": None,
            "stop_words": [],
            "stemmer": None,
            "ngram_range": [1, 1],
        }
    )


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=25, deadline=None)
@given(text=LETTERS)
@example(text="ΟΔΟΣ ΑΣΑ Σ <SCRIPT x>a</ſcript> &eacute;")
def test_python_finds_what_polars_does(pattern: str, text: str) -> None:
    for lowercase in (False, True):
        column = pl.Series([text])
        column = column.str.to_lowercase() if lowercase else column
        expected = column.str.extract_all(pattern)[0].to_list()
        assert reader(pattern, lowercase=lowercase).tokens(text) == expected


def test_a_class_is_what_polars_finds_among_all_letters() -> None:
    known = (
        range(0xD800),
        range(0xE000, 0x13000),
        range(0x1D300, 0x1FB00),
        range(0x10FFF0, 0x110000),
    )
    everything = "".join(chr(code) for part in known for code in part)
    for atom in (r"\p{L}", r"[^\w\s]", r"\P{Lu}", r"(?i)k"):
        expected = "".join(pl.Series([everything]).str.extract_all(atom)[0].to_list())
        assert "".join(re.findall(written_class(atom), everything)) == expected
    assert re.findall(written_class(r"[a&&b]"), everything) == []


@pytest.mark.parametrize(
    "pattern", [r"^a+", r"a+$", r"(?x) a b", r"a(?i)b", r"\Aa", r"\b{start}a", "a{2}{3}", r"x*+"]
)
def test_what_python_could_read_otherwise_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput, match=r"^token_pattern must be made of classes, groups"):
        python_pattern(pattern)
