"""Which texts are kept, and what is shown of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.topics import _texts
from undertow.topics._texts import TextSample, sampled_rows, sentences_of, shortened, title_of


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=8), st.integers(1, 60), st.booleans())
def test_the_same_rows_are_kept_for_any_chunks(chunks: list[int], most: int, named: bool) -> None:
    documents = sum(chunks)
    sample, first = TextSample(most), 0
    for size in chunks:
        rows = range(first, first + size)
        ids = pl.Series([f"id {row}" for row in rows], dtype=pl.String) if named else None
        sample.see(pl.Series([f"text {row}" for row in rows], dtype=pl.String), ids)
        first += size
    found = sample.close()
    expected = sampled_rows(documents, most).tolist()
    assert len(expected) == min(documents, most)
    assert found.rows.tolist() == expected
    assert found.texts == [f"text {row}" for row in expected]
    assert found.ids == [f"id {row}" if named else str(row) for row in expected]


def test_what_is_held_meanwhile_is_bounded() -> None:
    sample = TextSample(10)
    for first in range(0, 5000, 10):
        sample.see(pl.Series([str(row) for row in range(first, first + 10)]), None)
        assert len(sample._kept) <= 30
    np.testing.assert_array_equal(sample.close().rows, sampled_rows(5000, 10))


def test_only_the_beginning_of_a_text_is_kept() -> None:
    sample = TextSample()
    sample.see(pl.Series(["x" * 10_000]), None)
    assert sample.close().texts == ["x" * _texts.LETTERS]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("From: a@b.c\nSubject: Re: RE: The moon\nLines: 3\n\nHello there.", "The moon"),
        ("Title: A report\nIt begins here.", "A report"),
        ("subject:\n\nNo subject at all. It goes on.", "subject:"),
        ("\n\n  First line of the text\nSecond line.", "First line of the text"),
        ("One sentence. Another sentence.", "One sentence."),
        ("<p>What a <b>film</b>!<br />I loved it.</p>", "What a film !"),
        ("From: me\nTo: you\n\nThe body. More.", "The body."),
        ("", ""),
        ("   \n\n ", ""),
        ("word " * 100, ("word " * 18).strip()[:88] + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    found = title_of(text)
    assert len(found) <= 90
    if title.endswith("…"):
        assert found.endswith("…")
        assert text.startswith(found[:-1])
    else:
        assert found == title


def test_sentences_are_without_header_quotations_and_tags() -> None:
    text = (
        "From: someone@example.org\nSubject: Launch\nOrganization: None at all, really\n\n"
        "> Quoted lines are not the author's own words.\n| Nor are these, which somebody else "
        "wrote.\n"
        "The rocket was launched at dawn. It reached\nits orbit after nine minutes! Short.\n\n"
        "A paragraph without an end of its own\n\n<b>Tags</b> are left out of what is shown here."
    )
    assert sentences_of(text) == [
        "The rocket was launched at dawn.",
        "It reached its orbit after nine minutes!",
        "A paragraph without an end of its own",
        "Tags are left out of what is shown here.",
    ]


def test_addresses_tables_and_lines_that_lead_in_are_no_sentences() -> None:
    text = (
        "In article 12 somebody wrote:\n\nMail me at someone@example.org please.\n\n1 2 3 4 5 6 7 "
        "8 9 10 11 12 13\n\n"
    )
    assert sentences_of(text + "This is what it is about.") == ["This is what it is about."]


@pytest.mark.parametrize(
    "text", ["यह हिन्दी में लिखा गया एक साधारण वाक्य है", "Это обычное предложение по-русски."]
)
def test_sentences_of_any_script(text: str) -> None:
    assert sentences_of(text) == [text]


def test_a_text_without_sentences_has_none() -> None:
    assert sentences_of("") == []
    assert sentences_of("Short. Too. So is this.") == []
    assert sentences_of("> only quoted, from the first line to the last one") == []


def test_one_line_that_looks_like_a_header_is_none() -> None:
    assert sentences_of("Note: this is an ordinary text.\n\nIt has a second paragraph.") == [
        "Note: this is an ordinary text.",
        "It has a second paragraph.",
    ]


@given(st.text(max_size=200), st.integers(10, 60))
def test_shortened_is_short_and_a_beginning(text: str, most: int) -> None:
    found = shortened(text, most)
    plain = " ".join(text.split())
    assert len(found) <= most
    if len(plain) <= most:
        assert found == plain
    else:
        assert found.endswith("…")
        assert plain.startswith(found[:-1])


def test_it_is_cut_at_a_space() -> None:
    assert shortened("one two, three four", 14) == "one two…"
    assert shortened("a  b\n c", 10) == "a b c"
    assert shortened("x" * 20, 10) == "x" * 9 + "…"
