"""Words that a mistyped one was meant to be, against a slow search through all words."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from undertow.fulltext import meant_words as module
from undertow.fulltext.full_text import FullText
from undertow.fulltext.meant_words import similar
from undertow.fulltext.segment import Segment
from undertow.fulltext.segment_maker import SegmentMaker
from undertow.fulltext.word_rule import WordRule
from undertow.kernels.reference.edits import edits

RULE = WordRule()


def full_text(*segments: Sequence[str]) -> FullText:
    parts, first = [], 0
    for texts in segments:
        maker = SegmentMaker(RULE)
        rows = np.arange(first, first + len(texts), dtype=np.uint64)
        maker.add(rows, pl.Series(texts, dtype=pl.String))
        parts.append(maker.segment())
        first += len(texts)
    return FullText.of(RULE, parts, None)


def expected(texts: Sequence[str], word: str) -> str | None:
    """By the words of the promise, one word at a time."""
    if len(word) < 5 or any(letter.isnumeric() for letter in word):
        return None
    most = 1 if len(word) < 8 else 2
    held = Counter(other for text in texts for other in set(RULE.of_question(text)))
    found = [
        (edits(word, other), -documents, other)
        for other, documents in held.items()
        if documents >= (1 if len(texts) < module.FEW else 2)
        and (other[0] == word[0] or other[-1] == word[-1])
        and 1 <= edits(word, other) <= most
    ]
    return min(found)[2] if found else None


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("ab", "ba", 1),
        ("abc", "abd", 1),
        ("abc", "ac", 1),
        ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ],
)
def test_the_oracle_counts_edits(one: str, other: str, distance: int) -> None:
    assert edits(one, other) == edits(other, one) == distance


# Few letters, so that many words are near; of one to four bytes, and two that share their first
# byte.
LETTERS = st.sampled_from("aabbcøдж天𝒳")
WORDS = st.text(LETTERS, min_size=4, max_size=9)


Edit = tuple[int, str, int]
EDITS = st.lists(st.tuples(st.integers(0, 9), LETTERS, st.integers(0, 3)), min_size=1, max_size=3)


def mistyped(word: str, edits: list[Edit]) -> str:
    """What a few edits make of a word."""
    for place, letter, way in edits:
        begin, rest = word[:place], word[place:]
        word = (
            begin
            + (letter + rest, letter + rest[1:], rest[1:], rest[1:2] + rest[:1] + rest[2:])[way]
        )
    return word


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_nearest_word_is_found(data: st.DataObject) -> None:
    word = data.draw(st.text(LETTERS, min_size=3, max_size=9))
    near = data.draw(
        st.lists(
            st.one_of(EDITS.map(lambda edits: mistyped(word, edits)), WORDS),
            min_size=1,
            max_size=12,
        )
    )
    texts = [" ".join(data.draw(st.lists(st.sampled_from(near), max_size=4))) for _ in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", data.draw(st.sampled_from([4, 5])))  # many documents, or few
        assert similar(full_text(texts[:1], texts[1:]), word) == expected(texts, word)


@settings(max_examples=100, deadline=None)
@given(WORDS, EDITS)
@example("abcdefgh", [(2, "𝒳", 0), (5, "𝒳", 0)])  # eight bytes more
@example("ab𝒳defg天", [(2, "", 2), (6, "", 2)])  # seven bytes less
@example("abcdefgh", [(2, "", 3), (5, "", 3)])
@example("abcdefg", [(2, "d", 1), (3, "x", 1)])  # cd became dx: no swap
@example("abcdefgh", [(0, "x", 1), (7, "y", 1)])  # both outer letters are others
@example("дbcdefgh", [(0, "ж", 1), (7, "y", 1)])  # though they begin with the same byte
def test_a_word_is_found_from_another(word: str, edits: list[Edit]) -> None:
    other = mistyped(word, edits)
    assert similar(full_text([other]), word) == expected([other], word)


def test_what_counts() -> None:
    full = full_text(["station mouse", "nation statin mouse", "house statin", "cat b2b4 straße"])
    assert similar(full, "stetion") == "station"
    assert (
        similar(full, "stationn") == "station"
    )  # one edit is less than two, however many documents
    assert similar(full, "satition") == "station"
    assert similar(full, "satitin") is None  # two edits, but seven letters
    assert similar(full, "xouse") == "mouse"  # two documents
    assert similar(full, "mouse") == "house"  # never the word itself
    assert similar(full, "cta") is None
    assert similar(full, "b2b3") is None
    assert similar(full, RULE.of_question("Strase")[0]) == "strasse"
    assert similar(FullText.of(RULE, [], None), "station") is None


def test_a_word_of_one_document_may_be_a_mistake_where_there_are_many() -> None:
    texts = ["stetion"] + ["other words"] * 998
    assert similar(full_text(texts), "statiom") is None  # two edits
    assert similar(full_text(texts), "stetiom") == "stetion"
    assert similar(full_text([*texts, ""]), "stetiom") is None
    assert (
        similar(full_text([*texts, ""], ["stetion"]), "stetiom") == "stetion"
    )  # one in each segment


@pytest.mark.parametrize("damage", [-1, 2**62, -(2**63), 2**63 - 1, 3])
def test_damaged_words_do_no_harm(damage: int) -> None:
    (segment,) = full_text(["station straße søkeord"]).segments
    for place in range(len(segment.word_ends)):
        ends = segment.word_ends.copy()
        ends[place] = damage
        broken = Segment(**{**vars(segment), "word_ends": ends})
        similar(FullText.of(RULE, [broken], None), "sokeordet")
    ends = np.array([0, 2**63 - 1, -(2**63) + 6, 23])  # whose difference wraps around to 7
    broken = Segment(**{**vars(segment), "word_ends": ends})
    assert similar(FullText.of(RULE, [broken], None), "statiom") is None
    letters = np.full_like(segment.letters, 0xF0)
    broken = Segment(**{**vars(segment), "letters": letters})
    assert similar(FullText.of(RULE, [broken], None), "𝒳tation") is None


def test_a_large_dictionary_takes_no_time() -> None:
    generator = np.random.default_rng(0)
    count, size = 200_000, 9
    letters = np.sort(
        generator.integers(97, 123, (count, size), dtype=np.uint8).view("S9").ravel()
    ).view(np.uint8)
    ends, starts = np.arange(count + 1) * size, np.arange(count + 1) * 2
    rows = np.arange(5000, dtype=np.uint64)
    lists = np.zeros(2 * count, dtype=np.uint32), np.zeros(2 * count, dtype=np.uint8)
    full = FullText.of(
        RULE, [Segment(rows, rows.astype(np.uint32), letters, ends, starts, *lists)], None
    )
    word = full.segments[0].word(count // 2)
    begin = time.thread_time()
    assert similar(full, word[:3] + word[4] + word[3] + word[5:]) == word
    assert (
        time.thread_time() - begin < 0.5
    )  # it takes some 0.01 s: word by word it would take a minute
