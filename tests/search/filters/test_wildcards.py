"""Wildcards of patterns: merged without another meaning, and bounded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.filters import holds
from undertow import InvalidInput
from undertow.search.filters.column_names import ColumnNames
from undertow.search.filters.expression import expression
from undertow.search.filters.grammar import Like, parse
from undertow.search.filters.wildcards import MOST, merged, wildcards

PATTERNS = st.lists(st.sampled_from(["%", "_", "a", "b", r"\%", r"\_", r"\\"]), max_size=8)
TEXTS = st.text(alphabet="ab%_\\\n", max_size=8)


@given(PATTERNS, TEXTS)
def test_a_merged_pattern_matches_the_same_texts(pieces: list[str], text: str) -> None:
    pattern = "".join(pieces)
    document = {"text": text}
    assert holds(Like("text", merged(pattern)), document) == holds(Like("text", pattern), document)


@given(PATTERNS)
def test_nothing_is_left_to_merge(pieces: list[str]) -> None:
    once = merged("".join(pieces))
    assert merged(once) == once
    bare = re.sub(r"\\.", "a", once)  # letters that are meant as such
    assert "%%" not in bare
    assert "%_" not in bare
    assert wildcards(once) == bare.count("%") + bare.count("_")


@pytest.mark.parametrize("pattern", ["%" * 4000, "%" * 2000 + "_" * 50 + "%" * 1900])
def test_a_long_run_is_as_good_as_a_short_one(pattern: str) -> None:
    written = expression(f"label LIKE '{pattern}'", ColumnNames({"label": "text"}))
    assert len(written) < 150


def test_as_many_wildcards_as_there_may_be() -> None:
    assert parse("label LIKE '" + "%a" * MOST + "'") == Like("label", "%a" * MOST)
    with pytest.raises(InvalidInput, match="where must have at most 100 wildcards"):
        parse("label LIKE '" + "%a" * MOST + "' AND label LIKE '_'")
