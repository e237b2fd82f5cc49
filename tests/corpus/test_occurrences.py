"""Words found again in raw text: as many as are counted, and where they stand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from undertow import InvalidInput, Vectorizer
from undertow.corpus import occurrences

LETTERS = "aAbBrRßİıΣσςǅéÉ́ſK一ﬀ½१ा_0 \n-&#;<>/!'\U0001f600\ue000\x00"
PIECES = (
    "<b>",
    "</b>",
    "<!-- a b -->",
    "<script>a</script>",
    "&eacute;",
    "&amp",
    "&notit;",
    "&#65;",
    "running",
    "ΑΣ",
    "the",
    "文学",
    "本を",
    "ไทย",
)
PATTERNS = (
    r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_\x{200C}\x{200D}]+",
    r"[\p{L}\p{N}]",
    r"\b\w+\b",
    r"\w",
    r"(?i)[a-z]+",
    r"a|ab|\p{M}",
    r"[^ ]+ [^ ]+",
    r"(?m)^\S+",
    r"ab",
)


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*LETTERS, *PIECES]), max_size=25).map("".join)


def vectorizers() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "token_pattern": st.sampled_from(PATTERNS),
            "lowercase": st.booleans(),
            "strip_html": st.booleans(),
            "stop_words": st.sampled_from([None, "english", ["a", "ab"]]),
            "stemmer": st.sampled_from([None, "english", "turkish"]),
            "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 3)]),
            "segmenter": st.sampled_from(
                [None, "pairs", "japanese", ["chinese", "thai"], ["thai", "pairs"]]
            ),
        }
    )


def fitted(options: dict[str, Any], text: str) -> Vectorizer | None:
    """A vectorizer that knows every word of a text, or None where there is none."""
    try:
        return Vectorizer(None, **options).fit([text])
    except InvalidInput:
        return None


@settings(max_examples=150, deadline=None)
@given(text=texts(), options=vectorizers())
@example(text="İİ running İ", options={"token_pattern": PATTERNS[0], "lowercase": True})
@example(
    text="ΑΣ ΑΣα ΑΣ",
    options={"token_pattern": PATTERNS[2], "lowercase": True, "ngram_range": (1, 2)},
)
@example(
    text="caf&eacute; <b>caf&eacute;</b>",
    options={"token_pattern": PATTERNS[0], "strip_html": True},
)
def test_as_many_as_are_counted_each_where_its_word_is(text: str, options: dict[str, Any]) -> None:
    vectorizer = fitted(options, text)
    if vectorizer is None:
        return
    found = occurrences(vectorizer, text)
    counts = vectorizer.transform([text])
    assert Counter(one.column for one in found) == dict(
        zip(counts.indices.tolist(), counts.data.tolist(), strict=True)
    )
    assert all(vectorizer.vocabulary_[one.word] == one.column for one in found)
    assert all(0 <= one.start <= one.end <= len(text) for one in found)
    assert found == sorted(found, key=lambda one: (one.start, one.end))
    alone = [one for one in found if reads_alone(text[one.start : one.end], options)]
    if alone:
        again = vectorizer.transform([text[one.start : one.end] for one in alone])
        assert all(again[row, one.column] >= 1 for row, one in enumerate(alone))


def reads_alone(part: str, options: dict[str, Any]) -> bool:
    """Whether a part of a text is read as in the whole: a pattern with anchors, words of a
    language without spaces, a sigma, and an entity without its ; depend on what is around them.
    """
    segmented = options.get("segmenter") not in (None, "pairs")
    anchored = segmented or any(sign in options["token_pattern"] for sign in ("(?m)^", r"\b"))
    half_entity = "&" in part.replace("&eacute;", "").replace("&#65;", "")
    return not anchored and "Σ" not in part and not (options.get("strip_html") and half_entity)


def test_words_stand_where_they_are_read() -> None:
    text = "The Running dogs, <i>run</i>!"
    vectorizer = Vectorizer(
        None, stemmer="english", stop_words="english", ngram_range=(1, 2), strip_html=True
    ).fit([text])
    found = [(text[one.start : one.end], one.word) for one in occurrences(vectorizer, text)]
    assert found == [
        ("Running", "run"),
        ("Running dogs", "run dog"),
        ("dogs", "dog"),
        ("dogs, <i>run", "dog run"),
        ("run", "run"),
    ]


def test_letters_that_become_two_do_not_move_the_rest() -> None:
    text = "İİİ ab İb"
    vectorizer = Vectorizer(None).fit([text])
    assert [text[one.start : one.end] for one in occurrences(vectorizer, text)] == [
        "İİİ",
        "ab",
        "İb",
    ]


def test_an_entity_is_the_letter_that_it_stands_for() -> None:
    text = "<p>caf&eacute; au lait"
    vectorizer = Vectorizer(None, strip_html=True).fit([text])
    found = [(text[one.start : one.end], one.word) for one in occurrences(vectorizer, text)]
    assert found == [("caf&eacute;", "café"), ("au", "au"), ("lait", "lait")]


def test_only_known_words_are_found() -> None:
    vectorizer = Vectorizer(vocabulary=["pear", "plum"])
    assert [(one.word, one.column) for one in occurrences(vectorizer, "apple plum pear plums")] == [
        ("plum", 1),
        ("pear", 0),
    ]
    assert occurrences(vectorizer, "") == []


def test_marks_in_the_text_do_not_mislead() -> None:
    text = "\ue000ab\ue000 cd \ue001"
    vectorizer = Vectorizer(None).fit([text])
    assert [one.word for one in occurrences(vectorizer, text)] == ["ab", "cd"]


@pytest.mark.parametrize("text", [None, 3, b"ab", "half \ud800"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(InvalidInput, match="texts must be"):
        occurrences(Vectorizer(vocabulary=["ab"]), text)
