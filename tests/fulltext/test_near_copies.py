"""Texts that are nearly the same, against sets of shingles."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow.fulltext import near_copies
from undertow.fulltext.near_copies import fold


def expected(texts: list[list[str]]) -> list[int]:
    """By the definition: sets of runs of four words, compared with those that stand for
    themselves.
    """
    sets = [{tuple(words[i : i + 4]) for i in range(max(len(words) - 3, 1))} for words in texts]
    found: list[int] = []
    for place, mine in enumerate(sets):
        before = [other for other in range(place) if found[other] == other]
        same = (
            other for other in before if 5 * len(mine & sets[other]) >= 4 * len(mine | sets[other])
        )
        found.append(next(same, place))
    return found


FEW = st.lists(st.sampled_from(["a", "b", "é", "aa", "天気", "c1"]), min_size=1, max_size=5)
VOCABULARY = [f"w{number}" for number in range(50)]


@st.composite
def collections(draw: st.DrawFn) -> list[list[str]]:
    """Short texts, and longer ones that begin alike: the overlap goes from nothing to all."""
    generator = draw(st.randoms(use_true_random=False))
    base = generator.choices(VOCABULARY, k=40)
    texts = [draw(FEW) for _ in range(draw(st.integers(0, 4)))]
    for _ in range(draw(st.integers(0, 8))):
        kept = generator.randint(25, 40)
        texts.append(base[:kept] + generator.choices(VOCABULARY, k=generator.randint(0, 8)))
    generator.shuffle(texts)
    return texts


@settings(max_examples=100, deadline=None)
@given(collections(), st.sampled_from([" ", ", ", " — ", "\n"]))
def test_texts_are_folded_by_the_definition(texts: list[list[str]], between: str) -> None:
    assert fold([between.join(words) for words in texts]) == expected(texts)


def test_many_shared_shingles_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(0)
    bases = [generator.choices(VOCABULARY, k=200) for _ in range(3)]
    texts = [base[: generator.randint(120, 200)] for base in bases * 6]
    wanted = expected(texts)
    assert 3 < len(set(wanted)) < 18
    for block in (1, 7, 64, 4096):
        monkeypatch.setattr(near_copies, "BLOCK", block)
        assert fold([" ".join(words) for words in texts]) == wanted


def test_the_limit_is_four_fifths() -> None:
    words = [f"w{number}" for number in range(12)]  # nine shingles
    whole = " ".join(words)
    assert fold([whole, " ".join([*words, "x", "y"])]) == [0, 0]  # 9 of 11
    assert fold([whole, " ".join([*words[:-1], "x"])]) == [0, 0]  # 8 of 10
    assert fold([whole, " ".join([*words[:-1], "x", "y"])]) == [0, 1]  # 8 of 11


def test_case_and_marks_change_nothing() -> None:
    plain = 'It\'s "quite" the same - text. ÉTÉ, right?'
    assert fold([plain, "it’s “QUITE” the same — text… été\u00a0(right)"]) == [0, 0]
    assert fold(["今日、天気。いい、ですね", "今日, 天気. いい, ですね"]) == [0, 0]


def test_short_texts_have_to_be_equal() -> None:
    assert fold(["one two", "One, two!", "two one", "one", "one one", "one two three", ""]) == [
        0,
        0,
        2,
        3,
        4,
        5,
        6,
    ]
    assert fold(["...", "!!", "...", ""]) == [0, 1, 0, 3]  # without words: the same characters
    assert fold([]) == []
    assert fold(["alone"]) == [0]


def test_folded_texts_stand_for_nobody() -> None:
    words = [f"w{number}" for number in range(60)]
    first, second, third = (" ".join(words[begin : begin + 43]) for begin in (0, 4, 8))
    assert fold([first, second]) == [0, 0]
    assert fold([second, third]) == [0, 0]
    assert fold([first, second, third]) == [0, 0, 2]


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    begin = " ".join(f"w{number}" for number in range(3000))[: near_copies.MOST]
    begin += "." * (near_copies.MOST - len(begin))
    tail = " ".join(f"x{number}" for number in range(9000))
    assert fold([begin + tail, begin]) == [0, 0]
    assert fold([begin[:-10_000] + tail, begin]) == [0, 1]
    assert fold(["İ" * 2 * near_copies.MOST] * 2) == [0, 0]  # its small letter is two


def test_odd_characters_do_no_harm() -> None:
    assert fold(["\ud800 a b c d", "\x00", "𝒳 " * 30, "\x00", "\ud800"]) == [0, 1, 2, 1, 4]


def test_an_answer_is_folded_in_milliseconds() -> None:
    generator = random.Random(0)
    texts = [" ".join(generator.choices(VOCABULARY, k=500)) for _ in range(30)] * 2
    fold(texts)  # loads what is compiled: two texts alone go another way
    begin = time.thread_time()
    assert fold(texts) == [*range(30)] * 2
    assert time.thread_time() - begin < 0.2  # it takes some 0.005 s
