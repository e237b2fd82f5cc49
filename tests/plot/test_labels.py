"""Nothing that comes from a document is read as markup."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from undertow.plot.labels import label, paragraph, shortened

HOSTILE = (
    "<b>x</b>",
    "<script>x</script>",
    "<a href=javascript:alert(1)>x</a>",
    "a & b &lt;i&gt;",
    "$x$",
    "<extra>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_text(text: str) -> None:
    safe = label(text)
    assert not re.search(r"[<>$]", safe)
    assert html.unescape(safe) == text
    assert html.unescape(paragraph(text)) == text


@given(st.text(max_size=400), st.integers(2, 60))
def test_any_text_is_short_and_safe(text: str, most: int) -> None:
    safe = label(text, most)
    assert not re.search(r"[<>$\n\r]", safe)
    assert len(html.unescape(safe)) <= most
    assert html.unescape(safe) == shortened(text, most)
    assert re.sub("<br>", "", paragraph(text, most)).find("<") == -1


def test_what_does_not_print_is_a_space() -> None:
    assert label("a\x00b\u202ec\u2028d\x1b[31m") == "a b c d [31m"


def test_long_texts_end_in_an_ellipsis_and_lines_are_broken() -> None:
    assert label("word " * 100, 12) == "word word w…"
    lines = paragraph("word " * 30, 100, 20).split("<br>")
    assert max(map(len, lines)) <= 20
    assert lines[-1].endswith("…")
