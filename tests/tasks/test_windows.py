"""Coherence within windows: against counting by hand, and against gensim."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from undertow._errors import InvalidInput
from undertow.tasks import c_npmi, c_v, windows

Texts = list[list[int]]
Topics = list[list[int]]


def made_up(seed: int, texts: int = 30, words: int = 20, longest: int = 40) -> Texts:
    """Texts in which the words come in heaps; -1 stands for words that are in no topic."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(texts):
        rates = generator.dirichlet(np.full(words + 1, 0.3))
        found.append(
            (generator.choice(words + 1, generator.integers(0, longest), p=rates) - 1).tolist()
        )
    return found


def seen_by_hand(texts: Texts, window: int) -> list[set[int]]:
    """The words in each window."""
    places = [(text, first) for text in texts for first in range(max(len(text) - window + 1, 1))]
    return [set(text[first : first + window]) for text, first in places]


def npmi_by_hand(seen: list[set[int]], one: int, other: int) -> float:
    own, others, both = (
        np.mean([wanted <= words for words in seen]) for wanted in ({one}, {other}, {one, other})
    )
    return float(np.log((both + 1e-12) / (own * others)) / -np.log(both + 1e-12))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_c_npmi_matches_counting_by_hand(seed: int, window: int) -> None:
    texts = [*made_up(seed), list(range(20)), []]
    seen = seen_by_hand(texts, window)
    topics = [[0, 1, 2, 3], [4, 19], [7, 3, 11]]
    expected = [
        np.mean([npmi_by_hand(seen, *pair) for pair in itertools.combinations(topic, 2)])
        for topic in topics
    ]
    np.testing.assert_allclose(c_npmi(texts, topics, window=window), expected, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_c_v_matches_counting_by_hand(seed: int, window: int) -> None:
    texts = [*made_up(seed), list(range(20)), []]
    seen = seen_by_hand(texts, window)
    topics = [[0, 1, 2, 3], [4, 19], [7, 3, 11]]
    expected = []
    for topic in topics:
        vectors = np.array([[npmi_by_hand(seen, one, other) for other in topic] for one in topic])
        whole = vectors.sum(axis=0)
        expected.append(np.mean([v @ whole / np.sqrt((v @ v) * (whole @ whole)) for v in vectors]))
    np.testing.assert_allclose(c_v(texts, topics, window=window), expected, atol=1e-12)


def test_three_windows_on_paper() -> None:
    texts = [[0, 1, 2, 2]]  # windows {0, 1}, {1, 2}, {2}: 0 in one of three, 1 in two, 2 in two
    one_two = np.log((1 / 3) / (2 / 3 * 2 / 3)) / -np.log(1 / 3)
    zero_one = np.log((1 / 3) / (1 / 3 * 2 / 3)) / -np.log(1 / 3)
    np.testing.assert_allclose(
        c_npmi(texts, [[1, 2], [0, 1]], window=2), [one_two, zero_one], atol=1e-9
    )
    cosine = (1 + one_two) / np.sqrt(2 * (1 + one_two**2))  # of (1, x) and (1 + x, 1 + x)
    np.testing.assert_allclose(
        c_v(texts, [[1, 2]], window=2), [cosine * np.sign(1 + one_two)], atol=1e-9
    )


def test_a_word_stays_in_sight_while_one_of_its_occurrences_does() -> None:
    assert c_npmi([[0, 0, 1, 5]], [[0, 1]], window=3) == pytest.approx(
        1.0
    )  # both are in both windows


def test_words_that_never_meet_or_never_occur() -> None:
    texts = [[0, 5, 5, 5, 1], [0, 5], [1]]
    far, absent, absent_both = c_npmi(texts, [[0, 1], [0, 9], [8, 9]], window=2)
    assert far == pytest.approx(np.log(1e-12 / (2 / 6 * 2 / 6)) / -np.log(1e-12))
    assert absent == absent_both == -1.0
    assert c_v(texts, [[8, 9]], window=2) == 0.0
    assert c_v(texts, [[0, 9]], window=2) == pytest.approx(
        0.5
    )  # 1 for the word that is there, 0 for the other


def test_topics_of_one_word_or_none_count_nothing() -> None:
    for measure in (c_npmi, c_v):
        np.testing.assert_array_equal(measure([[0, 1]], [[0], []]), [0.0, 0.0])
        assert measure([[0, 1]], []).shape == (0,)


def test_texts_are_read_once_and_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, topics = made_up(0, texts=50), [[0, 1, 2], [5, 6]]
    expected = c_npmi(texts, topics), c_v(texts, topics)
    monkeypatch.setattr(windows, "TEXTS", 7)
    np.testing.assert_array_equal(
        c_npmi((np.array(text, dtype=np.int32) for text in texts), topics), expected[0]
    )
    np.testing.assert_array_equal(c_v(iter(texts), topics), expected[1])


def test_errors() -> None:
    with pytest.raises(InvalidInput, match="texts must hold at least one text, got none"):
        c_npmi([], [[0, 1]])
    with pytest.raises(InvalidInput, match="topics must hold numbers of words, 0 or more, got -1"):
        c_npmi([[0]], [[0, -1]])
    with pytest.raises(InvalidInput, match="window must be a whole number of at least 1, got 0"):
        c_v([[0]], [[0, 1]], window=0)
    with pytest.raises(
        InvalidInput,
        match="texts must be lists of the numbers of their words, got str 'some words'",
    ):
        c_v(["some words"], [[0, 1]])  # type: ignore[list-item]


def gensims(texts: Texts, topics: Topics, measure: str, window: int) -> Any:
    """What gensim finds; one process, since it counts the windows of short texts wrongly with
    more.
    """
    models = pytest.importorskip("gensim.models.coherencemodel")
    dictionary = pytest.importorskip("gensim.corpora").Dictionary(
        [[str(word)] for word in range(-1, 20)]
    )
    model = models.CoherenceModel(
        topics=[[str(word) for word in topic] for topic in topics],
        texts=[[str(word) for word in text] for text in texts],
        dictionary=dictionary,
        coherence=measure,
        window_size=window,
        processes=1,
    )
    return model.get_coherence_per_topic()


TOPICS = [[0, 1, 2, 3, 4], [5, 6, 7], [19, 3, 8, 12]]


@pytest.mark.parametrize("window", [2, 5, 10])
def test_agrees_with_gensim_where_no_window_holds_a_word_twice(window: int) -> None:
    generator = np.random.default_rng(window)
    lengths = generator.integers(0, 20, 60)
    texts: Texts = [(generator.permutation(20)[:length]).tolist() for length in lengths]
    np.testing.assert_allclose(
        c_npmi(texts, TOPICS, window=window), gensims(texts, TOPICS, "c_npmi", window), rtol=1e-9
    )
    np.testing.assert_allclose(
        c_v(texts, TOPICS, window=window), gensims(texts, TOPICS, "c_v", window), rtol=1e-9
    )


@pytest.mark.parametrize(("measure", "window"), [("c_npmi", 10), ("c_v", 110)])
def test_agrees_with_gensim_once_it_looks_at_whole_windows(
    measure: str, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gensim takes a word for gone when one of its occurrences leaves the window, even if another
    is still there.
    """
    texts = [*made_up(3, texts=60, longest=200), [*range(20)]]
    ours = {"c_npmi": c_npmi, "c_v": c_v}[measure](texts, TOPICS)
    nearly = gensims(texts, TOPICS, measure, window)
    analysis = pytest.importorskip("gensim.topic_coherence.text_analysis")

    def look(self: Any, window: Any, document: int) -> None:
        self._uniq_words[:] = False
        self._uniq_words[np.unique(window)] = True

    monkeypatch.setattr(analysis.WordOccurrenceAccumulator, "_slide_window", look)
    np.testing.assert_allclose(ours, gensims(texts, TOPICS, measure, window), rtol=1e-9)
    assert not np.allclose(ours, nearly, rtol=1e-6)


@pytest.mark.torture  # by the clock of the processor, which a busy machine turns no faster
def test_a_hundred_topics_of_ten_thousand_texts_take_seconds() -> None:
    generator = np.random.default_rng(0)
    texts = [generator.zipf(1.3, length) % 10_000 for length in generator.integers(1, 300, 11_000)]
    topics = generator.permutation(10_000)[:1000].reshape(100, 10).tolist()
    began = time.process_time()
    c_npmi(texts, topics)
    c_v(texts, topics)
    assert time.process_time() - began < 120


def test_words_themselves_are_no_numbers() -> None:
    with pytest.raises(InvalidInput, match=r"topics must hold numbers of words, .* got 'moon'"):
        c_v([[0, 1]], [["moon", "space"]])  # type: ignore[list-item]
